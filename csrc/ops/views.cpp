// Views: other sizes and strides over the same storage. Geometry follows ATen/native/TensorShape.cpp; gradients
// write the gradient through the same view of zeros, so that they can be differentiated again.
#include "ops/views.h"

#include "ops/copy.h"
#include "ops/gather.h"
#include "ops/join.h"
#include "ops/op.h"
#include "ops/pointwise.h"

namespace flambeau::ops {
namespace {

// Strides with which `size` can be laid over the given geometry without a copy (at::detail::computeStride).
std::optional<Dims> strides_for_view(const Tensor& self, IntSpan size) {
  if (self.numel() == 0) return IntSpan(self.sizes()) == size ? Dims(self.strides()) : contiguous_strides(size);
  Dims strides(size.size(), 0);
  int64_t view_d = int64_t(size.size()) - 1;
  int64_t chunk_base = self.dim() ? self.strides().back() : 1;
  int64_t tensor_numel = 1, view_numel = 1;
  for (int64_t d = self.dim() - 1; d >= 0; --d) {
    tensor_numel *= self.sizes()[d];
    // A chunk of dimensions that memory runs through evenly ends here.
    if (d == 0 || (self.sizes()[d - 1] != 1 && self.strides()[d - 1] != tensor_numel * chunk_base)) {
      while (view_d >= 0 && (view_numel < tensor_numel || size[view_d] == 1)) {
        strides[view_d] = view_numel * chunk_base;
        view_numel *= size[view_d--];
      }
      if (view_numel != tensor_numel) return {};
      if (d > 0) {
        chunk_base = self.strides()[d - 1];
        tensor_numel = view_numel = 1;
      }
    }
  }
  if (self.dim() == 0) {
    for (; view_d >= 0; --view_d) {
      if (size[view_d] != 1) return {};
      strides[view_d] = 1;
    }
  }
  if (view_d != -1) return {};
  return strides;
}

Dims infer_size(IntSpan shape, int64_t numel) {
  Dims size(shape);
  int64_t known = 1;
  std::optional<size_t> unknown;
  bool overflows = false;
  for (size_t i = 0; i < size.size(); ++i) {
    if (size[i] == -1) {
      FLAMBEAU_CHECK(!unknown, "only one dimension can be inferred");
      unknown = i;
    } else {
      FLAMBEAU_CHECK(size[i] >= 0, "invalid shape dimension ", size[i], " at index ", i, " of shape ", shape);
      overflows |= __builtin_mul_overflow(known, size[i], &known);
    }
  }
  if (!overflows && unknown && known > 0 && numel % known == 0) {
    size[*unknown] = numel / known;
    return size;
  }
  if (unknown)
    FLAMBEAU_CHECK(known != 0, "cannot reshape tensor of 0 elements into shape ", shape,
                   " because the unspecified dimension size -1 can be any value and is ambiguous");
  FLAMBEAU_CHECK(!overflows && !unknown && known == numel, "shape '", shape, "' is invalid for input of size ", numel);
  return size;
}

// Zeros shaped like the viewed tensor with `grad` written through the view that `window` cuts.
template <class Window>
Tensor scatter_window(const Tensor& grad, const Dims& sizes, Window&& window) {
  const Tensor out = zeros(sizes, grad.dtype());
  copy_(window(out), grad);
  return out;
}

Tensor as_strided_backward(const Tensor& grad, const Tensor& meta_input, const Dims& size, const Dims& stride,
                           int64_t offset);

}  // namespace

Tensor make_view(const Tensor& self, IntSpan sizes, IntSpan strides, int64_t offset) {
  auto* impl = new TensorImpl(self.storage(), self.dtype(), sizes, strides, offset);
  Tensor out(impl);
  impl->untracked_ = self.impl()->untracked_;
  impl->inference_ = self.impl()->inference_;
  if (grad_enabled()) {
    impl->base_ = self.impl()->base_ ? self.impl()->base_ : self.impl();
    impl->base_->retain();
    const auto* meta = impl->base_->autograd_.get();
    if (meta && meta->base_epoch) autograd_meta(out).base_epoch = meta->base_epoch;
  }
  return out;
}

Tensor view(const Tensor& self, const Dims& shape) {
  const Dims size = infer_size(shape, self.numel());
  const auto strides = strides_for_view(self, size);
  FLAMBEAU_CHECK(strides,
                 "view size is not compatible with input tensor's size and stride (at least one dimension spans "
                 "across two contiguous subspaces). Use .reshape(...) instead.");
  return record("ViewBackward0", make_view(self, size, *strides, self.storage_offset()), {self}, [&] {
    return [sizes = self.sizes()](const Tensor& grad, Needs) { return TensorList{reshape(grad, sizes)}; };
  });
}

Tensor view_dtype(const Tensor& self, DType dtype) {
  if (dtype == self.dtype()) return view(self, self.sizes());
  const int64_t from = int64_t(self.itemsize()), to = int64_t(itemsize(dtype));
  Dims sizes = self.sizes(), strides = self.strides();
  int64_t offset = self.storage_offset();
  if (from != to) {
    FLAMBEAU_CHECK(self.dim() > 0, "self.dim() cannot be 0 to view ", self.dtype(), " as ", dtype,
                   " (different element sizes)");
    FLAMBEAU_CHECK(strides.back() == 1, "self.stride(-1) must be 1 to view ", self.dtype(), " as ", dtype,
                   " (different element sizes), but got ", strides.back());
    auto scaled = [&](int64_t n) { return n * from / to; };
    if (to > from) {
      const int64_t ratio = to / from;
      FLAMBEAU_CHECK(sizes.back() % ratio == 0, "self.size(-1) must be divisible by ", ratio, " to view ", self.dtype(),
                     " as ", dtype, " (different element sizes), but got ", sizes.back());
      FLAMBEAU_CHECK(offset % ratio == 0, "self.storage_offset() must be divisible by ", ratio, " to view ",
                     self.dtype(), " as ", dtype, " (different element sizes), but got ", offset);
      for (size_t i = 0; i + 1 < strides.size(); ++i)
        FLAMBEAU_CHECK(strides[i] % ratio == 0, "self.stride(", i, ") must be divisible by ", ratio, " to view ",
                       self.dtype(), " as ", dtype, " (different element sizes), but got ", strides[i]);
    }
    sizes.back() = scaled(sizes.back());
    for (size_t i = 0; i + 1 < strides.size(); ++i) strides[i] = scaled(strides[i]);
    offset = scaled(offset);
  }
  return from_storage(self.storage(), dtype, sizes, strides, offset);
}

Tensor reshape(const Tensor& self, const Dims& shape) {
  const Dims size = infer_size(shape, self.numel());
  if (const auto strides = strides_for_view(self, size)) {
    return record("ViewBackward0", make_view(self, size, *strides, self.storage_offset()), {self}, [&] {
      return [sizes = self.sizes()](const Tensor& grad, Needs) { return TensorList{reshape(grad, sizes)}; };
    });
  }
  const Tensor dense = raw_contiguous(self);
  const Tensor out =
      from_storage(dense.storage(), self.dtype(), size, contiguous_strides(size), dense.storage_offset());
  return record("UnsafeViewBackward0", out, {self}, [&] {
    return [sizes = self.sizes()](const Tensor& grad, Needs) { return TensorList{reshape(grad, sizes)}; };
  });
}

Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1) {
  dim0 = wrap_dim(dim0, self.dim());
  dim1 = wrap_dim(dim1, self.dim());
  Dims sizes = self.sizes(), strides = self.strides();
  if (self.dim()) {
    std::swap(sizes[dim0], sizes[dim1]);
    std::swap(strides[dim0], strides[dim1]);
  }
  return record("TransposeBackward0", make_view(self, sizes, strides, self.storage_offset()), {self}, [&] {
    return [dim0, dim1](const Tensor& grad, Needs) { return TensorList{transpose(grad, dim0, dim1)}; };
  });
}

