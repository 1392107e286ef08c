// Methods of a tensor that are no operators, and what moves values between Python objects and tensors.
#include <cstring>

#include "autograd/node.h"
#include "bindings/bind.h"
#include "bindings/types.h"
#include "kernels/isa.h"
#include "ops/copy.h"
#include "ops/views.h"

namespace flambeau::bind {
namespace {

PyObject* value_at(const char* at, DType dtype) {
  return visit_all("tolist", dtype, [&]<class T>(Type<T>) -> PyObject* {
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_same_v<T, bool>) return PyBool_FromLong(value);
    else if constexpr (std::is_integral_v<T>) return PyLong_FromLongLong(value);
    else return PyFloat_FromDouble(double(value));
  });
}

PyObject* nested_list(const Tensor& t, int64_t dim, const char* at) {
  if (dim == t.dim()) return value_at(at, t.dtype());
  const int64_t n = t.sizes()[dim], step = t.strides()[dim] * int64_t(t.itemsize());
  PyObject* list = PyList_New(n);
  for (int64_t i = 0; list && i < n; ++i) {
    PyObject* item = nested_list(t, dim + 1, at + i * step);
    if (!item) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SET_ITEM(list, i, item);
  }
  return list;
}

// ---- methods --------------------------------------------------------------------------------------------------------

PyObject* item(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(item_of(unwrap(self))); });
}
PyObject* tolist(PyObject* self, PyObject*) {
  return guarded([&] { return nested_list(unwrap(self), 0, static_cast<const char*>(unwrap(self).raw())); });
}
PyObject* dim(PyObject* self, PyObject*) { return PyLong_FromLongLong(unwrap(self).dim()); }
PyObject* numel(PyObject* self, PyObject*) { return PyLong_FromLongLong(unwrap(self).numel()); }
PyObject* element_size(PyObject* self, PyObject*) { return PyLong_FromSize_t(unwrap(self).itemsize()); }
PyObject* data_ptr(PyObject* self, PyObject*) {
  const Tensor& t = unwrap(self);
  return PyLong_FromVoidPtr(t.numel() ? t.raw() : nullptr);
}
PyObject* storage_offset(PyObject* self, PyObject*) { return PyLong_FromLongLong(unwrap(self).storage_offset()); }
PyObject* size_or_stride(PyObject* args, PyObject* keywords, const Dims& values, bool is_size, int64_t ndim) {
  PyObject* which = nullptr;
  static const char* names[] = {"dim", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O", const_cast<char**>(names), &which)) return nullptr;
  return guarded([&]() -> PyObject* {
    if (!none(which)) return PyLong_FromLongLong(values[wrap_dim(to_int64(which), ndim, false)]);
    if (is_size) return new_size(values);
    PyObject* out = PyTuple_New(Py_ssize_t(values.size()));
    for (size_t i = 0; out && i < values.size(); ++i)
      PyTuple_SET_ITEM(out, Py_ssize_t(i), PyLong_FromLongLong(values[i]));
    return out;
  });
}
PyObject* size(PyObject* self, PyObject* args, PyObject* keywords) {
  return size_or_stride(args, keywords, unwrap(self).sizes(), true, unwrap(self).dim());
}
PyObject* stride(PyObject* self, PyObject* args, PyObject* keywords) {
  return size_or_stride(args, keywords, unwrap(self).strides(), false, unwrap(self).dim());
}
PyObject* requires_grad_(PyObject* self, PyObject* args, PyObject* keywords) {
  int value = 1;
  static const char* names[] = {"requires_grad", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|p", const_cast<char**>(names), &value)) return nullptr;
  return guarded([&] {
    unwrap(self).set_requires_grad(value != 0);
    return Py_NewRef(self);
  });
}
PyObject* is_floating_point(PyObject* self, PyObject*) { return PyBool_FromLong(unwrap(self).is_floating()); }
PyObject* is_complex_(PyObject* self, PyObject*) { return PyBool_FromLong(is_complex(unwrap(self).dtype())); }
PyObject* is_inference(PyObject* self, PyObject*) { return PyBool_FromLong(unwrap(self).impl()->inference_); }
PyObject* is_set_to(PyObject* self, PyObject* other) {
  return guarded([&] { return PyBool_FromLong(same_memory(unwrap(self), unwrap(other))); });
}

// ---- storage --------------------------------------------------------------------------------------------------------

struct StorageObject {
  PyObject_HEAD
  Storage* storage;
};
PyTypeObject* storage_type = nullptr;

PyObject* wrap_storage(const Ref<Storage>& storage) {
  auto* object = PyObject_New(StorageObject, storage_type);
  object->storage = storage.get();
  storage->retain();
  return reinterpret_cast<PyObject*>(object);
}
Storage& storage_of(PyObject* o) {
  FLAMBEAU_CHECK_AS(TypeError, Py_TYPE(o) == storage_type, "expected an UntypedStorage, not ", Py_TYPE(o)->tp_name);
  return *reinterpret_cast<StorageObject*>(o)->storage;
}
void storage_dealloc(PyObject* self) {
  reinterpret_cast<StorageObject*>(self)->storage->release();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject* storage_new(PyTypeObject*, PyObject* args, PyObject*) {
  Py_ssize_t bytes = 0;
  if (!PyArg_ParseTuple(args, "|n", &bytes)) return nullptr;
  return guarded([&] {
    FLAMBEAU_CHECK(bytes >= 0, "storage size must be non-negative, got ", bytes);
    return wrap_storage(make_ref<Storage>(size_t(bytes)));
  });
}
PyObject* storage_nbytes(PyObject* self, PyObject*) { return PyLong_FromSize_t(storage_of(self).nbytes()); }
PyObject* storage_data_ptr(PyObject* self, PyObject*) { return PyLong_FromVoidPtr(storage_of(self).data()); }
PyObject* storage_resize(PyObject* self, PyObject* arg) {
  return guarded([&] {
    const int64_t bytes = to_int64(arg);
    FLAMBEAU_CHECK(bytes >= 0, "storage size must be non-negative, got ", bytes);
    storage_of(self).resize(size_t(bytes));
    return Py_NewRef(self);
  });
}
Py_ssize_t storage_length(PyObject* self) { return Py_ssize_t(storage_of(self).nbytes()); }
int storage_buffer(PyObject* self, Py_buffer* view, int flags) {
  Storage& storage = storage_of(self);
  if (PyBuffer_FillInfo(view, self, storage.data(), Py_ssize_t(storage.nbytes()), 0, flags) != 0) return -1;
  storage.pin();
  return 0;
}
void storage_release_buffer(PyObject* self, Py_buffer*) { storage_of(self).unpin(); }
PyObject* storage_from_buffer(PyObject*, PyObject* o);
// storage[i] is a byte, storage[i:j] a storage over the same memory.
PyObject* storage_item(PyObject* self, PyObject* key) {
  PyObject* bytes = PyMemoryView_FromObject(self);
  if (!bytes) return nullptr;
  PyObject* item = PyObject_GetItem(bytes, key);
  Py_DECREF(bytes);
  if (!item || !PySlice_Check(key)) return item;
  PyObject* part = storage_from_buffer(nullptr, item);
  Py_DECREF(item);
  return part;
}
PyObject* storage_iter(PyObject* self) {
  PyObject* bytes = PyMemoryView_FromObject(self);
  if (!bytes) return nullptr;
  PyObject* iterator = PyObject_GetIter(bytes);
  Py_DECREF(bytes);
  return iterator;
}
PyObject* storage_itself(PyObject* self, PyObject*) { return Py_NewRef(self); }
PyObject* storage_device(PyObject*, void*) { return Py_NewRef(python_objects.cpu); }
PyObject* storage_from_file(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject* module = PyImport_ImportModule("flambeau.storage");
  if (!module) return nullptr;
  PyObject* function = PyObject_GetAttrString(module, "_from_file");
  Py_DECREF(module);
  if (!function) return nullptr;
  PyObject* storage = PyObject_Call(function, args, keywords);
  Py_DECREF(function);
  return storage;
}
PyObject* storage_compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(b) != storage_type || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((&storage_of(a) == &storage_of(b)) == (op == Py_EQ));
}
Py_hash_t storage_hash(PyObject* self) { return Py_hash_t(reinterpret_cast<uintptr_t>(&storage_of(self)) >> 4); }
PyMethodDef storage_methods[] = {
    {"nbytes", storage_nbytes, METH_NOARGS, "Size in bytes."},
    {"size", storage_nbytes, METH_NOARGS, "Size in bytes."},
    {"data_ptr", storage_data_ptr, METH_NOARGS, "Address of the first byte."},
    {"resize_", storage_resize, METH_O, "Changes the size in bytes, keeping the contents."},
    {"untyped", storage_itself, METH_NOARGS, "Itself."},
    {"cpu", storage_itself, METH_NOARGS, "Itself."},
    {"from_file", (PyCFunction)(void (*)())storage_from_file, METH_VARARGS | METH_KEYWORDS | METH_STATIC,
     "A storage over a file, mapped into memory."},
    {}};
PyGetSetDef storage_getset[] = {{"device", storage_device, nullptr, nullptr, nullptr}, {}};
PyType_Slot storage_slots[] = {{Py_tp_dealloc, (void*)storage_dealloc},
                               {Py_tp_new, (void*)storage_new},
                               {Py_tp_methods, storage_methods},
                               {Py_sq_length, (void*)storage_length},
                               {Py_mp_subscript, (void*)storage_item},
                               {Py_tp_iter, (void*)storage_iter},
                               {Py_tp_getset, storage_getset},
                               {Py_bf_releasebuffer, (void*)storage_release_buffer},
                               {Py_bf_getbuffer, (void*)storage_buffer},
                               {Py_tp_richcompare, (void*)storage_compare},
                               {Py_tp_hash, (void*)storage_hash},
                               {Py_tp_doc, (void*)"The bytes under one or more tensors; a writable buffer."},
                               {0, nullptr}};
PyType_Spec storage_spec = {"flambeau.UntypedStorage", sizeof(StorageObject), 0, Py_TPFLAGS_DEFAULT, storage_slots};

PyObject* untyped_storage(PyObject* self, PyObject*) { return wrap_storage(unwrap(self).storage()); }

PyObject* storage_view(PyObject*, PyObject* o) { return PyMemoryView_FromObject(o); }

PyObject* tensor_from_storage(PyObject*, PyObject* args) {
  PyObject *storage, *dtype, *sizes, *strides, *offset;
  if (!PyArg_ParseTuple(args, "OOOOO:_tensor_from_storage", &storage, &dtype, &sizes, &strides, &offset))
    return nullptr;
  return guarded([&] {
    FLAMBEAU_CHECK_AS(TypeError, is_int_list(sizes) && is_int_list(strides), "size and stride must be tuples of ints");
    return wrap(from_storage(Ref<Storage>(&storage_of(storage)), to_dtype(dtype), to_dims(sizes), to_dims(strides),
                             to_int64(offset)));
  });
}

// Keeps a Python object alive for as long as foreign memory is in use.
std::function<void()> keeper(PyObject* owner) {
  Py_INCREF(owner);
  return [owner] {
    if (!Py_IsInitialized()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(owner);
    PyGILState_Release(state);
  };
}

PyObject* storage_from_buffer(PyObject*, PyObject* o) {
  auto* view = new Py_buffer;
  // Read-only buffers are taken, too: whoever writes to them asks for trouble, as with torch.frombuffer.
  if (PyObject_GetBuffer(o, view, PyBUF_SIMPLE) != 0) {
    delete view;
    return nullptr;
  }
  return wrap_storage(make_ref<Storage>(view->buf, size_t(view->len), [view] {
    if (Py_IsInitialized()) {
      const PyGILState_STATE state = PyGILState_Ensure();
      PyBuffer_Release(view);
      PyGILState_Release(state);
    }
    delete view;
  }));
}

// _storage_from_address(address, nbytes, owner): memory somebody else owns.
PyObject* storage_from_address(PyObject*, PyObject* args) {
  unsigned long long address;
  Py_ssize_t bytes;
  PyObject* owner;
  if (!PyArg_ParseTuple(args, "KnO:_storage_from_address", &address, &bytes, &owner)) return nullptr;
  return guarded([&] {
    FLAMBEAU_CHECK(bytes >= 0, "negative size");
    return wrap_storage(make_ref<Storage>(reinterpret_cast<void*>(address), size_t(bytes), keeper(owner)));
  });
}

// ---- values from Python ---------------------------------------------------------------------------------------------

bool is_sequence(PyObject* o) {
  return PyList_Check(o) || PyTuple_Check(o) ||
         (PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o) && !is_tensor(o));
}
bool has_array_interface(PyObject* o) {
  static PyObject* name = PyUnicode_InternFromString("__array_interface__");
  if (PyList_Check(o) || PyTuple_Check(o) || PyLong_Check(o) || (PyFloat_Check(o) && Py_TYPE(o) == &PyFloat_Type))
    return false;
  return PyObject_HasAttr(o, name) == 1;
}
// A tensor for an array-like (not a NumPy scalar).
Tensor from_array(PyObject* o) {
  PyObject* made = PyObject_CallFunctionObjArgs(python_objects.from_array, o, nullptr);
  if (!made) throw PythonError();
  const Tensor t = unwrap(made);
  Py_DECREF(made);
  return t;
}

// The nested structure: sizes along the first elements, and the dtype all leaves promote to.
class Reader {
 public:
  Dims sizes;
  std::optional<DType> dtype;

  void infer(PyObject* data) {
    measure(data);
    infer_dtype(data, 0);
  }
  void fill(PyObject* data, const Tensor& out) { fill(data, out, 0, static_cast<char*>(out.raw())); }

 private:
  void measure(PyObject* data) {
    PyObject* level = Py_NewRef(data);
    while (is_sequence(level) && !is_number(level)) {
      const Py_ssize_t n = PySequence_Size(level);
      if (n < 0) {
        Py_DECREF(level);
        throw PythonError();
      }
      sizes.push_back(n);
      FLAMBEAU_CHECK_AS(ValueError, sizes.size() <= size_t(kMaxDim), "too many dimensions '", Py_TYPE(level)->tp_name,
                        "'");
      if (n == 0) break;
      Py_SETREF(level, PySequence_GetItem(level, 0));
      if (!level) throw PythonError();
    }
    if (is_tensor(level))
      for (const int64_t n : unwrap(level).sizes()) sizes.push_back(n);
    Py_DECREF(level);
  }
  void raise_to(DType d) { dtype = dtype ? promote(*dtype, d) : d; }
  void infer_dtype(PyObject* o, size_t dim) {
    if (is_number(o) && has_array_interface(o))
      return raise_to(from_array(o).dtype());  // a NumPy scalar keeps its type
    if (PyFloat_Check(o)) return raise_to(default_dtype());
    if (PyBool_Check(o)) return raise_to(DType::Bool);
    if (PyLong_Check(o)) return raise_to(DType::Int64);
    if (is_tensor(o)) return raise_to(unwrap(o).dtype());
    if (is_number(o)) return raise_to(is_int(o) ? DType::Int64 : to_scalar(o).natural_dtype());
    FLAMBEAU_CHECK_AS(TypeError, !PyUnicode_Check(o) && !PyBytes_Check(o), "new(): invalid data type 'str'");
    if (!is_sequence(o)) fail(o);
    each(o, [&](PyObject* item) { infer_dtype(item, dim + 1); });
  }
  template <class F>
  void each(PyObject* o, F&& f) {
    PyObject* fast = PySequence_Fast(o, "not a sequence");
    if (!fast) throw PythonError();
    struct Release {
      PyObject* o;
      ~Release() { Py_DECREF(o); }
    } release{fast};
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast); ++i) f(PySequence_Fast_GET_ITEM(fast, i));
  }
  [[noreturn]] void fail(PyObject* o) {
    throw TypeError(str("not a sequence or number: could not infer dtype of ", Py_TYPE(o)->tp_name));
  }
  void fill(PyObject* o, const Tensor& out, size_t dim, char* at) {
    if (dim == sizes.size()) {
      if (is_tensor(o)) {
        FLAMBEAU_CHECK_AS(ValueError, unwrap(o).numel() == 1,
                          "only one element tensors can be converted to Python scalars");
      } else if (!is_number(o)) {
        if (is_sequence(o)) throw TypeError(str("must be real number, not ", Py_TYPE(o)->tp_name));
        fail(o);
      }
      const Scalar value = to_scalar(o);
      visit_all("tensor", out.dtype(), [&]<class T>(Type<T>) {
        const T converted = value.to<T>();
        std::memcpy(at, &converted, sizeof converted);
      });
      return;
    }
    if (is_tensor(o)) {
      const Tensor& t = unwrap(o);
      Dims rest(IntSpan(sizes.data() + dim, sizes.size() - dim));
      FLAMBEAU_CHECK_AS(ValueError, t.sizes() == rest, "expected sequence of length ", sizes[dim], " at dim ", dim,
                        " (got ", t.dim() ? t.sizes()[0] : 0, ")");
      const Tensor window = from_storage(out.storage(), out.dtype(), rest, contiguous_strides(rest),
                                         (at - static_cast<char*>(out.raw())) / int64_t(out.itemsize()));
      ops::raw_copy(window, t);
      return;
    }
    FLAMBEAU_CHECK_AS(TypeError, is_sequence(o), "not a sequence");
    const Py_ssize_t n = PySequence_Size(o);
    FLAMBEAU_CHECK_AS(ValueError, n == sizes[dim], "expected sequence of length ", sizes[dim], " at dim ", dim,
                      " (got ", n, ")");
    const int64_t step = out.strides()[dim] * int64_t(out.itemsize());
    each(o, [&](PyObject* item) {
      fill(item, out, dim + 1, at);
      at += step;
    });
  }
};

