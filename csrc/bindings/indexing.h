// x[index] and x[index] = value of Python, for the mapping slots of the Tensor type.
#pragma once

#include <Python.h>

namespace flambeau::bind {

PyObject* tensor_getitem(PyObject* self, PyObject* index);  // new reference, or null with an exception set
int tensor_setitem(PyObject* self, PyObject* index, PyObject* value);  // 0, or -1 with an exception set

}  // namespace flambeau::bind