Tensor t(const Tensor& self) {
  FLAMBEAU_CHECK(self.dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ", self.dim(), "D");
  const bool swap = self.dim() == 2;
  Dims sizes = self.sizes(), strides = self.strides();
  if (swap) {
    std::swap(sizes[0], sizes[1]);
    std::swap(strides[0], strides[1]);
  }
  return record("TBackward0", make_view(self, sizes, strides, self.storage_offset()), {self},
                [&] { return [](const Tensor& grad, Needs) { return TensorList{t(grad)}; }; });
}

Tensor permute(const Tensor& self, const Dims& dims) {
  FLAMBEAU_CHECK(
      int64_t(dims.size()) == self.dim(),
      "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
      "ordering of dimensions i.e. input.dim() = ",
      self.dim(), " is not equal to len(dims) = ", dims.size());
  const Dims order = wrap_dims(dims, self.dim());
  Dims sizes(order.size(), 0), strides(order.size(), 0), inverse(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    sizes[i] = self.sizes()[order[i]];
    strides[i] = self.strides()[order[i]];
    inverse[order[i]] = int64_t(i);
  }
  return record("PermuteBackward0", make_view(self, sizes, strides, self.storage_offset()), {self},
                [&] { return [inverse](const Tensor& grad, Needs) { return TensorList{permute(grad, inverse)}; }; });
}

Tensor movedim(const Tensor& self, const Dims& source, const Dims& destination) {
  FLAMBEAU_CHECK(source.size() == destination.size(), "movedim: Invalid source or destination dims: source (", source,
                 " dims) should contain the same number of dims as destination (", destination, " dims)");
  const Dims from = wrap_dims(source, self.dim()), to = wrap_dims(destination, self.dim());
  Dims order(size_t(self.dim()), -1);
  bool used[kMaxDim] = {};
  for (size_t i = 0; i < from.size(); ++i) {
    order[to[i]] = from[i];
    used[from[i]] = true;
  }
  int64_t next = 0;
  for (auto& slot : order) {
    if (slot >= 0) continue;
    while (used[next]) ++next;
    slot = next++;
  }
  return permute(self, order);
}

Tensor select(const Tensor& self, int64_t dim, int64_t index) {
  FLAMBEAU_CHECK_AS(IndexError, self.dim() > 0, "select() cannot be applied to a 0-dim tensor.");
  dim = wrap_dim(dim, self.dim());
  const int64_t size = self.sizes()[dim];
  FLAMBEAU_CHECK_AS(IndexError, index >= -size && index < size, "select(): index ", index,
                    " out of range for tensor of size ", self.sizes(), " at dimension ", dim);
  if (index < 0) index += size;
  Dims sizes = self.sizes(), strides = self.strides();
  const int64_t offset = self.storage_offset() + index * strides[dim];
  sizes.erase(dim);
  strides.erase(dim);
  return record("SelectBackward0", make_view(self, sizes, strides, offset), {self}, [&] {
    return [shape = self.sizes(), dim, index](const Tensor& grad, Needs) {
      return TensorList{scatter_window(grad, shape, [&](const Tensor& z) { return select(z, dim, index); })};
    };
  });
}

Tensor slice(const Tensor& self, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  FLAMBEAU_CHECK(self.dim() > 0, "slice() cannot be applied to a 0-dim tensor.");
  dim = wrap_dim(dim, self.dim());
  FLAMBEAU_CHECK_AS(ValueError, step > 0, "slice step must be positive");
  const int64_t size = self.sizes()[dim];
  auto clamped = [size](int64_t at) { return at < 0 ? std::max<int64_t>(at + size, 0) : std::min(at, size); };
  const int64_t from = clamped(start.value_or(0));
  const int64_t to = std::max(clamped(end.value_or(size)), from);
  Dims sizes = self.sizes(), strides = self.strides();
  const int64_t offset = self.storage_offset() + from * strides[dim];
  const int64_t length = to - from;
  sizes[dim] = length ? (length - 1) / step + 1 : 0;
  if (__builtin_mul_overflow(strides[dim], step, &strides[dim])) strides[dim] = 0;  // at most one element: never used
  return record("SliceBackward0", make_view(self, sizes, strides, offset), {self}, [&] {
    return [shape = self.sizes(), dim, from, to, step](const Tensor& grad, Needs) {
      return TensorList{scatter_window(grad, shape, [&](const Tensor& z) { return slice(z, dim, from, to, step); })};
    };
  });
}

Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  FLAMBEAU_CHECK(self.dim() > 0, "narrow() cannot be applied to a 0-dim tensor.");
  FLAMBEAU_CHECK(length >= 0, "narrow(): length must be non-negative.");
  const int64_t size = self.size(dim);
  FLAMBEAU_CHECK_AS(IndexError, start >= -size && start <= size, "start out of range (expected to be in range of [",
                    -size, ", ", size, "], but got ", start, ")");
  if (start < 0) start += size;
  FLAMBEAU_CHECK(start <= size - length, "start (", start, ") + length (", length, ") exceeds dimension size (", size,
                 ").");
  return slice(self, dim, start, start + length, 1);
}

