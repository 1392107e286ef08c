// dtype and Size, and the mapping of exceptions.
#include "bindings/types.h"

#include <new>

#include "bindings/bind.h"

namespace flambeau::bind {

PythonObjects python_objects;
PyTypeObject* size_type = nullptr;

namespace {

struct DTypeObject {
  PyObject_HEAD
  DType dtype;
};
PyTypeObject* dtype_type = nullptr;
PyObject* dtype_objects[kDTypeCount];

PyObject* dtype_repr(PyObject* self) {
  const auto text = str("torch.", name(reinterpret_cast<DTypeObject*>(self)->dtype));
  return PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size()));
}
DType of(PyObject* self) { return reinterpret_cast<DTypeObject*>(self)->dtype; }
PyObject* get_floating(PyObject* self, void*) { return PyBool_FromLong(is_floating(of(self))); }
PyObject* get_complex(PyObject* self, void*) { return PyBool_FromLong(is_complex(of(self))); }
PyObject* get_signed(PyObject* self, void*) {
  return PyBool_FromLong(of(self) != DType::UInt8 && of(self) != DType::Bool);
}
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromSize_t(itemsize(of(self))); }
PyObject* dtype_reduce(PyObject* self, PyObject*) {
  const auto text = name(of(self));
  return PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size()));
}
PyGetSetDef dtype_getset[] = {{"is_floating_point", get_floating, nullptr, nullptr, nullptr},
                              {"is_complex", get_complex, nullptr, nullptr, nullptr},
                              {"is_signed", get_signed, nullptr, nullptr, nullptr},
                              {"itemsize", get_itemsize, nullptr, nullptr, nullptr},
                              {}};
// A dtype is pickled by its name in the flambeau namespace, as torch's is.
PyMethodDef dtype_methods[] = {{"__reduce__", dtype_reduce, METH_NOARGS, nullptr}, {}};
PyType_Slot dtype_slots[] = {{Py_tp_repr, (void*)dtype_repr},
                             {Py_tp_getset, dtype_getset},
                             {Py_tp_methods, dtype_methods},
                             {Py_tp_doc, (void*)"The type of a tensor's elements, such as flambeau.float32."},
                             {0, nullptr}};
PyType_Spec dtype_spec = {"flambeau.dtype", sizeof(DTypeObject), 0, Py_TPFLAGS_DEFAULT, dtype_slots};

