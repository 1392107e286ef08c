#include "ops/elementwise.h"

#include <cstring>

#include "kernels/copy.h"
#include "numerics/profile.h"
#include "ops/copy.h"
#include "ops/destination.h"
#include "parallel/pool.h"
#include "tensor/plan.h"

namespace flambeau::ops {
namespace {

constexpr int64_t kGrain = 32768;      // at::internal::GRAIN_SIZE
constexpr int64_t kBlock = 1024;       // elements: an operand's block is 8 KiB at most
constexpr int64_t kShortRow = 64;      // shorter rows are gathered together into one block
constexpr size_t kBlockBytes = kBlock * 8;

// Cuts [0, n) for the threads: as PyTorch does where the cut reaches the bits, which a tail makes it do.
template <class F>
void for_each_range(const Pass& pass, int64_t n, F&& f) {
  if (!pass.tail) return parallel_for(0, n, kGrain, f);
  const int threads = profile().threads;
  const int64_t grain = pass.one_chunk_a_thread && n > 16384 ? std::max<int64_t>(1, n / threads) : kGrain;
  logical_for(n, grain, threads, [&](int64_t, int64_t begin, int64_t end) { f(begin, end); });
}

// n elements of one row in one range: whole pairs of vectors, then the rest.
void run_pass(const Pass& pass, char* const* data, int operands, int64_t n, const Number* params, bool half) {
  if (!pass.tail) return pass.loop(data, n, params);
  const int64_t rest = n % ((pass.narrow ? 8 : profile().lanes()) * (half ? 4 : 2));
  if (n > rest) pass.loop(data, n - rest, params);
  if (rest == 0) return;
  char* last[kMaxOperands];
  for (int k = 0; k < operands; ++k) last[k] = data[k] + (n - rest) * int64_t(sizeof(float));
  pass.tail(last, rest, params);
}

enum class Way : uint8_t {
  InPlace,   // used where it lies
  Constant,  // one element, repeated in a block once
  Through,   // gathered, scattered or converted block by block
};

struct Argument {
  char* data;
  DType stored, wanted;  // in memory; in the loop
  Way way;
};

struct Walk {
  Plan& plan;
  Pass pass;
  Argument* arguments;   // the output first
  Number params[kLoopParams];
  bool by_rows = true, all_in_place = true;

