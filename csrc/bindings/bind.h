// One line an operator: def<&ops::add>("add(self, other, *, alpha=1)", kFunction | kMethod | kInplace | kOut).
// The C++ signature gives the types, the text the names and defaults; from both come the parser, PyTorch's error
// messages, overload resolution, the in-place and out= forms, and the type stubs.
//
// C++ parameter            Python argument
// const Tensor&            Tensor
// const OptTensor&         Tensor or None
// const TensorList&        list or tuple of Tensors
// const Operand&           Tensor or number
// Scalar, optional<Scalar> number (a 0-dim Tensor is read)
// int64_t, double, bool and std::optional of them
// const Dims&              list or tuple of ints, or one int; varargs where PyTorch allows them
// const std::optional<Dims>&
// DType, std::optional<DType>
// const std::string&, std::optional<std::string>
// const Ref<Generator>&    Generator or None (null)
// const Options&           write `**options`: dtype=None, layout=None, device=None, pin_memory=False,
// requires_grad=False std::optional<std::vector<double>>
//
// Results: Tensor, std::tuple of Tensors (write " -> values, indices" for a named one), TensorList (a tuple), Dims
// (torch.Size), bool, int64_t, double, Scalar, DType, void (None).
// `kwargs only` starts at "*" as in Python. Several defs of one name are overloads, tried in order.
#pragma once

#include <Python.h>

#include <string>
#include <tuple>
#include <vector>

#include "ops/options.h"
#include "random/generator.h"
#include "tensor/operand.h"

namespace flambeau::bind {

enum Form : unsigned {
  kFunction = 1,   // flambeau.name
  kMethod = 2,     // Tensor.name
  kInplace = 4,    // Tensor.name_ and flambeau.name_
  kOut = 8,        // out=
  kDirect = 16,    // one elementwise pass: in-place and out= may write as they go (ops/destination.h)
  kNN = 32,        // flambeau._C._nn.name instead of flambeau.name
  kLinalg = 64,    // flambeau._C._linalg.name
  kSpecial = 128,  // flambeau._C._special.name
};
inline constexpr unsigned kPlain = kFunction | kMethod;
inline constexpr unsigned kAll = kFunction | kMethod | kInplace | kOut;

// How one C++ type is read from a Python object: check() must not raise or have effects.
template <class T>
struct From;

PyObject* wrap(const Tensor& t);  // new reference; None when undefined
PyObject* wrap(Tensor&& t);
PyObject* wrap(const TensorList& list);
PyObject* wrap(const Dims& dims);
PyObject* wrap(bool value);
PyObject* wrap(int64_t value);
PyObject* wrap(double value);
PyObject* wrap(Scalar value);
PyObject* wrap(DType dtype);
inline PyObject* wrap(const OptTensor& t) { return wrap(deref(t)); }
template <class... Ts>
PyObject* wrap(const std::tuple<Ts...>& values) {
  PyObject* out = PyTuple_New(sizeof...(Ts));
  if (!out) return nullptr;
  std::apply(
      [&](const auto&... value) {
        Py_ssize_t i = 0;
        (PyTuple_SET_ITEM(out, i++, wrap(value)), ...);
      },
      values);
  return out;
}

bool is_tensor(PyObject* o);
const Tensor& unwrap(PyObject* o);  // of something is_tensor() says yes to

using Values = PyObject* const*;
struct TypeInfo {
  bool (*check)(PyObject*);
  const char* name;       // as PyTorch's messages say: Tensor, int, tuple of ints ...
  bool int_list = false;
};
struct Implementation {
  Tensor (*tensor)(Values) = nullptr;  // where the result is one Tensor
  PyObject* (*object)(Values) = nullptr;
  std::vector<TypeInfo> types;
  const char* result = "";             // for the stubs
};
void define(const char* signature, unsigned forms, Implementation implementation);

std::vector<std::string> operator_names();  // in order of definition
// Strict mode: calls of these raise, naming the profile; no names, no strict mode.
void refuse_operators(const std::vector<std::string>& names, const std::string& profile);

template <class T>
using Bare = std::remove_cvref_t<T>;

// Large work runs without the interpreter lock.
class Unlocked {
 public:
  explicit Unlocked(bool yes) : state_(yes ? PyEval_SaveThread() : nullptr) {}
  ~Unlocked() {
    if (state_) PyEval_RestoreThread(state_);
  }

 private:
  PyThreadState* state_;
};
inline int64_t work_of(const Tensor& t) { return t.defined() ? t.numel() : 0; }
inline int64_t work_of(const OptTensor& t) { return t ? work_of(*t) : 0; }
inline int64_t work_of(const Operand& o) { return o.is_tensor() ? work_of(o.tensor()) : 0; }
inline int64_t work_of(const TensorList& list) {
  int64_t sum = 0;
  for (const auto& t : list) sum += work_of(t);
  return sum;
}
inline int64_t work_of(const Dims& d) {
  int64_t product = 1;
  for (const int64_t n : d)
    if (n < 0 || __builtin_mul_overflow(product, n, &product)) return 0;
  return product;
}
template <class T>
int64_t work_of(const T&) {
  return 0;
}
inline constexpr int64_t kUnlockWork = 8192;

template <auto F, class R, class... Args>
struct Thunk {
  template <size_t... I>
  static R run(Values values, std::index_sequence<I...>) {
    std::tuple<typename From<Bare<Args>>::Held...> held(From<Bare<Args>>::get(values[I])...);
    const int64_t work = (work_of(std::get<I>(held)) + ... + 0);
    Unlocked unlocked(work > kUnlockWork);
    return F(std::get<I>(held)...);
  }
  static Tensor tensor(Values values) {
    if constexpr (std::is_same_v<R, Tensor>) return run(values, std::index_sequence_for<Args...>{});
    return {};
  }
  static PyObject* object(Values values) {
    if constexpr (std::is_void_v<R>) {
      run(values, std::index_sequence_for<Args...>{});
      Py_RETURN_NONE;
    } else if constexpr (!std::is_same_v<R, Tensor>) {
      return wrap(run(values, std::index_sequence_for<Args...>{}));
    }
    return nullptr;
  }
};

template <class R>
constexpr const char* result_name() {
  if constexpr (std::is_void_v<R>) return "None";
  else if constexpr (std::is_same_v<R, Tensor>) return "Tensor";
  else if constexpr (std::is_same_v<R, bool>) return "bool";
  else if constexpr (std::is_same_v<R, int64_t>) return "int";
  else if constexpr (std::is_same_v<R, double>) return "float";
  else if constexpr (std::is_same_v<R, DType>) return "dtype";
  else if constexpr (std::is_same_v<R, Dims>) return "Size";
  else if constexpr (std::is_same_v<R, Scalar>) return "Number";
  else return "tuple[Tensor, ...]";
}

template <auto F, class R, class... Args>
Implementation implementation_of(R (*)(Args...)) {
  using T = Thunk<F, R, Args...>;
  return {std::is_same_v<R, Tensor> ? &T::tensor : nullptr,
          std::is_same_v<R, Tensor> ? nullptr : &T::object,
          {TypeInfo{&From<Bare<Args>>::check, From<Bare<Args>>::name, std::is_same_v<Bare<Args>, Dims>}...},
          result_name<R>()};
}

template <auto F>
void def(const char* signature, unsigned forms) {
  define(signature, forms, implementation_of<F>(F));
}

}  // namespace flambeau::bind

#include "bindings/convert.h"
