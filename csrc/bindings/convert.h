// Reading Python objects as C++ arguments: one From<T> a type. check() decides overloads and never raises; get() may.
#pragma once

#include <Python.h>

#include <optional>
#include <string>

#include "ops/memory_format.h"
#include "ops/options.h"
#include "random/generator.h"
#include "tensor/operand.h"

namespace flambeau::bind {

bool is_tensor(PyObject* o);
const Tensor& unwrap(PyObject* o);
bool is_number(PyObject* o);              // bool, int, float, NumPy scalar
bool is_int(PyObject* o);                 // int, NumPy integer, not bool-only: bools count, as in Python
bool is_scalar_tensor(PyObject* o);       // 0-dim (or one-element) tensor that may stand for a number
Scalar to_scalar(PyObject* o);
int64_t to_int64(PyObject* o);
double to_double(PyObject* o);
bool is_dtype(PyObject* o);               // a dtype, or Python's float, int, bool
DType to_dtype(PyObject* o);
bool is_generator(PyObject* o);           // generator.cpp
Ref<Generator> to_generator(PyObject* o);
bool is_int_list(PyObject* o);
Dims to_dims(PyObject* o);
bool is_tensor_list(PyObject* o);
TensorList to_tensor_list(PyObject* o);
void check_device(PyObject* o);           // only the CPU exists here; PyTorch's words otherwise
void check_layout(PyObject* o);
bool is_memory_format(PyObject* o);
MemoryFormat to_memory_format(PyObject* o);

// The keywords behind `**options`, packed by the parser.
struct OptionValues {
  PyObject *dtype = nullptr, *layout = nullptr, *device = nullptr, *pin_memory = nullptr, *requires_grad = nullptr,
           *memory_format = nullptr;
};
Options to_options(const OptionValues& values);

inline bool none(PyObject* o) { return o == nullptr || o == Py_None; }

#define FLAMBEAU_FROM(T, HELD, NAME, CHECK, GET)     \
  template <>                                        \
  struct From<T> {                                   \
    using Held = HELD;                               \
    static constexpr const char* name = NAME;        \
    static bool check(PyObject* o) { return CHECK; } \
    static HELD get(PyObject* o) { return GET; }     \
  };

FLAMBEAU_FROM(Tensor, const Tensor&, "Tensor", is_tensor(o), unwrap(o))
FLAMBEAU_FROM(OptTensor, OptTensor, "Tensor", none(o) || is_tensor(o), none(o) ? OptTensor() : OptTensor(unwrap(o)))
FLAMBEAU_FROM(TensorList, TensorList, "tuple of Tensors", is_tensor_list(o), to_tensor_list(o))
FLAMBEAU_FROM(Operand, Operand, "Tensor", is_tensor(o) || is_number(o),
              is_tensor(o) ? Operand(unwrap(o)) : Operand(to_scalar(o)))
FLAMBEAU_FROM(Scalar, Scalar, "Number", is_number(o) || is_scalar_tensor(o), to_scalar(o))
FLAMBEAU_FROM(std::optional<Scalar>, std::optional<Scalar>, "Number", none(o) || is_number(o) || is_scalar_tensor(o),
              none(o) ? std::optional<Scalar>() : to_scalar(o))
FLAMBEAU_FROM(int64_t, int64_t, "int", is_int(o) || is_scalar_tensor(o), to_int64(o))
FLAMBEAU_FROM(std::optional<int64_t>, std::optional<int64_t>, "int", none(o) || is_int(o) || is_scalar_tensor(o),
              none(o) ? std::optional<int64_t>() : to_int64(o))
FLAMBEAU_FROM(double, double, "float", is_number(o) || is_scalar_tensor(o), to_double(o))
FLAMBEAU_FROM(std::optional<double>, std::optional<double>, "float", none(o) || is_number(o) || is_scalar_tensor(o),
              none(o) ? std::optional<double>() : to_double(o))
FLAMBEAU_FROM(bool, bool, "bool", PyBool_Check(o), o == Py_True)
FLAMBEAU_FROM(std::optional<bool>, std::optional<bool>, "bool", none(o) || PyBool_Check(o),
              none(o) ? std::optional<bool>() : o == Py_True)
FLAMBEAU_FROM(Dims, Dims, "tuple of ints", is_int_list(o) || is_int(o), to_dims(o))
FLAMBEAU_FROM(std::optional<Dims>, std::optional<Dims>, "tuple of ints", none(o) || is_int_list(o) || is_int(o),
              none(o) ? std::optional<Dims>() : to_dims(o))
FLAMBEAU_FROM(DType, DType, "torch.dtype", is_dtype(o), to_dtype(o))
FLAMBEAU_FROM(std::optional<DType>, std::optional<DType>, "torch.dtype", none(o) || is_dtype(o),
              none(o) ? std::optional<DType>() : to_dtype(o))
FLAMBEAU_FROM(std::string, std::string, "str", PyUnicode_Check(o), std::string(PyUnicode_AsUTF8(o)))
FLAMBEAU_FROM(std::optional<std::string>, std::optional<std::string>, "str", none(o) || PyUnicode_Check(o),
              none(o) ? std::optional<std::string>() : std::string(PyUnicode_AsUTF8(o)))
FLAMBEAU_FROM(Ref<Generator>, Ref<Generator>, "torch.Generator", none(o) || is_generator(o),
              none(o) ? Ref<Generator>() : to_generator(o))
FLAMBEAU_FROM(MemoryFormat, MemoryFormat, "torch.memory_format", none(o) || is_memory_format(o), to_memory_format(o))
FLAMBEAU_FROM(Options, Options, "options", true, to_options(*reinterpret_cast<const OptionValues*>(o)))
#undef FLAMBEAU_FROM

template <>
struct From<std::optional<std::vector<double>>> {
  using Held = std::optional<std::vector<double>>;
  static constexpr const char* name = "tuple of floats";
  static bool check(PyObject* o) { return none(o) || PyList_Check(o) || PyTuple_Check(o); }
  static Held get(PyObject* o) {
    if (none(o)) return {};
    std::vector<double> out;
    const Py_ssize_t n = PySequence_Size(o);
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = PySequence_GetItem(o, i);
      out.push_back(to_double(item));
      Py_DECREF(item);
    }
    return out;
  }
};
// A list with holes, as the indices of index_put: None stands for a full slice.
template <>
struct From<std::vector<OptTensor>> {
  using Held = std::vector<OptTensor>;
  static constexpr const char* name = "tuple of Tensors";
  static bool check(PyObject* o) {
    if (!PyList_Check(o) && !PyTuple_Check(o)) return false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(o, i);
      if (!none(item) && !is_tensor(item)) return false;
    }
    return true;
  }
  static Held get(PyObject* o) {
    Held out;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(o, i);
      out.push_back(none(item) ? OptTensor() : OptTensor(unwrap(item)));
    }
    return out;
  }
};
inline int64_t work_of(const std::vector<OptTensor>& list) {
  int64_t sum = 0;
  for (const auto& t : list) sum += t ? t->numel() : 0;
  return sum;
}

}  // namespace flambeau::bind