Tensor expand(const Tensor& self, const Dims& size) {
  const int64_t ndim = int64_t(size.size()), extra = ndim - self.dim();
  FLAMBEAU_CHECK(extra >= 0, "expand(", legacy_name(self.dtype()), "Tensor{", self.sizes(), "}, size=", size,
                 "): the number of sizes provided (", ndim,
                 ") must be greater or equal to the number of dimensions in the tensor (", self.dim(), ")");
  Dims sizes(size.size(), 0), strides(size.size(), 0);
  for (int64_t i = ndim - 1; i >= 0; --i) {
    const int64_t d = i - extra;
    const int64_t have = d >= 0 ? self.sizes()[d] : 1;
    int64_t want = size[i];
    if (want == -1) {
      FLAMBEAU_CHECK(d >= 0, "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension ",
                     i);
      want = have;
    }
    FLAMBEAU_CHECK(want >= 0, "The expanded size of the tensor (", want, ") must be non-negative");
    FLAMBEAU_CHECK(have == 1 || have == want, "The expanded size of the tensor (", want,
                   ") must match the existing size (", have, ") at non-singleton dimension ", i,
                   ".  Target sizes: ", size, ".  Tensor sizes: ", self.sizes());
    sizes[i] = want;
    strides[i] = d < 0 || (have == 1 && want != 1) ? 0 : self.strides()[d];
    // PyTorch gives leading new dimensions the stride of a full dimension when they have size one.
    if (d < 0 && want == 1) strides[i] = i + 1 < ndim ? sizes[i + 1] * strides[i + 1] : 1;
  }
  return record("ExpandBackward0", make_view(self, sizes, strides, self.storage_offset()), {self}, [&] {
    return [shape = self.sizes()](const Tensor& grad, Needs) { return TensorList{sum_to(grad, shape)}; };
  });
}

