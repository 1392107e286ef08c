// The Python types of the core: dtype, Size, TensorBase; and the Python objects the package registers with it.
#pragma once

#include <Python.h>

#include "tensor/tensor.h"

namespace flambeau::bind {

struct TensorObject {
  PyObject_HEAD
  TensorImpl* impl;  // one count is ours
};

// Set by flambeau/__init__.py while it imports (_C._register): classes and constants made in Python.
struct PythonObjects {
  PyTypeObject* tensor_class = nullptr;   // flambeau.Tensor
  PyObject *cpu = nullptr, *strided = nullptr, *contiguous_format = nullptr, *preserve_format = nullptr,
           *channels_last = nullptr, *channels_last_3d = nullptr;
  PyObject* from_array = nullptr;         // NumPy array -> Tensor
};
extern PythonObjects python_objects;

extern PyTypeObject* tensor_base_type;
extern PyTypeObject* size_type;
extern PyTypeObject* op_type;

PyObject* new_size(IntSpan sizes);
PyObject* new_tensor_object(PyTypeObject* type, Tensor t);  // t must have no object yet
Scalar item_of(const Tensor& t);

// Sets the Python exception for the C++ exception in flight.
void translate_exception();
// Runs f, turning exceptions into a Python error and a null result.
template <class F>
auto guarded(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    translate_exception();
    if constexpr (std::is_pointer_v<decltype(f())>) return nullptr;
    else return -1;
  }
}

void init_types(PyObject* module);
void init_tensor(PyObject* module);
void init_tensor_data(PyObject* module);
void init_autograd(PyObject* module);
void init_generator(PyObject* module);     // generator.cpp
void init_ops(PyObject* module);          // after every family's bind_*: puts the operators where they belong
extern PyGetSetDef tensor_getset[];
extern PyMethodDef tensor_methods[];
extern PyType_Slot tensor_number_slots[];
extern const int tensor_number_slot_count;
PyObject* call_operator(const char* name, PyObject* const* args, size_t count);  // by name; for slots
int traverse_autograd(const Tensor& t, visitproc visit, void* arg);
void clear_autograd(const Tensor& t);

}  // namespace flambeau::bind
