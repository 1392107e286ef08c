// matmul, linear and what else PyTorch composes of mm, mv and bmm, with its rules for when to fold a batch into rows
// (LinearAlgebra.cpp: _matmul_impl, should_fold; Linear.cpp): they decide which product, and so which order, is used.
#include <vector>

#include "ops/copy.h"
#include "ops/join.h"
#include "ops/matmul.h"
#include "ops/op.h"
#include "ops/pointwise.h"
#include "ops/product.h"
#include "ops/reduce.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

// t1 (..., N, K) is folded when its leading dimensions are one view, or when the gradient of the smaller operand
// would otherwise be as large as the batch.
bool should_fold(const Tensor& tensor1, const Tensor& tensor2) {
  const bool first_larger = tensor1.dim() >= tensor2.dim();
  const Tensor& large = first_larger ? tensor1 : tensor2;
  const Tensor& small = first_larger ? tensor2 : tensor1;
  if (large.dim() < 3 || small.dim() > 2) return false;
  if (small.requires_grad()) return true;
  if (tensor1.dim() == 2) return false;
  if (large.numel() == 0) return true;
  // The larger one counts transposed when it stands on the right.
  Dims sizes = large.sizes(), strides = large.strides();
  const size_t n = sizes.size();
  if (!first_larger) {
    std::swap(sizes[n - 1], sizes[n - 2]);
    std::swap(strides[n - 1], strides[n - 2]);
  }
  for (size_t i = 0; i + 2 < n; ++i)
    if (strides[i] != strides[i + 1] * sizes[i + 1]) return false;
  return true;
}

Tensor folded_product(const Tensor& tensor1, const Tensor& tensor2) {
  const bool swap = tensor2.dim() > tensor1.dim();
  const Tensor large = swap ? transpose(tensor2, -2, -1) : tensor1;
  const Tensor small = !swap ? tensor2 : tensor1.dim() == 2 ? t(tensor1) : tensor1;
  Dims shape(IntSpan(large.sizes().data(), large.sizes().size() - 1));
  const Tensor rows = reshape(large, {numel_of(shape), large.size(-1)});
  if (small.dim() == 1) return view(mv(rows, small), shape);
  shape.push_back(small.size(1));
  const Tensor out = view(mm(rows, small), shape);
  return swap ? contiguous(transpose(out, -2, -1)) : out;
}

Tensor batched(const Tensor& tensor1, const Tensor& tensor2) {
  const auto batch_of = [](const Tensor& t) {
    return Dims(IntSpan(t.sizes().data(), size_t(std::max<int64_t>(t.dim() - 2, 0))));
  };
  const auto joined = [](const Dims& batch, std::initializer_list<int64_t> rest) {
    Dims all = batch;
    for (const int64_t size : rest) all.push_back(size);
    return all;
  };
  const int64_t n = tensor1.dim() > 1 ? tensor1.size(-2) : 1, m1 = tensor1.size(-1);
  const int64_t m2 = tensor2.dim() > 1 ? tensor2.size(-2) : tensor2.size(0),
                p = tensor2.dim() > 1 ? tensor2.size(-1) : 1;
  if (tensor1.dim() == 3 && tensor2.dim() == 3 && tensor1.size(0) != tensor2.size(0)) {
    if (tensor1.size(0) == 1 && tensor1.requires_grad()) return matmul(squeeze_dims(tensor1, {0}), tensor2);
    if (tensor2.size(0) == 1 && tensor2.requires_grad()) return matmul(tensor1, squeeze_dims(tensor2, {0}));
  }
  Dims batch = broadcast_shapes(batch_of(tensor1), batch_of(tensor2));
  const int64_t count = numel_of(batch);
  const Tensor left = reshape(expand(tensor1, joined(batch, {n, m1})), {count, n, m1});
  if (tensor2.dim() == 1) {
    const Tensor right = unsqueeze(reshape(expand(tensor2, joined(batch, {m2})), {count, m2}), 2);
    if (tensor1.dim() > 1) batch.push_back(n);
    return view(squeeze_dims(bmm(left, right), {-1}), batch);
  }
  const Tensor right = reshape(expand(tensor2, joined(batch, {m2, p})), {count, m2, p});
  const Tensor out = bmm(left, right);
  if (tensor1.dim() > 1) batch.push_back(n);
  batch.push_back(p);
  return view(out, batch);
}

}  // namespace