// _tensor_from_data(data, dtype or None): numbers, nested sequences, tensors, arrays; always a copy.
PyObject* tensor_from_data(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return guarded([&] {
    FLAMBEAU_CHECK_AS(TypeError, count == 2, "_tensor_from_data() takes 2 arguments");
    PyObject* data = args[0];
    std::optional<DType> dtype;
    if (!none(args[1])) dtype = to_dtype(args[1]);
    if (is_tensor(data) || (has_array_interface(data) && !is_number(data))) {
      const Tensor source = is_tensor(data) ? unwrap(data) : from_array(data);
      Tensor out = empty_like(source, dtype.value_or(source.dtype()));
      ops::raw_copy(out, source);
      return wrap(out);
    }
    if (is_number(data) && has_array_interface(data) && !dtype) {
      const Tensor source = from_array(data);  // a NumPy scalar keeps its type
      Tensor out = empty({}, source.dtype());
      ops::raw_copy(out, source);
      return wrap(out);
    }
    // Lists of arrays: as NumPy would stack them.
    if (is_sequence(data) && PySequence_Size(data) > 0) {
      PyObject* first = PySequence_GetItem(data, 0);
      const bool arrays = first && !is_tensor(first) && !is_number(first) && has_array_interface(first);
      Py_XDECREF(first);
      PyErr_Clear();
      if (arrays) {
        const Tensor source = from_array(data);
        Tensor out = empty(source.sizes(), dtype.value_or(source.dtype()));
        ops::raw_copy(out, source);
        return wrap(out);
      }
    }
    Reader reader;
    reader.infer(data);
    const Tensor out = empty(reader.sizes, dtype ? *dtype : reader.dtype.value_or(default_dtype()));
    if (out.numel()) reader.fill(data, out);
    return wrap(out);
  });
}