Tensor as_strided(const Tensor& self, const Dims& size, const Dims& stride, std::optional<int64_t> storage_offset) {
  const int64_t offset = storage_offset.value_or(self.storage_offset());
  from_storage(self.storage(), self.dtype(), size, stride, offset);  // checks sizes, strides and bounds
  return record("AsStridedBackward0", make_view(self, size, stride, offset), {self}, [&] {
    return [meta = alias(self), size, stride, offset](const Tensor& grad, Needs) {
      return TensorList{as_strided_backward(grad, meta, size, stride, offset)};
    };
  });
}

Tensor unsqueeze(const Tensor& self, int64_t dim) {
  dim = wrap_dim(dim, self.dim() + 1);
  Dims sizes = self.sizes(), strides = self.strides();
  strides.insert(dim, dim < self.dim() ? sizes[dim] * strides[dim] : 1);
  sizes.insert(dim, 1);
  return record("UnsqueezeBackward0", make_view(self, sizes, strides, self.storage_offset()), {self},
                [&] { return [dim](const Tensor& grad, Needs) { return TensorList{squeeze_dims(grad, Dims{dim})}; }; });
}

Tensor squeeze_dims(const Tensor& self, const Dims& dim) {
  const Dims wanted = wrap_dims(dim, self.dim());
  Dims sizes, strides;
  for (int64_t i = 0; i < self.dim(); ++i) {
    if (self.sizes()[i] == 1 && std::find(wanted.begin(), wanted.end(), i) != wanted.end()) continue;
    sizes.push_back(self.sizes()[i]);
    strides.push_back(self.strides()[i]);
  }
  return record("SqueezeBackward1", make_view(self, sizes, strides, self.storage_offset()), {self}, [&] {
    return [shape = self.sizes()](const Tensor& grad, Needs) { return TensorList{reshape(grad, shape)}; };
  });
}

Tensor squeeze(const Tensor& self) {
  Dims all;
  for (int64_t i = 0; i < self.dim(); ++i) all.push_back(i);
  return squeeze_dims(self, all);
}