Tensor matmul(const Tensor& self, const Tensor& other) {
  FLAMBEAU_CHECK(self.dim() != 0 && other.dim() != 0, "both arguments to matmul need to be at least 1D, but they are ",
                 self.dim(), "D and ", other.dim(), "D");
  if (self.dim() == 1 && other.dim() == 1) return dot(self, other);
  if (self.dim() == 2 && other.dim() == 1) return mv(self, other);
  if (self.dim() == 1 && other.dim() == 2) return squeeze_dims(mm(unsqueeze(self, 0), other), {0});
  if (self.dim() == 2 && other.dim() == 2) return mm(self, other);
  return should_fold(self, other) ? folded_product(self, other) : batched(self, other);
}

Tensor linear(const Tensor& input, const Tensor& weight, const OptTensor& bias) {
  FLAMBEAU_CHECK(input.dim() != 0 && weight.dim() != 0,
                 "both arguments to linear need to be at least 1D, but they are ", input.dim(), "D and ", weight.dim(),
                 "D");
  if (bias && bias->defined() && (input.dim() == 2 || input.is_contiguous())) {
    if (input.dim() == 2) return addmm(*bias, input, t(weight));
    Dims shape = input.sizes();
    const Tensor rows = reshape(input, {input.numel() / std::max<int64_t>(input.size(-1), 1), input.size(-1)});
    const Tensor out = addmm(*bias, rows, t(weight));
    shape[shape.size() - 1] = out.size(1);
    return view(out, shape);
  }
  const Tensor out = matmul(input, weight.dim() == 2 ? t(weight) : weight);
  return bias && bias->defined() ? add(out, *bias) : out;
}

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight, const OptTensor& bias) {
  FLAMBEAU_CHECK(input1.dim() == input2.dim(), "bilinear(): input dimensions do not match: got ", input1.dim(), " and ",
                 input2.dim());
  for (int64_t i = 0; i < input1.dim() - 1; ++i)
    FLAMBEAU_CHECK(input1.size(i) == input2.size(i), "bilinear(): input batch dimensions do not match at dim ", i,
                   ": got ", input1.size(i), " and ", input2.size(i));
  FLAMBEAU_CHECK(input1.size(-1) == weight.size(1), "bilinear(): input1 size does not match weight size: got ",
                 input1.size(-1), " but expected ", weight.size(1));
  FLAMBEAU_CHECK(input2.size(-1) == weight.size(2), "bilinear(): input2 size does not match weight size: got ",
                 input2.size(-1), " but expected ", weight.size(2));
  const bool biased = bias && bias->defined();
  if (biased)
    FLAMBEAU_CHECK(bias->size(0) == weight.size(0), "bilinear(): bias size does not match weight size: got ",
                   bias->size(0), " but expected ", weight.size(0));
  Dims shape = input1.sizes();
  shape[shape.size() - 1] = weight.size(0);
  const int64_t rows = numel_of(IntSpan(shape.data(), shape.size() - 1));
  const Tensor x1 = reshape(input1, {rows, input1.size(-1)}), x2 = reshape(input2, {rows, input2.size(-1)});
  // y(b, o) = sum over j of (sum over i of x1(b, i) w(o, i, j)) x2(b, j)
  const Tensor w = reshape(transpose(weight, 0, 1), {weight.size(1), weight.size(0) * weight.size(2)});
  const Tensor left = reshape(mm(x1, w), {rows, weight.size(0), weight.size(2)});
  const Tensor out = reshape(squeeze_dims(bmm(left, unsqueeze(x2, 2)), {2}), shape);
  return biased ? add(out, *bias) : out;
}