// _make_subclass(cls, data, requires_grad=False): a new tensor of that class over the same memory.
PyObject* make_subclass(PyObject*, PyObject* args, PyObject* keywords) {
  PyObject *cls, *data;
  int requires_grad = 0;
  static const char* names[] = {"cls", "data", "require_grad", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|p:_make_subclass", const_cast<char**>(names), &cls, &data,
                                   &requires_grad))
    return nullptr;
  return guarded([&] {
    FLAMBEAU_CHECK_AS(TypeError,
                      PyType_Check(cls) && PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(cls), tensor_base_type),
                      "cls must be a subclass of Tensor");
    FLAMBEAU_CHECK_AS(TypeError, is_tensor(data), "data must be a Tensor, not ", Py_TYPE(data)->tp_name);
    const Tensor t = alias(unwrap(data));
    if (requires_grad) t.set_requires_grad(true);
    return new_tensor_object(reinterpret_cast<PyTypeObject*>(cls), t);
  });
}

PyObject* register_objects(PyObject*, PyObject* args) {
  PyObject *tensor_class, *cpu, *strided, *contiguous, *preserve, *last, *last_3d, *array;
  if (!PyArg_ParseTuple(args, "OOOOOOOO:_register", &tensor_class, &cpu, &strided, &contiguous, &preserve, &last,
                        &last_3d, &array))
    return nullptr;
  python_objects = {reinterpret_cast<PyTypeObject*>(Py_NewRef(tensor_class)),
                    Py_NewRef(cpu),
                    Py_NewRef(strided),
                    Py_NewRef(contiguous),
                    Py_NewRef(preserve),
                    Py_NewRef(last),
                    Py_NewRef(last_3d),
                    Py_NewRef(array)};
  Py_RETURN_NONE;
}