Tensor unfold(const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  const int64_t dim = wrap_dim(dimension, self.dim());
  const int64_t have = self.dim() ? self.sizes()[dim] : 1;
  FLAMBEAU_CHECK(size >= 0, "size is ", size, " but must be >= 0");
  FLAMBEAU_CHECK(size <= have, "maximum size for tensor at dimension ", dim, " is ", have, " but size is ", size);
  FLAMBEAU_CHECK(step > 0, "step is ", step, " but must be > 0");
  Dims sizes = self.sizes(), strides = self.strides();
  const int64_t stride = self.dim() ? strides[dim] : 1;
  if (self.dim()) {
    sizes[dim] = (have - size) / step + 1;
    strides[dim] = step * stride;
  }
  sizes.push_back(size);
  strides.push_back(stride);
  return record("UnfoldBackward0", make_view(self, sizes, strides, self.storage_offset()), {self}, [&] {
    return [shape = self.sizes(), dim, size, step](const Tensor& grad, Needs) {
      if (shape.empty()) return TensorList{select(grad, 0, 0)};
      Tensor out = zeros(shape, grad.dtype());
      const int64_t windows = grad.sizes()[dim];
      // From the last place of the windows to the first: each element takes its windows in their order.
      for (int64_t i = windows ? size : 0; i-- > 0;) {
        const Tensor window = slice(out, dim, i, i + step * (windows - 1) + 1, step);
        assign_inplace(window, add(window, select(grad, -1, i)));
      }
      return TensorList{out};
    };
  });
}

Tensor diagonal(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t a = wrap_dim(dim1, self.dim()), b = wrap_dim(dim2, self.dim());
  FLAMBEAU_CHECK(a != b, "diagonal dimensions cannot be identical ", dim1, ", ", dim2);
  const int64_t rows = self.sizes()[a], columns = self.sizes()[b];
  const int64_t length =
      std::max<int64_t>(offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns), 0);
  int64_t start = self.storage_offset();
  if (length) start += offset >= 0 ? offset * self.strides()[b] : -offset * self.strides()[a];
  Dims sizes = self.sizes(), strides = self.strides();
  const int64_t step = strides[a] + strides[b];
  sizes.erase(std::max(a, b));
  strides.erase(std::max(a, b));
  sizes.erase(std::min(a, b));
  strides.erase(std::min(a, b));
  sizes.push_back(length);
  strides.push_back(step);
  return record("DiagonalBackward0", make_view(self, sizes, strides, start), {self}, [&] {
    return [shape = self.sizes(), offset, a, b](const Tensor& grad, Needs) {
      return TensorList{scatter_window(grad, shape, [&](const Tensor& z) { return diagonal(z, offset, a, b); })};
    };
  });
}

Tensor flatten(const Tensor& self, int64_t start_dim, int64_t end_dim) {
  const int64_t start = wrap_dim(start_dim, self.dim()), end = wrap_dim(end_dim, self.dim());
  FLAMBEAU_CHECK(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.dim() == 0) return reshape(self, Dims{1});
  if (start == end) return self;
  int64_t merged = 1;
  for (int64_t i = start; i <= end; ++i) merged *= self.sizes()[i];
  Dims shape;
  for (int64_t i = 0; i < start; ++i) shape.push_back(self.sizes()[i]);
  shape.push_back(merged);
  for (int64_t i = end + 1; i < self.dim(); ++i) shape.push_back(self.sizes()[i]);
  return reshape(self, shape);
}

TensorList split_sizes(const Tensor& self, const Dims& sizes, int64_t dim) {
  FLAMBEAU_CHECK(self.dim() != 0, "split expects at least a 1-dimensional tensor");
  const int64_t size = self.size(dim);
  int64_t total = 0;
  for (const int64_t n : sizes) {
    FLAMBEAU_CHECK(n >= 0,
                   "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=", sizes);
    total += n;
  }
  FLAMBEAU_CHECK(total == size, "split_with_sizes expects split_sizes to sum exactly to ", size,
                 " (input tensor's size at dimension ", dim, "), but got split_sizes=", sizes);
  dim = wrap_dim(dim, self.dim());
  TensorList parts;
  int64_t at = 0;
  for (const int64_t n : sizes) {
    Dims part = self.sizes();
    part[dim] = n;
    parts.push_back(make_view(self, part, self.strides(), self.storage_offset() + at * self.strides()[dim]));
    at += n;
  }
  // One node for all parts, as PyTorch's SplitBackward0: the gradient is put together once.
  if (needs_grad(self)) {
    record_all("SplitBackward0", parts, Inputs{self},
               [shape = self.sizes(), sizes, dim, dtype = self.dtype()](const TensorList& grads, Needs) {
                 TensorList whole;
                 for (size_t i = 0; i < sizes.size(); ++i) {
                   Dims part = shape;
                   part[dim] = sizes[i];
                   whole.push_back(grads[i].defined() ? grads[i] : zeros(part, dtype));
                 }
                 return TensorList{cat(whole, dim)};
               });
  }
  return parts;
}