  void choose_ways();
  void run();
  void run_range(int64_t begin, int64_t end) const;
  void load(int k, const Cursor& at, int64_t n, char* block) const;
  void store(const Cursor& at, int64_t n, char* block) const;
  template <class F>
  void for_each_piece(int k, Cursor at, int64_t n, F&& f) const;
};

// Along the innermost dimension; 1 where it has one element.
int64_t stride_of(const Plan& plan, int k) { return plan.ndim && plan.sizes[0] != 1 ? plan.strides[k][0] : 1; }

// Dense along the rows, but for one input that may be constant: what PyTorch gives to vectors.
bool takes_vectors(const Plan& plan) {
  int constants = 0;
  for (int k = 0; k < plan.operands; ++k) {
    const int64_t stride = stride_of(plan, k);
    if (stride == 0 && k > 0) ++constants;
    else if (stride != 1) return false;
  }
  return constants <= 1;
}

void Walk::choose_ways() {
  by_rows = plan.ndim <= 1 || plan.sizes[0] >= kShortRow;
  if (pass.tail && takes_vectors(plan)) by_rows = true;
  else if (pass.tail) pass.loop = pass.tail;
  for (int k = 0; k < plan.operands; ++k) {
    Argument& a = arguments[k];
    const bool dense = by_rows ? stride_of(plan, k) == 1 : plan.is_dense(k);
    if (k > 0 && plan.is_constant(k) && plan.numel > 1) a.way = Way::Constant;
    else if (dense && a.stored == a.wanted) a.way = Way::InPlace;
    else a.way = Way::Through;
    all_in_place &= a.way == Way::InPlace;
  }
}

// The parts of the next n elements that lie in one row: f(address, count).
template <class F>
void Walk::for_each_piece(int k, Cursor at, int64_t n, F&& f) const {
  const int64_t width = int64_t(itemsize(arguments[k].stored));
  while (n > 0) {
    const int64_t count = plan.ndim ? std::min(n, plan.sizes[0] - at.index[0]) : 1;
    f(arguments[k].data + at.offset(plan, k) * width, count);
    at.advance(plan, count);
    n -= count;
  }
}

void Walk::load(int k, const Cursor& at, int64_t n, char* block) const {
  const Argument& a = arguments[k];
  const auto& copy = kernels::copy();
  const size_t width = itemsize(a.stored);
  const int64_t stride = stride_of(plan, k);
  alignas(64) char raw[kBlockBytes];
  char* gathered = a.stored == a.wanted ? block : raw;
  if (stride == 1 && by_rows) {
    gathered = a.data + at.offset(plan, k) * int64_t(width);
  } else {
    char* to = gathered;
    for_each_piece(k, at, n, [&](char* from, int64_t count) {
      copy.strided(to, 1, from, stride, count, width);
      to += count * int64_t(width);
    });
  }
  if (a.stored != a.wanted) copy.convert[int(a.stored)][int(a.wanted)](block, gathered, n);
}

void Walk::store(const Cursor& at, int64_t n, char* block) const {
  const Argument& a = arguments[0];
  const auto& copy = kernels::copy();
  const size_t width = itemsize(a.stored);
  const int64_t stride = stride_of(plan, 0);
  alignas(64) char raw[kBlockBytes];
  if (a.stored != a.wanted) {
    const auto convert = copy.convert[int(a.wanted)][int(a.stored)];
    if (stride == 1 && by_rows) return convert(a.data + at.offset(plan, 0) * int64_t(width), block, n);
    convert(raw, block, n);
    block = raw;
  }
  for_each_piece(0, at, n, [&](char* to, int64_t count) {
    copy.strided(to, stride, block, 1, count, width);
    block += count * int64_t(width);
  });
}

void Walk::run_range(int64_t begin, int64_t end) const {
  alignas(64) char blocks[kMaxOperands][kBlockBytes];
  char* data[kMaxOperands];
  const auto& copy = kernels::copy();
  for (int k = 0; k < plan.operands; ++k) {
    data[k] = blocks[k];
    const Argument& a = arguments[k];
    if (a.way != Way::Constant) continue;
    alignas(16) char element[16];
    if (a.stored == a.wanted) std::memcpy(element, a.data, itemsize(a.stored));
    else copy.convert[int(a.stored)][int(a.wanted)](element, a.data, 1);
    copy.fill(blocks[k], element, std::min(kBlock, end - begin), itemsize(a.wanted));
  }
  Cursor cursor(plan, begin);
  for (int64_t i = begin; i < end;) {
    int64_t n = end - i;
    if (by_rows && plan.ndim) n = std::min(n, plan.sizes[0] - cursor.index[0]);
    if (!all_in_place) n = std::min(n, kBlock);
    for (int k = 0; k < plan.operands; ++k) {
      const Argument& a = arguments[k];
      if (a.way == Way::InPlace) data[k] = a.data + cursor.offset(plan, k) * int64_t(itemsize(a.stored));
      else if (a.way == Way::Through && k > 0) load(k, cursor, n, blocks[k]);
    }
    run_pass(pass, data, plan.operands, n, params, is_reduced_float(arguments[0].stored));
    if (arguments[0].way == Way::Through) store(cursor, n, blocks[0]);
    cursor.advance(plan, n);
    i += n;
  }
}

void Walk::run() {
  choose_ways();
  for_each_range(pass, plan.numel, [&](int64_t begin, int64_t end) { run_range(begin, end); });
}

void set_params(Number* numbers, Params params) {
  int i = 0;
  for (const Scalar& s : params) numbers[i++] = {s.to_double(), s.to_int()};
}

// A number in the dtype of the loop.
void write_number(Scalar value, DType dtype, char* element) {
  visit_all("elementwise", dtype, [&]<class T>(Type<T>) {
    const T typed = value.to<T>();
    std::memcpy(element, &typed, sizeof(T));
  });
}

// The tensor whose geometry the result has when all tensors but single elements are contiguous and of one shape.
const Tensor* dense_shape(std::span<const Input> inputs) {
  const Tensor* shape = nullptr;
  for (const Input& in : inputs) {
    if (!in.operand->is_tensor()) continue;
    const Tensor& t = in.operand->tensor();
    if (!t.is_contiguous()) return nullptr;
    if (!shape || t.dim() > shape->dim()) shape = &t;
  }
  if (!shape) return nullptr;
  for (const Input& in : inputs)
    if (in.operand->is_tensor() && in.operand->tensor().dim() != 0 && in.operand->tensor().sizes() != shape->sizes())
      return nullptr;
  return shape;
}

// Nothing to repeat or convert: the loop alone will do.
bool is_direct(std::span<const Input> inputs, const Tensor& shape) {
  for (const Input& in : inputs)
    if (!in.operand->is_tensor() || in.operand->tensor().dtype() != in.dtype ||
        in.operand->tensor().dim() != shape.dim())
      return false;
  return true;
}

void run_direct(const Pass& pass, const Tensor& out, std::span<const Input> inputs, const Number* params) {
  const int64_t n = out.numel();
  char* base[kMaxOperands];
  int64_t width[kMaxOperands];
  int count = 0;
  const auto add = [&](const Tensor& t) {
    base[count] = static_cast<char*>(t.raw());
    width[count++] = int64_t(t.itemsize());
  };
  add(out);
  for (const Input& in : inputs) add(in.operand->tensor());
  if (n <= kGrain && !pass.one_chunk_a_thread) {
    if (n > 0) run_pass(pass, base, count, n, params, false);
    return;
  }
  for_each_range(pass, n, [&](int64_t begin, int64_t end) {
    char* data[kMaxOperands];
    for (int k = 0; k < count; ++k) data[k] = base[k] + begin * width[k];
    run_pass(pass, data, count, end - begin, params, false);
  });
}

void run_planned(Plan& plan, const Pass& pass, DType produced, const Tensor& out, std::span<const Input> inputs,
                 const Number* params) {
  if (plan.numel == 0) return;
  Argument arguments[kMaxOperands];
  alignas(16) char numbers[kMaxOperands][16];
  arguments[0] = {static_cast<char*>(out.raw()), out.dtype(), produced, Way::InPlace};
  for (int k = 1; k < plan.operands; ++k) {
    const auto& [operand, dtype] = inputs[size_t(k - 1)];
    if (operand->is_tensor()) {
      arguments[k] = {static_cast<char*>(operand->tensor().raw()), operand->tensor().dtype(), dtype, Way::InPlace};
    } else {
      write_number(operand->scalar(), dtype, numbers[k]);
      arguments[k] = {numbers[k], dtype, dtype, Way::InPlace};
    }
  }
  for (int k = 0; k < plan.operands; ++k)
    if (is_complex(arguments[k].stored) && arguments[k].stored != arguments[k].wanted)
      not_implemented_for("copy_", arguments[k].stored);
  Walk walk{plan, pass, arguments, {params[0], params[1], params[2], params[3]}};
  walk.run();
}

}  // namespace

Tensor elementwise(Pass pass, DType produced, DType out_dtype, std::span<const Input> inputs, Params given) {
  Number params[kLoopParams];
  set_params(params, given);
  const int operands = int(inputs.size()) + 1;
  const Tensor* shape = dense_shape(inputs);
  Tensor out = shape ? make_output(shape->sizes(), out_dtype) : Tensor();
  if (shape && out.is_contiguous()) {
    if (produced == out_dtype && is_direct(inputs, *shape)) {
      run_direct(pass, out, inputs, params);
      return out;
    }
    Plan plan = Plan::dense(out.numel(), operands);
    for (int k = 1; k < operands; ++k)
      if (const Operand& o = *inputs[size_t(k - 1)].operand; !o.is_tensor() || o.tensor().dim() != shape->dim())
        plan.set_constant(k);
    run_planned(plan, pass, produced, out, inputs, params);
    return out;
  }

  Dims sizes;
  const Tensor* tensors[kMaxOperands] = {};
  for (int k = 1; k < operands; ++k) {
    const Operand& o = *inputs[size_t(k - 1)].operand;
    if (!o.is_tensor()) continue;
    tensors[k] = &o.tensor();
    if (sizes != o.tensor().sizes()) sizes = broadcast_shapes(sizes, o.tensor().sizes());
  }
  Plan plan(sizes, std::span(tensors, size_t(operands)));
  for (int k = 1; k < operands; ++k)
    if (!tensors[k]) plan.set_constant(k);
  if (!shape) out = make_output_strided(sizes, plan.output_strides(), out_dtype);
  plan.set_operand(0, out);
  plan.merge();
  run_planned(plan, pass, produced, out, inputs, params);
  return out;
}

Tensor elementwise(const Loops& loops, std::string_view name, DType dtype,
                   std::initializer_list<const Operand*> operands, Params params) {
  const DType computed = is_reduced_float(dtype) ? DType::Float32 : dtype;
  const Pass pass(loops, computed);
  if (!pass.loop) not_implemented_for(name, dtype);
  // A tensor of another dtype is rounded to half precision first; a number or 0-dim tensor is not.
  const auto rounds = [&](const Operand& o) {
    return is_reduced_float(dtype) && o.is_tensor() && o.tensor().dim() > 0 && o.tensor().dtype() != dtype;
  };
  Input inputs[kMaxOperands];
  Tensor casts[kMaxOperands];
  std::optional<Operand> rounded[kMaxOperands];
  size_t count = 0;
  for (const Operand* operand : operands) {
    if (rounds(*operand)) {
      casts[count] = raw_cast(operand->tensor(), dtype);
      operand = &rounded[count].emplace(casts[count]);
    }
    inputs[count++] = {operand, computed};
  }
  const DType out = loops.to_bool ? DType::Bool : dtype;
  return elementwise(pass, loops.to_bool ? DType::Bool : computed, out, {inputs, count}, params);
}

}  // namespace flambeau::ops