PyObject* get_default(PyObject*, PyObject*) { return wrap(default_dtype()); }
PyObject* set_default(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    FLAMBEAU_CHECK_AS(TypeError, is_dtype(o),
                      "invalid dtype object: only floating-point types are supported as the default type");
    set_default_dtype(to_dtype(o));
    Py_RETURN_NONE;
  });
}
PyObject* empty_cache_(PyObject*, PyObject*) {
  empty_cache();
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"_storage_view", storage_view, METH_O, "A writable memoryview of a storage."},
    {"_tensor_from_storage", tensor_from_storage, METH_VARARGS, "(storage, dtype, size, stride, storage_offset)"},
    {"_storage_from_buffer", storage_from_buffer, METH_O, "A storage over an object with a buffer."},
    {"_storage_from_address", storage_from_address, METH_VARARGS, "(address, nbytes, owner)"},
    {"_tensor_from_data", (PyCFunction)(void (*)())tensor_from_data, METH_FASTCALL, "(data, dtype)"},
    {"_make_subclass", (PyCFunction)(void (*)())make_subclass, METH_VARARGS | METH_KEYWORDS,
     "(cls, data, require_grad=False)"},
    {"_register", register_objects, METH_VARARGS, "The Python classes and constants the core needs."},
    {"get_default_dtype", get_default, METH_NOARGS, "The dtype of new floating-point tensors."},
    {"_set_default_dtype", set_default, METH_O, nullptr},
    {"_empty_cache", empty_cache_, METH_NOARGS, "Gives freed blocks back to the system."},
    {}};

}  // namespace