TensorList split(const Tensor& self, int64_t split_size, int64_t dim) {
  FLAMBEAU_CHECK(self.dim() != 0, "split expects at least a 1-dimensional tensor");
  FLAMBEAU_CHECK(split_size >= 0, "split expects split_size be non-negative, but got split_size=", split_size);
  const int64_t size = self.size(dim);
  FLAMBEAU_CHECK(split_size > 0 || size == 0,
                 "split_size can only be 0 if dimension size is 0, but got dimension size of ", size);
  const int64_t count = split_size ? std::max<int64_t>((size + split_size - 1) / split_size, 1) : 1;
  Dims sizes(size_t(count), split_size);
  sizes.back() = size - (count - 1) * split_size;
  return split_sizes(self, sizes, dim);
}

TensorList chunk(const Tensor& self, int64_t chunks, int64_t dim) {
  FLAMBEAU_CHECK(self.dim() != 0, "chunk expects at least a 1-dimensional tensor");
  FLAMBEAU_CHECK(chunks > 0, "chunk expects `chunks` to be greater than 0, got: ", chunks);
  const int64_t size = self.size(dim);
  const int64_t each = (size + chunks - 1) / chunks;
  if (each == 0) return split_sizes(self, Dims(size_t(chunks), 0), dim);
  return split(self, each, dim);
}

TensorList unbind(const Tensor& self, int64_t dim) {
  dim = wrap_dim(dim, self.dim(), false);
  const int64_t count = self.sizes()[dim];
  Dims sizes = self.sizes(), strides = self.strides();
  sizes.erase(dim);
  strides.erase(dim);
  TensorList parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(make_view(self, sizes, strides, self.storage_offset() + i * self.strides()[dim]));
  if (needs_grad(self) && count) {
    record_all("UnbindBackward0", parts, Inputs{self},
               [sizes, dim, dtype = self.dtype()](const TensorList& grads, Needs) {
                 TensorList whole;
                 for (const Tensor& grad : grads) whole.push_back(grad.defined() ? grad : zeros(sizes, dtype));
                 return TensorList{stack(whole, dim)};
               });
  }
  return parts;
}

Tensor detach(const Tensor& self) {
  Tensor out = alias(self);
  out.impl()->inference_ = self.impl()->inference_;
  return out;
}

namespace {

// Each element of the storage gets the sum of the gradients of the places that show it, in index order.
Tensor as_strided_backward(const Tensor& grad, const Tensor& input, const Dims& size, const Dims& stride,
                           int64_t offset) {
  FLAMBEAU_CHECK_AS(NotImplementedError, is_dense(input) || input.numel() == 0,
                    "as_strided: the gradient of an input whose elements overlap or leave gaps is not implemented");
  const int64_t length = input.numel();
  const int64_t shift = offset - input.storage_offset();
  Dims index_sizes = size;
  const Tensor places = empty(size, DType::Int64);
  auto* place = places.data<int64_t>();
  Dims at(size.size(), 0);
  for (int64_t n = 0; n < places.numel(); ++n) {
    int64_t where = shift;
    for (size_t d = 0; d < size.size(); ++d) where += at[d] * stride[d];
    FLAMBEAU_CHECK(where >= 0 && where < length,
                   "as_strided: the gradient of a view that leaves its input is not implemented");
    place[n] = where;
    for (size_t d = size.size(); d-- > 0;) {
      if (++at[d] < size[d]) break;
      at[d] = 0;
    }
  }
  const Tensor flat =
      index_add(zeros({length}, grad.dtype()), 0, reshape(places, Dims{-1}), reshape(grad, Dims{-1}), 1);
  return as_strided(flat, input.sizes(), input.strides(), 0);
}

}  // namespace

}  // namespace flambeau::ops