Tensor tensordot(const Tensor& self, const Tensor& other, const Dims& dims_self, const Dims& dims_other) {
  FLAMBEAU_CHECK(dims_self.size() == dims_other.size(), "both dimension lists should have same length");
  FLAMBEAU_CHECK(self.dtype() == other.dtype(), "both inputs should have same dtype");
  Tensor left = self, right = other;
  bool contracted1[kMaxDim] = {}, contracted2[kMaxDim] = {};
  Dims dims1 = wrap_dims(dims_self, self.dim()), dims2 = wrap_dims(dims_other, other.dim());
  int64_t inner = 1;
  for (size_t i = 0; i < dims1.size(); ++i) {
    const int64_t size1 = left.size(dims1[i]), size2 = right.size(dims2[i]);
    // A single element meets a whole dimension: then that is summed first.
    if (size2 == 1) left = sum(left, Dims{dims1[i]}, true);
    else if (size1 == 1) right = sum(right, Dims{dims2[i]}, true);
    else
      FLAMBEAU_CHECK(size1 == size2, "contracted dimensions need to match, but first has size ", size1, " in dim ",
                     dims_self[i], " and second has size ", size2, " in dim ", dims_other[i]);
    contracted1[dims1[i]] = contracted2[dims2[i]] = true;
    inner *= left.size(dims1[i]);
  }
  Dims order1, order2 = dims2, shape;
  int64_t rows = 1, columns = 1;
  for (int64_t i = 0; i < left.dim(); ++i)
    if (!contracted1[i]) {
      order1.push_back(i);
      rows *= left.size(i);
      shape.push_back(left.size(i));
    }
  for (const int64_t dim : dims1) order1.push_back(dim);
  for (int64_t i = 0; i < right.dim(); ++i)
    if (!contracted2[i]) {
      order2.push_back(i);
      columns *= right.size(i);
      shape.push_back(right.size(i));
    }
  left = reshape(permute(left, order1), {rows, inner});
  right = reshape(permute(right, order2), {inner, columns});
  return reshape(mm(left, right), shape);
}

namespace {

// The cheapest order of a chain (the classic dynamic program), as the split point of every stretch [i, j].
std::vector<std::vector<size_t>> best_splits(const TensorList& tensors) {
  const size_t n = tensors.size();
  std::vector<double> p;
  for (const Tensor& t : tensors) p.push_back(double(t.size(0)));
  p.push_back(double(tensors.back().size(1)));
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
  std::vector<std::vector<size_t>> split(n, std::vector<size_t>(n, 0));
  for (size_t length = 1; length < n; ++length)
    for (size_t i = 0; i + length < n; ++i) {
      const size_t j = i + length;
      cost[i][j] = -1;
      for (size_t k = i; k < j; ++k) {
        const double total = cost[i][k] + cost[k + 1][j] + p[i] * p[k + 1] * p[j + 1];
        if (cost[i][j] < 0 || total < cost[i][j]) {
          cost[i][j] = total;
          split[i][j] = k;
        }
      }
    }
  return split;
}

Tensor multiply_stretch(const TensorList& tensors, const std::vector<std::vector<size_t>>& split, size_t i, size_t j) {
  if (i == j) return tensors[i];
  const size_t k = split[i][j];
  return mm(multiply_stretch(tensors, split, i, k), multiply_stretch(tensors, split, k + 1, j));
}

}  // namespace