// torch.Size: a tuple of ints.
PyObject* size_repr(PyObject* self) {
  std::string text = "torch.Size([";
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    if (i) text += ", ";
    PyObject* item = PyObject_Repr(PyTuple_GET_ITEM(self, i));
    if (!item) return nullptr;
    text += PyUnicode_AsUTF8(item);
    Py_DECREF(item);
  }
  text += "])";
  return PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size()));
}
PyObject* as_size(PyObject* tuple) {
  if (!tuple || !PyTuple_Check(tuple)) return tuple;
  const Py_ssize_t n = PyTuple_GET_SIZE(tuple);
  PyObject* out = size_type->tp_alloc(size_type, n);
  for (Py_ssize_t i = 0; out && i < n; ++i) PyTuple_SET_ITEM(out, i, Py_NewRef(PyTuple_GET_ITEM(tuple, i)));
  Py_DECREF(tuple);
  return out;
}
PyObject* size_new(PyTypeObject*, PyObject* args, PyObject*) {
  PyObject* tuple = PyObject_Call(reinterpret_cast<PyObject*>(&PyTuple_Type), args, nullptr);
  if (!tuple) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject* item = PyTuple_GET_ITEM(tuple, i);
    if (PyLong_Check(item)) continue;
    PyObject* index = PyNumber_Index(item);
    if (!index) {
      PyErr_Format(PyExc_TypeError, "torch.Size() takes an iterable of 'int' (item %zd is '%s')", i,
                   Py_TYPE(item)->tp_name);
      Py_DECREF(tuple);
      return nullptr;
    }
    // The tuple may be shared with the caller: replace the item in a copy only.
    PyObject* copy = PyTuple_GetSlice(tuple, 0, PyTuple_GET_SIZE(tuple));
    Py_DECREF(tuple);
    tuple = copy;
    PyTuple_SetItem(tuple, i, index);
  }
  return as_size(tuple);
}
PyObject* size_numel(PyObject* self, PyObject*) {
  PyObject* product = PyLong_FromLong(1);
  for (Py_ssize_t i = 0; product && i < PyTuple_GET_SIZE(self); ++i)
    Py_SETREF(product, PyNumber_Multiply(product, PyTuple_GET_ITEM(self, i)));
  return product;
}
PyObject* size_reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("(O(N))", size_type, PyTuple_GetSlice(self, 0, PyTuple_GET_SIZE(self)));
}
PyObject* size_concat(PyObject* a, PyObject* b) {
  if (!PyTuple_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  return as_size(PyTuple_Type.tp_as_sequence->sq_concat(a, b));
}
PyObject* size_radd(PyObject* a, PyObject* b) {
  if (!PyTuple_Check(a) || !PyTuple_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  return as_size(PyTuple_Type.tp_as_sequence->sq_concat(a, b));
}
PyObject* size_subscript(PyObject* self, PyObject* key) {
  PyObject* out = PyTuple_Type.tp_as_mapping->mp_subscript(self, key);
  return PySlice_Check(key) ? as_size(out) : out;
}
PyMethodDef size_methods[] = {{"numel", size_numel, METH_NOARGS, "The number of elements of a tensor of this size."},
                              {"__reduce__", size_reduce, METH_NOARGS, nullptr},
                              {}};
PyType_Slot size_slots[] = {{Py_tp_repr, (void*)size_repr},
                            {Py_tp_new, (void*)size_new},
                            {Py_tp_methods, size_methods},
                            {Py_sq_concat, (void*)size_concat},
                            {Py_nb_add, (void*)size_radd},
                            {Py_mp_subscript, (void*)size_subscript},
                            {Py_tp_doc, (void*)"The sizes of a tensor: a tuple of ints."},
                            {0, nullptr}};
PyType_Spec size_spec = {"flambeau.Size", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_TUPLE_SUBCLASS, size_slots};

void raise(PyObject* type, const std::exception& e) {
  if (!PyErr_Occurred()) PyErr_SetString(type, e.what());
}

}  // namespace

PyObject* new_size(IntSpan sizes) {
  PyObject* out = size_type->tp_alloc(size_type, Py_ssize_t(sizes.size()));
  if (!out) return nullptr;
  for (size_t i = 0; i < sizes.size(); ++i) PyTuple_SET_ITEM(out, Py_ssize_t(i), PyLong_FromLongLong(sizes[i]));
  return out;
}

bool is_dtype(PyObject* o) {
  return Py_TYPE(o) == dtype_type || o == (PyObject*)&PyFloat_Type || o == (PyObject*)&PyLong_Type ||
         o == (PyObject*)&PyBool_Type;
}
DType to_dtype(PyObject* o) {
  if (o == (PyObject*)&PyFloat_Type) return DType::Float64;
  if (o == (PyObject*)&PyLong_Type) return DType::Int64;
  if (o == (PyObject*)&PyBool_Type) return DType::Bool;
  FLAMBEAU_CHECK_AS(TypeError, Py_TYPE(o) == dtype_type, "expected a torch.dtype, got ", Py_TYPE(o)->tp_name);
  return of(o);
}
PyObject* wrap(DType dtype) { return Py_NewRef(dtype_objects[int(dtype)]); }

void translate_exception() {
  try {
    throw;
  } catch (const PythonError&) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "unknown error in a Python callback");
  } catch (const IndexError& e) { raise(PyExc_IndexError, e); } catch (const ValueError& e) {
    raise(PyExc_ValueError, e);
  } catch (const TypeError& e) { raise(PyExc_TypeError, e); } catch (const NotImplementedError& e) {
    raise(PyExc_NotImplementedError, e);
  } catch (const std::bad_alloc& e) { raise(PyExc_MemoryError, e); } catch (const std::exception& e) {
    raise(PyExc_RuntimeError, e);
  } catch (...) { PyErr_SetString(PyExc_RuntimeError, "unknown C++ exception"); }
}

void init_types(PyObject* module) {
  dtype_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&dtype_spec));
  PyModule_AddObjectRef(module, "dtype", reinterpret_cast<PyObject*>(dtype_type));
  for (int i = 0; i < kDTypeCount; ++i) {
    auto* object = PyObject_New(DTypeObject, dtype_type);
    object->dtype = DType(i);
    dtype_objects[i] = reinterpret_cast<PyObject*>(object);
    PyModule_AddObjectRef(module, std::string(name(DType(i))).c_str(), dtype_objects[i]);
  }
  PyObject* bases = PyTuple_Pack(1, &PyTuple_Type);
  size_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&size_spec, bases));
  Py_DECREF(bases);
  PyModule_AddObjectRef(module, "Size", reinterpret_cast<PyObject*>(size_type));
}

}  // namespace flambeau::bind