PyMethodDef tensor_methods[] = {
    {"item", item, METH_NOARGS, "The value of a one-element tensor as a Python number."},
    {"tolist", tolist, METH_NOARGS, "The values as nested lists."},
    {"dim", dim, METH_NOARGS, nullptr},
    {"ndimension", dim, METH_NOARGS, nullptr},
    {"numel", numel, METH_NOARGS, nullptr},
    {"nelement", numel, METH_NOARGS, nullptr},
    {"element_size", element_size, METH_NOARGS, nullptr},
    {"data_ptr", data_ptr, METH_NOARGS, nullptr},
    {"storage_offset", storage_offset, METH_NOARGS, nullptr},
    {"size", (PyCFunction)(void (*)())size, METH_VARARGS | METH_KEYWORDS, nullptr},
    {"stride", (PyCFunction)(void (*)())stride, METH_VARARGS | METH_KEYWORDS, nullptr},
    {"requires_grad_", (PyCFunction)(void (*)())requires_grad_, METH_VARARGS | METH_KEYWORDS, nullptr},
    {"is_floating_point", is_floating_point, METH_NOARGS, nullptr},
    {"is_complex", is_complex_, METH_NOARGS, nullptr},
    {"is_inference", is_inference, METH_NOARGS, nullptr},
    {"is_set_to", is_set_to, METH_O, nullptr},
    {"untyped_storage", untyped_storage, METH_NOARGS, "The storage under this tensor."},
    {}};

void init_tensor_data(PyObject* module) {
  storage_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&storage_spec));
  PyModule_AddObjectRef(module, "UntypedStorage", reinterpret_cast<PyObject*>(storage_type));
  PyModule_AddFunctions(module, functions);
}

}  // namespace flambeau::bind
