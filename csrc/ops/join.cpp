// cat, stack and what PyTorch composes from them (native/TensorShape.cpp).
#include <algorithm>
#include <cstring>

#include "ops/join.h"
#include "ops/op.h"
#include "ops/ops.h"
#include "parallel/pool.h"

namespace flambeau::ops {
namespace {

// PyTorch lets cat skip such tensors whatever the others' rank.
bool is_legacy_empty(const Tensor& t) { return t.dim() == 1 && t.numel() == 0; }

void check_cat_sizes(const Tensor& first, const Tensor& t, int64_t dim, size_t number) {
  FLAMBEAU_CHECK(first.dim() == t.dim(), "Tensors must have same number of dimensions: got ", first.dim(), " and ",
                 t.dim());
  for (int64_t d = 0; d < t.dim(); ++d)
    FLAMBEAU_CHECK(d == dim || first.size(d) == t.size(d), "Sizes of tensors must match except in dimension ", dim,
                   ". Expected size ", first.size(d), " but got size ", t.size(d), " for tensor number ", number,
                   " in the list.");
}

struct Piece {
  const char* data;
  int64_t bytes, at;  // of one outer row, and where in the output's row
};

// Rows of one element are stored as such: a call for each would cost more than the element.
void copy_piece(const Piece& piece, char* to, int64_t row_bytes, int64_t begin, int64_t end) {
  const char* from = piece.data;
  if (piece.bytes == 4 || piece.bytes == 8) {
    visit_width(size_t(piece.bytes), [&]<class T>(Type<T>) {
      for (int64_t o = begin; o < end; ++o) std::memcpy(to + o * row_bytes, from + o * int64_t(sizeof(T)), sizeof(T));
    });
    return;
  }
  for (int64_t o = begin; o < end; ++o) std::memcpy(to + o * row_bytes, from + o * piece.bytes, size_t(piece.bytes));
}

// All pieces contiguous and of the output's dtype: rows are copied whole.
void copy_rows(const std::vector<Piece>& pieces, char* out, int64_t outers, int64_t row_bytes) {
  constexpr int64_t kGrainBytes = 1 << 17;
  parallel_for(0, outers, std::max<int64_t>(1, kGrainBytes / std::max<int64_t>(1, row_bytes)),
               [&](int64_t begin, int64_t end) {
                 for (const Piece& piece : pieces) copy_piece(piece, out + piece.at, row_bytes, begin, end);
               });
}

Tensor raw_cat(const TensorList& tensors, int64_t dim, const Dims& sizes, DType dtype) {
  Tensor out = empty(sizes, dtype);
  if (out.numel() == 0) return out;
  const IntSpan all = out.sizes();
  const int64_t outers = numel_of(all.first(size_t(dim)));
  const int64_t row_bytes = out.numel() / outers * int64_t(out.itemsize());
  const int64_t step = row_bytes / out.size(dim);
  std::vector<Piece> pieces;
  int64_t at = 0;
  for (const Tensor& t : tensors) {
    if (is_legacy_empty(t) || t.numel() == 0) continue;
    const int64_t length = t.size(dim);
    if (t.dtype() == dtype && t.is_contiguous())
      pieces.push_back({static_cast<const char*>(t.raw()), length * step, at * step});
    else raw_copy(narrow(out, dim, at, length), t);
    at += length;
  }
  copy_rows(pieces, static_cast<char*>(out.raw()), outers, row_bytes);
  return out;
}

// Images whose channels lie innermost.
bool is_channels_last(const Tensor& t) {
  return t.dim() == 4 && !t.is_contiguous() && t.numel() && alias(permute(t, {0, 2, 3, 1})).is_contiguous();
}

// Images that all have their channels innermost keep them there.
Tensor cat_in_order(const TensorList& tensors, int64_t dim, const Dims& sizes, DType dtype) {
  if (!std::all_of(tensors.begin(), tensors.end(), is_channels_last)) return raw_cat(tensors, dim, sizes, dtype);
  TensorList rows;
  for (const Tensor& t : tensors) rows.push_back(permute(t, {0, 2, 3, 1}));
  const int64_t moved[] = {0, 3, 1, 2};
  return alias(permute(raw_cat(rows, moved[dim], {sizes[0], sizes[2], sizes[3], sizes[1]}, dtype), {0, 3, 1, 2}));
}

}  // namespace

Tensor cat(const TensorList& tensors, int64_t dim) {
  FLAMBEAU_CHECK_AS(ValueError, !tensors.empty(), "torch.cat(): expected a non-empty list of Tensors");
  const Tensor* first = nullptr;
  for (size_t i = 0; i < tensors.size(); ++i) {
    FLAMBEAU_CHECK(tensors[i].dim() > 0, "zero-dimensional tensor (at position ", i, ") cannot be concatenated");
    if (!first && !is_legacy_empty(tensors[i])) first = &tensors[i];
  }
  if (first) dim = wrap_dim(dim, first->dim());
  Dims sizes = first ? first->sizes() : Dims{0};
  if (first) sizes[size_t(dim)] = 0;
  for (size_t i = 0; first && i < tensors.size(); ++i) {
    if (is_legacy_empty(tensors[i])) continue;
    check_cat_sizes(*first, tensors[i], dim, i);
    sizes[size_t(dim)] += tensors[i].size(dim);
  }
  Tensor out;
  {
    GradMode off(false);
    out = first ? cat_in_order(tensors, dim, sizes, result_type(tensors)) : empty(sizes, result_type(tensors));
  }
  if (!needs_grad(tensors)) return out;
  struct Part {
    int64_t length;
    DType dtype;
  };
  std::vector<Part> parts;
  for (const Tensor& t : tensors) parts.push_back({is_legacy_empty(t) ? -1 : t.size(dim), t.dtype()});
  record_all("CatBackward0", {&out, 1}, Inputs(tensors), [parts, dim](const Tensor& grad, Needs need) {
    TensorList grads(parts.size());
    int64_t at = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto [length, dtype] = parts[i];
      if (need[i]) grads[i] = length < 0 ? zeros({0}, dtype) : to_dtype(narrow(grad, dim, at, length), dtype);
      at += std::max<int64_t>(length, 0);
    }
    return grads;
  });
  return out;
}

