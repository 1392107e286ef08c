#include "tensor/plan.h"

namespace flambeau {

Plan::Plan(IntSpan shape, std::span<const Tensor* const> tensors)
    : ndim(int(shape.size())), operands(int(tensors.size())) {
  for (int i = 0; i < ndim; ++i) {
    order_[i] = uint8_t(ndim - 1 - i);
    sizes[i] = shape[order_[i]];
    numel *= sizes[i];
  }
  for (int k = 0; k < operands; ++k)
    if (tensors[k]) set_operand(k, *tensors[k]);
  if (ndim > 1) reorder(tensors);
}

void Plan::set_operand(int operand, const Tensor& t) {
  const int missing = ndim - int(t.dim());
  for (int i = 0; i < ndim; ++i) {
    const int d = order_[i] - missing;
    strides[operand][i] = d < 0 || (t.sizes()[d] == 1 && sizes[i] != 1) ? 0 : t.strides()[d];
  }
}

void Plan::set_constant(int operand) { std::fill(strides[operand], strides[operand] + ndim, 0); }

// An insertion sort, since the order is only partial: a broadcast dimension compares with nothing.
void Plan::reorder(std::span<const Tensor* const> tensors) {
  const auto compare = [&](int a, int b) {
    for (int k = 0; k < operands; ++k) {
      if (!tensors[k]) continue;
      const int64_t sa = strides[k][a], sb = strides[k][b];
      if (sa == 0 || sb == 0) continue;
      if (sa != sb) return sa < sb ? -1 : 1;
      if (sizes[a] > sizes[b]) return 1;
    }
    return 0;
  };
  const auto swap = [&](int a, int b) {
    std::swap(order_[a], order_[b]);
    std::swap(sizes[a], sizes[b]);
    for (int k = 0; k < operands; ++k)
      if (tensors[k]) std::swap(strides[k][a], strides[k][b]);
  };
  for (int i = 1; i < ndim; ++i) {
    int moving = i;
    for (int before = i - 1; before >= 0; --before) {
      const int order = compare(before, moving);
      if (order < 0) break;
      if (order > 0) {
        swap(before, moving);
        moving = before;
      }
    }
  }
}

Dims Plan::output_strides() const {
  Dims out(size_t(ndim), 0);
  int64_t stride = 1;
  for (int i = 0; i < ndim; ++i) {
    out[order_[i]] = stride;
    stride *= std::max<int64_t>(sizes[i], 1);
  }
  return out;
}

void Plan::merge() {
  int last = 0;
  const auto joins = [&](int inner, int outer) {
    if (sizes[inner] == 1 || sizes[outer] == 1) return true;
    for (int k = 0; k < operands; ++k)
      if (strides[k][inner] * sizes[inner] != strides[k][outer]) return false;
    return true;
  };
  for (int i = 1; i < ndim; ++i) {
    if (joins(last, i)) {
      if (sizes[last] == 1)
        for (int k = 0; k < operands; ++k) strides[k][last] = strides[k][i];
      sizes[last] *= sizes[i];
    } else if (++last != i) {
      for (int k = 0; k < operands; ++k) strides[k][last] = strides[k][i];
      sizes[last] = sizes[i];
    }
  }
  if (ndim) ndim = last + 1;
}

Plan Plan::dense(int64_t n, int operands) {
  Plan plan;
  plan.ndim = 1;
  plan.operands = operands;
  plan.numel = plan.sizes[0] = n;
  for (int k = 0; k < operands; ++k) plan.strides[k][0] = 1;
  return plan;
}

bool Plan::is_dense(int operand) const {
  int64_t expected = 1;
  for (int i = 0; i < ndim; ++i) {
    if (sizes[i] != 1 && strides[operand][i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

bool Plan::is_constant(int operand) const {
  for (int i = 0; i < ndim; ++i)
    if (sizes[i] != 1 && strides[operand][i] != 0) return false;
  return true;
}

Cursor::Cursor(const Plan& plan, int64_t position) {
  for (int i = 0; i < plan.ndim; ++i) {
    index[i] = position % plan.sizes[i];
    position /= plan.sizes[i];
  }
}

int64_t Cursor::offset(const Plan& plan, int operand) const {
  int64_t sum = 0;
  for (int i = 0; i < plan.ndim; ++i) sum += index[i] * plan.strides[operand][i];
  return sum;
}

void Cursor::advance(const Plan& plan, int64_t n) {
  if (plan.ndim == 0) return;
  index[0] += n;
  for (int i = 0; index[i] >= plan.sizes[i] && i + 1 < plan.ndim; ++i) {
    index[i + 1] += index[i] / plan.sizes[i];
    index[i] %= plan.sizes[i];
  }
}

}  // namespace flambeau
