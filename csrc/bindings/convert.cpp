#include "bindings/bind.h"
#include "bindings/types.h"

namespace flambeau::bind {
namespace {

bool is_numpy_scalar(PyObject* o) {
  const PyTypeObject* type = Py_TYPE(o);
  if (std::string_view(type->tp_name).substr(0, 6) != "numpy." || !type->tp_as_number) return false;
  return !type->tp_as_mapping || std::string_view(type->tp_name) != "numpy.ndarray";
}

bool has_index(PyObject* o) { return PyIndex_Check(o); }

// The value of a one-element tensor.
Scalar read(const Tensor& t) {
  FLAMBEAU_CHECK(t.numel() == 1, "a Tensor with ", t.numel(), " elements cannot be converted to Scalar");
  return visit_all("item", t.dtype(), [&]<class T>(Type<T>) -> Scalar {
    if constexpr (std::is_same_v<T, bool>) return *t.data<bool>();
    else if constexpr (std::is_integral_v<T>) return int64_t(*t.data<T>());
    else return double(*t.data<T>());
  });
}

}  // namespace

Scalar item_of(const Tensor& t) { return read(t); }

bool is_number(PyObject* o) { return PyFloat_Check(o) || PyLong_Check(o) || is_numpy_scalar(o); }

bool is_int(PyObject* o) {
  if (PyLong_Check(o)) return true;
  return is_numpy_scalar(o) && has_index(o);
}

bool is_scalar_tensor(PyObject* o) { return is_tensor(o) && unwrap(o).dim() == 0; }

int64_t to_int64(PyObject* o) {
  if (is_tensor(o)) {
    const Scalar value = read(unwrap(o));
    FLAMBEAU_CHECK_AS(TypeError, !value.is_floating(),
                      "only integer tensors of a single element can be converted to an index");
    return value.to_int();
  }
  PyObject* index = PyNumber_Index(o);
  if (!index) throw PythonError();
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  FLAMBEAU_CHECK(!overflow, "Overflow when unpacking long");
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

double to_double(PyObject* o) {
  if (PyFloat_Check(o)) return PyFloat_AS_DOUBLE(o);
  if (is_tensor(o)) return read(unwrap(o)).to_double();
  const double value = PyFloat_AsDouble(o);
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

Scalar to_scalar(PyObject* o) {
  if (PyFloat_Check(o)) return PyFloat_AS_DOUBLE(o);
  if (PyBool_Check(o)) return o == Py_True;
  if (PyLong_Check(o)) return to_int64(o);
  if (is_tensor(o)) return read(unwrap(o));
  if (std::string_view(Py_TYPE(o)->tp_name).substr(0, 10) == "numpy.bool") {
    const int truth = PyObject_IsTrue(o);
    if (truth < 0) throw PythonError();
    return truth != 0;
  }
  if (has_index(o)) return to_int64(o);
  return to_double(o);
}

bool is_int_list(PyObject* o) {
  if (!PyTuple_Check(o) && !PyList_Check(o)) return false;
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(o, i);
    if (!is_int(item) && !(is_scalar_tensor(item) && is_integral(unwrap(item).dtype()))) return false;
  }
  return true;
}

Dims to_dims(PyObject* o) {
  if (!PyTuple_Check(o) && !PyList_Check(o)) return Dims{to_int64(o)};
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  Dims dims;
  for (Py_ssize_t i = 0; i < n; ++i) dims.push_back(to_int64(PySequence_Fast_GET_ITEM(o, i)));
  return dims;
}

bool is_tensor_list(PyObject* o) {
  if (!PyTuple_Check(o) && !PyList_Check(o)) return false;
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  for (Py_ssize_t i = 0; i < n; ++i)
    if (!is_tensor(PySequence_Fast_GET_ITEM(o, i))) return false;
  return true;
}

TensorList to_tensor_list(PyObject* o) {
  TensorList list;
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  list.reserve(n);
  for (Py_ssize_t i = 0; i < n; ++i) list.push_back(unwrap(PySequence_Fast_GET_ITEM(o, i)));
  return list;
}

void check_device(PyObject* o) {
  if (none(o) || o == python_objects.cpu) return;
  std::string text;
  if (PyUnicode_Check(o)) {
    text = PyUnicode_AsUTF8(o);
  } else if (PyObject* type = PyObject_GetAttrString(o, "type")) {
    if (PyUnicode_Check(type)) text = PyUnicode_AsUTF8(type);
    Py_DECREF(type);
  } else {
    PyErr_Clear();
  }
  const std::string kind = text.substr(0, text.find(':'));
  if (kind == "cpu") return;
  if (kind == "cuda" || PyLong_Check(o)) {
    PyErr_SetString(PyExc_AssertionError, "Torch not compiled with CUDA enabled");
    throw PythonError();
  }
  throw Error(str("flambeau computes on the CPU only: device '", text, "' is not available"));
}

void check_layout(PyObject* o) {
  FLAMBEAU_CHECK(none(o) || o == python_objects.strided,
                 "flambeau has strided tensors only: other layouts are not supported");
}

bool is_memory_format(PyObject* o) {
  return o == python_objects.contiguous_format || o == python_objects.preserve_format ||
         o == python_objects.channels_last || o == python_objects.channels_last_3d;
}

MemoryFormat to_memory_format(PyObject* o) {
  if (o == python_objects.contiguous_format) return MemoryFormat::Contiguous;
  if (o == python_objects.channels_last) return MemoryFormat::ChannelsLast;
  if (o == python_objects.channels_last_3d) return MemoryFormat::ChannelsLast3d;
  return MemoryFormat::Preserve;
}

Options to_options(const OptionValues& values) {
  Options options;
  check_device(values.device);
  check_layout(values.layout);
  if (!none(values.dtype)) options.dtype = to_dtype(values.dtype);
  if (!none(values.memory_format)) {
    FLAMBEAU_CHECK_AS(TypeError, is_memory_format(values.memory_format),
                      "argument 'memory_format' must be torch.memory_format, not ",
                      Py_TYPE(values.memory_format)->tp_name);
    options.memory_format = to_memory_format(values.memory_format);
  }
  if (!none(values.requires_grad)) options.requires_grad = PyObject_IsTrue(values.requires_grad) == 1;
  FLAMBEAU_CHECK(none(values.pin_memory) || PyObject_IsTrue(values.pin_memory) != 1,
                 "Need to provide pin_memory allocator to use pin memory.");
  return options;
}

}  // namespace flambeau::bind