Tensor stack(const TensorList& tensors, int64_t dim) {
  FLAMBEAU_CHECK(!tensors.empty(), "stack expects a non-empty TensorList");
  const Dims& sizes = tensors[0].sizes();
  dim = wrap_dim(dim, tensors[0].dim() + 1);
  for (size_t i = 1; i < tensors.size(); ++i)
    FLAMBEAU_CHECK(tensors[i].sizes() == sizes, "stack expects each tensor to be equal size, but got ", sizes,
                   " at entry 0 and ", tensors[i].sizes(), " at entry ", i);
  Tensor out;
  {
    GradMode off(false);
    TensorList rows;
    for (const Tensor& t : tensors) rows.push_back(unsqueeze(t, dim));
    out = cat(rows, dim);
  }
  if (!needs_grad(tensors)) return out;
  std::vector<DType> dtypes;
  for (const Tensor& t : tensors) dtypes.push_back(t.dtype());
  record_all("StackBackward0", {&out, 1}, Inputs(tensors), [dtypes, dim](const Tensor& grad, Needs need) {
    TensorList grads = unbind(grad, dim);
    for (size_t i = 0; i < grads.size(); ++i) grads[i] = need[i] ? to_dtype(grads[i], dtypes[i]) : Tensor();
    return grads;
  });
  return out;
}

static void check_not_empty(const char* name, const TensorList& tensors) {
  FLAMBEAU_CHECK(!tensors.empty(), name, " expects a non-empty TensorList");
}

Tensor hstack(const TensorList& tensors) {
  check_not_empty("hstack", tensors);
  const TensorList rows = atleast_1d_all(tensors);
  return cat(rows, rows[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(const TensorList& tensors) {
  check_not_empty("vstack", tensors);
  return cat(atleast_2d_all(tensors), 0);
}

Tensor dstack(const TensorList& tensors) {
  check_not_empty("dstack", tensors);
  return cat(atleast_3d_all(tensors), 2);
}

Tensor column_stack(const TensorList& tensors) {
  check_not_empty("column_stack", tensors);
  TensorList columns;
  for (const Tensor& t : tensors) columns.push_back(t.dim() <= 1 ? reshape(t, {t.numel(), 1}) : t);
  return hstack(columns);
}

Tensor block_diag(const TensorList& tensors) {
  TensorList blocks;
  int64_t width = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    FLAMBEAU_CHECK(tensors[i].dim() <= 2, "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input ", i,
                   " has ", tensors[i].dim(), " dimensions");
    blocks.push_back(atleast_2d(tensors[i]));
    width += blocks.back().size(1);
  }
  if (blocks.empty()) return empty({1, 0}, default_dtype());
  int64_t left = 0;
  for (Tensor& block : blocks) {
    const int64_t columns = block.size(1);
    block = constant_pad_nd(block, {left, width - left - columns}, 0);
    left += columns;
  }
  return cat(blocks, 0);
}

Tensor cartesian_prod(const TensorList& tensors) {
  for (const Tensor& t : tensors) FLAMBEAU_CHECK(t.dim() == 1, "Expect a 1D vector, but got shape ", t.sizes());
  if (tensors.size() == 1) return tensors[0];
  TensorList columns = meshgrid(tensors, "ij");
  for (Tensor& grid : columns) grid = flatten(grid);
  return stack(columns, 1);
}

// Which of the n^r places of a grid are combinations: indices that rise, or do not fall.
static Tensor combination_mask(int64_t n, int64_t r, bool with_replacement) {
  Tensor mask = empty(Dims(size_t(r), n), DType::Bool);
  for (int64_t i = 0; i < mask.numel(); ++i) {
    bool rises = true;
    int64_t rest = i, after = n;
    for (int64_t d = 0; d < r; ++d, rest /= n) {
      rises &= rest % n < after || (with_replacement && rest % n == after);
      after = rest % n;
    }
    mask.data<bool>()[i] = rises;
  }
  return mask;
}

Tensor combinations(const Tensor& self, int64_t r, bool with_replacement) {
  FLAMBEAU_CHECK(self.dim() == 1, "Expect a 1D vector, but got shape ", self.sizes());
  FLAMBEAU_CHECK(r >= 0, "Expect a non-negative number, but got ", r);
  if (r == 0) return empty({0}, self.dtype());
  TensorList columns = meshgrid(TensorList(size_t(r), self), "ij");
  const Tensor mask = combination_mask(self.numel(), r, with_replacement);
  for (Tensor& grid : columns) grid = masked_select(grid, mask);
  return stack(columns, 1);
}

}  // namespace flambeau::ops