Tensor linalg_multi_dot(const TensorList& tensors) {
  const size_t n = tensors.size();
  FLAMBEAU_CHECK(n >= 2, "multi_dot(): expected at least 2 tensors but got ", n);
  TensorList matrices = tensors;
  FLAMBEAU_CHECK(tensors[0].dim() == 1 || tensors[0].dim() == 2,
                 "multi_dot(): the first tensor must be 1D or 2D but got ", tensors[0].dim(), "D");
  FLAMBEAU_CHECK(tensors[n - 1].dim() == 1 || tensors[n - 1].dim() == 2,
                 "multi_dot(): the last tensor must be 1D or 2D but got ", tensors[n - 1].dim(), "D");
  Dims shape;
  if (tensors[0].dim() == 1) matrices[0] = unsqueeze(tensors[0], 0);
  else shape.push_back(tensors[0].size(0));
  if (tensors[n - 1].dim() == 1) matrices[n - 1] = unsqueeze(tensors[n - 1], -1);
  else shape.push_back(tensors[n - 1].size(1));
  for (size_t i = 0; i < n; ++i) {
    FLAMBEAU_CHECK(matrices[i].dim() == 2, "multi_dot(): tensor ", i, " must be 2D but got ", matrices[i].dim(), "D");
    FLAMBEAU_CHECK(matrices[i].dtype() == matrices[0].dtype(),
                   "multi_dot(): all tensors must have be the same dtype but tensor 0 is ", matrices[0].dtype(),
                   " and tensor ", i, " ", matrices[i].dtype());
    if (i)
      FLAMBEAU_CHECK(matrices[i - 1].size(1) == matrices[i].size(0), "multi_dot(): tensors ", i - 1, " and ", i,
                     " with shapes ", tensors[i - 1].sizes(), " and ", tensors[i].sizes(), " cannot be multiplied");
  }
  if (n == 2) return view(mm(matrices[0], matrices[1]), shape);
  return view(multiply_stretch(matrices, best_splits(matrices), 0, n - 1), shape);
}

Tensor linalg_vecdot(const Tensor& x, const Tensor& y, int64_t dim) {
  FLAMBEAU_CHECK(x.dtype() == y.dtype(), "linalg.vecdot: Expected x and y to have the same dtype, but found ",
                 x.dtype(), " and ", y.dtype(), " instead");
  if (x.dim() == 1 && y.dim() == 1) return dot(x, y);
  return sum(mul(x, y), Dims{dim});
}

Tensor matrix_power(const Tensor& self, int64_t n) {
  FLAMBEAU_CHECK(self.dim() >= 2, "linalg.matrix_power: The input tensor A must have at least 2 dimensions.");
  const int64_t rows = self.size(-2), columns = self.size(-1);
  FLAMBEAU_CHECK(rows == columns, "linalg.matrix_power: A must be batches of square matrices, but they are ", rows,
                 " by ", columns, " matrices");
  if (n == 0) {
    const Tensor ones_of = ones({rows}, self.dtype());
    return clone(expand(diag_embed(ones_of), self.sizes()));
  }
  if (n == 1) return clone(self);
  if (n == 2) return matmul(self, self);
  if (n == 3) return matmul(matmul(self, self), self);
  FLAMBEAU_CHECK(n > 0, "linalg.matrix_power: negative powers are not supported");
  // By the binary digits of n.
  Tensor result, power;
  for (; n > 0; n /= 2) {
    power = power.defined() ? matmul(power, power) : self;
    if (n % 2) result = result.defined() ? matmul(result, power) : power;
  }
  return result;
}

Tensor chain_matmul(const TensorList& matrices) {
  for (size_t i = 0; i < matrices.size(); ++i)
    FLAMBEAU_CHECK(matrices[i].dim() == 2, "Tensor dimension is ", matrices[i].dim(), ", expected 2 instead.");
  FLAMBEAU_CHECK(!matrices.empty(), "chain_matmul(): Expected one or more matrices");
  return matrices.size() == 1 ? clone(matrices[0]) : linalg_multi_dot(matrices);
}

}  // namespace flambeau::ops
