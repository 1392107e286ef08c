// TensorBase: the Python object over a TensorImpl, its attributes and its place in the garbage collector.
// One object a tensor: the same one comes back as long as anything holds the tensor (see TensorImpl::retain).
#include "autograd/node.h"
#include "bindings/bind.h"
#include "bindings/indexing.h"
#include "bindings/types.h"
#include "ops/copy.h"
#include "ops/views.h"

namespace flambeau::bind {

PyTypeObject* tensor_base_type = nullptr;

namespace {

TensorImpl* impl_of(PyObject* self) { return reinterpret_cast<TensorObject*>(self)->impl; }

void tensor_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (TensorImpl* impl = std::exchange(reinterpret_cast<TensorObject*>(self)->impl, nullptr)) {
    impl->object_ = nullptr;
    impl->release();
  }
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

int tensor_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (TensorImpl* impl = impl_of(self)) {
    // Only what this object alone keeps alive may be told: other owners are unknown to the collector.
    if (impl->use_count() == 1) return traverse_autograd(unwrap(self), visit, arg);
  }
  return 0;
}

int tensor_clear(PyObject* self) {
  if (TensorImpl* impl = impl_of(self))
    if (impl->use_count() == 1) clear_autograd(unwrap(self));
  return 0;
}

void retain_object(void* object) {
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_INCREF(static_cast<PyObject*>(object));
  PyGILState_Release(state);
}
void release_object(void* object) {
  if (!Py_IsInitialized()) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(object));
  PyGILState_Release(state);
}

Py_hash_t tensor_hash(PyObject* self) { return Py_hash_t(reinterpret_cast<uintptr_t>(self) >> 4); }

Py_ssize_t tensor_len(PyObject* self) {
  return guarded([&]() -> Py_ssize_t {
    const Tensor& t = unwrap(self);
    FLAMBEAU_CHECK_AS(TypeError, t.dim() > 0, "len() of a 0-d tensor");
    return t.sizes()[0];
  });
}

// ---- attributes -----------------------------------------------------------------------------------------------------

PyObject* get_shape(PyObject* self, void*) { return new_size(unwrap(self).sizes()); }
PyObject* get_dtype(PyObject* self, void*) { return wrap(unwrap(self).dtype()); }
PyObject* get_device(PyObject*, void*) { return Py_NewRef(python_objects.cpu ? python_objects.cpu : Py_None); }
PyObject* get_layout(PyObject*, void*) { return Py_NewRef(python_objects.strided ? python_objects.strided : Py_None); }
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLongLong(unwrap(self).dim()); }
PyObject* get_requires_grad(PyObject* self, void*) { return PyBool_FromLong(unwrap(self).requires_grad()); }
int set_requires_grad(PyObject* self, PyObject* value, void*) {
  return guarded([&] {
    FLAMBEAU_CHECK_AS(TypeError, value && PyBool_Check(value), "requires_grad must be a bool");
    unwrap(self).set_requires_grad(value == Py_True);
    return 0;
  });
}
PyObject* get_grad(PyObject* self, void*) { return wrap(unwrap(self).grad()); }
int set_grad(PyObject* self, PyObject* value, void*) {
  return guarded([&] {
    const Tensor& t = unwrap(self);
    if (none(value)) {
      t.set_grad(Tensor());
      return 0;
    }
    FLAMBEAU_CHECK_AS(TypeError, is_tensor(value),
                      "assigned grad expected to be a Tensor or None but got grad of type ", Py_TYPE(value)->tp_name);
    const Tensor& grad = unwrap(value);
    FLAMBEAU_CHECK(!grad.is(t), "can't assign Variable as its own grad");
    FLAMBEAU_CHECK(grad.dtype() == t.dtype(), "attempting to assign a gradient with dtype '", name(grad.dtype()),
                   "' to a tensor with dtype '", name(t.dtype()),
                   "'. Please ensure that the gradient and the tensor have the same dtype");
    FLAMBEAU_CHECK(grad.sizes() == t.sizes(), "assigned grad has data of a different size");
    t.set_grad(grad);
    return 0;
  });
}
PyObject* get_is_leaf(PyObject* self, void*) { return PyBool_FromLong(unwrap(self).is_leaf()); }
PyObject* get_data(PyObject* self, void*) {
  Tensor out = alias(unwrap(self));
  out.impl()->untracked_ = true;
  return wrap(out);
}
int set_data(PyObject* self, PyObject* value, void*) {
  return guarded([&] {
    FLAMBEAU_CHECK_AS(TypeError, value && is_tensor(value), "Variable data has to be a tensor, but got ",
                      value ? Py_TYPE(value)->tp_name : "None");
    const Tensor& source = unwrap(value);
    TensorImpl* impl = unwrap(self).impl();
    FLAMBEAU_CHECK(!unwrap(self).requires_grad() || source.is_floating() || is_complex(source.dtype()),
                   "data set to a tensor that requires gradients must be floating point or complex dtype");
    impl->storage_ = source.storage();
    impl->dtype_ = source.dtype();
    impl->set_geometry(source.sizes(), source.strides(), source.storage_offset());
    if (auto* meta = impl->autograd_.get()) meta->accumulator = nullptr;  // its shape may have changed
    return 0;
  });
}
PyObject* get_version(PyObject* self, void*) { return PyLong_FromUnsignedLong(unwrap(self).version()); }
PyObject* get_base(PyObject* self, void*) {
  TensorImpl* base = unwrap(self).impl()->base_;
  return base ? wrap(Tensor(base)) : Py_NewRef(Py_None);
}
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromSize_t(unwrap(self).itemsize()); }
PyObject* get_nbytes(PyObject* self, void*) {
  return PyLong_FromLongLong(unwrap(self).numel() * int64_t(unwrap(self).itemsize()));
}
PyObject* get_retains_grad(PyObject* self, void*) {
  const auto* meta = unwrap(self).impl()->autograd_.get();
  return PyBool_FromLong(meta && meta->retains_grad);
}
PyObject* get_output_nr(PyObject* self, void*) {
  const auto* meta = unwrap(self).impl()->autograd_.get();
  return PyLong_FromLong(meta ? long(meta->output_index) : 0);
}
PyObject* get_transposed(PyObject* self, void*) {
  return guarded([&] {
    const Tensor& t = unwrap(self);
    Dims order;
    for (int64_t d = t.dim(); d-- > 0;) order.push_back(d);
    return wrap(ops::permute(t, order));
  });
}
PyObject* get_matrix_transposed(PyObject* self, void* closure) {
  return guarded([&] {
    const Tensor& t = unwrap(self);
    FLAMBEAU_CHECK(t.dim() >= 2, "tensor.", static_cast<const char*>(closure),
                   " is only supported on matrices or batches of matrices. Got ", t.dim(), "-D tensor.");
    return wrap(ops::transpose(t, -2, -1));
  });
}
PyObject* get_conjugate_transposed(PyObject* self, void*) {
  return guarded([&] {
    const Tensor& t = unwrap(self);
    FLAMBEAU_CHECK(t.dim() == 0 || t.dim() == 2, "tensor.H is only supported on matrices (2-D tensors). Got ", t.dim(),
                   "-D tensor.", t.dim() > 2 ? " For batches of matrices, consider using tensor.mH" : "");
    return wrap(ops::t(t));
  });
}

PyGetSetDef getset[] = {{"shape", get_shape, nullptr, "The sizes, as a Size.", nullptr},
                        {"dtype", get_dtype, nullptr, nullptr, nullptr},
                        {"device", get_device, nullptr, nullptr, nullptr},
                        {"layout", get_layout, nullptr, nullptr, nullptr},
                        {"ndim", get_ndim, nullptr, nullptr, nullptr},
                        {"requires_grad", get_requires_grad, set_requires_grad, nullptr, nullptr},
                        {"grad", get_grad, set_grad, "The accumulated gradient, or None.", nullptr},
                        {"_grad", get_grad, set_grad, nullptr, nullptr},
                        {"is_leaf", get_is_leaf, nullptr, nullptr, nullptr},
                        {"data", get_data, set_data, "The same memory without history.", nullptr},
                        {"_version", get_version, nullptr, nullptr, nullptr},
                        {"_base", get_base, nullptr, nullptr, nullptr},
                        {"itemsize", get_itemsize, nullptr, nullptr, nullptr},
                        {"nbytes", get_nbytes, nullptr, nullptr, nullptr},
                        {"retains_grad", get_retains_grad, nullptr, nullptr, nullptr},
                        {"output_nr", get_output_nr, nullptr, nullptr, nullptr},
                        {"T", get_transposed, nullptr, "The dimensions in reverse order.", nullptr},
                        {"mT", get_matrix_transposed, nullptr, "The last two dimensions swapped.", (void*)"mT"},
                        {"H", get_conjugate_transposed, nullptr, "A matrix transposed.", nullptr},
                        {"mH", get_matrix_transposed, nullptr, "The last two dimensions swapped.", (void*)"mH"},
                        {}};

// ---- arithmetic -----------------------------------------------------------------------------------------------------

bool is_operand(PyObject* o) { return is_tensor(o) || is_number(o); }

// a op b where either is a tensor. `reflected` is what computes number op tensor given (tensor, number); null: the
// operator itself takes the number first.
template <const char* const* names>
PyObject* binary(PyObject* a, PyObject* b) {
  if (!is_operand(a) || !is_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  if (is_tensor(a)) {
    PyObject* args[] = {a, b};
    return call_operator(names[0], args, 2);
  }
  PyObject* args[] = {b, a};
  return call_operator(names[1], args, 2);
}
template <const char* const* names>
PyObject* inplace(PyObject* a, PyObject* b) {
  if (!is_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  PyObject* args[] = {a, b};
  return call_operator(names[2], args, 2);
}
#define FLAMBEAU_NAMES(id, name, reflected, in_place) constexpr const char* id[] = {name, reflected, in_place};
FLAMBEAU_NAMES(add_names, "add", "add", "add_")
FLAMBEAU_NAMES(sub_names, "sub", "_rsub", "sub_")
FLAMBEAU_NAMES(mul_names, "mul", "mul", "mul_")
FLAMBEAU_NAMES(div_names, "div", "_rdiv", "div_")
FLAMBEAU_NAMES(floordiv_names, "floor_divide", "_rfloordiv", "floor_divide_")
FLAMBEAU_NAMES(mod_names, "remainder", "_rmod", "remainder_")
FLAMBEAU_NAMES(and_names, "bitwise_and", "bitwise_and", "bitwise_and_")
FLAMBEAU_NAMES(or_names, "bitwise_or", "bitwise_or", "bitwise_or_")
FLAMBEAU_NAMES(xor_names, "bitwise_xor", "bitwise_xor", "bitwise_xor_")
FLAMBEAU_NAMES(lshift_names, "bitwise_left_shift", "_rlshift", "bitwise_left_shift_")
FLAMBEAU_NAMES(rshift_names, "bitwise_right_shift", "_rrshift", "bitwise_right_shift_")
FLAMBEAU_NAMES(matmul_names, "matmul", "matmul", "matmul_")
FLAMBEAU_NAMES(pow_names, "pow", "_rpow", "pow_")
#undef FLAMBEAU_NAMES
PyObject* power(PyObject* a, PyObject* b, PyObject*) { return binary<pow_names>(a, b); }
PyObject* inplace_power(PyObject* a, PyObject* b, PyObject*) { return inplace<pow_names>(a, b); }
PyObject* matmul(PyObject* a, PyObject* b) {
  if (!is_tensor(a) || !is_tensor(b)) Py_RETURN_NOTIMPLEMENTED;
  PyObject* args[] = {a, b};
  return call_operator("matmul", args, 2);
}
PyObject* negative(PyObject* a) { return call_operator("neg", &a, 1); }
PyObject* positive(PyObject* a) { return call_operator("positive", &a, 1); }
PyObject* absolute(PyObject* a) { return call_operator("abs", &a, 1); }
PyObject* invert(PyObject* a) { return call_operator("bitwise_not", &a, 1); }

int truth(PyObject* self) {
  return guarded([&] {
    const Tensor& t = unwrap(self);
    FLAMBEAU_CHECK(t.numel() != 0, "Boolean value of Tensor with no values is ambiguous");
    FLAMBEAU_CHECK(t.numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
    return int(item_of(t).to_bool());
  });
}
PyObject* as_float(PyObject* self) {
  return guarded([&] { return PyFloat_FromDouble(item_of(unwrap(self)).to_double()); });
}
PyObject* as_int(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const Scalar value = item_of(unwrap(self));
    return value.is_floating() ? PyLong_FromDouble(value.to_double()) : PyLong_FromLongLong(value.to_int());
  });
}
PyObject* as_index(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = unwrap(self);
    FLAMBEAU_CHECK_AS(TypeError, t.numel() == 1 && is_integral(t.dtype(), true),
                      "only integer tensors of a single element can be converted to an index");
    return PyLong_FromLongLong(item_of(t).to_int());
  });
}
PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (!is_operand(b)) {
    // Tensors differ from whatever is no tensor and no number.
    Py_RETURN_NOTIMPLEMENTED;
  }
  static constexpr const char* names[] = {"lt", "le", "eq", "ne", "gt", "ge"};
  PyObject* args[] = {a, b};
  return call_operator(names[op], args, 2);
}

PyType_Slot slots[] = {{Py_tp_dealloc, (void*)tensor_dealloc},
                       {Py_tp_traverse, (void*)tensor_traverse},
                       {Py_tp_clear, (void*)tensor_clear},
                       {Py_tp_hash, (void*)tensor_hash},
                       {Py_tp_richcompare, (void*)compare},
                       {Py_tp_getset, getset},
                       {Py_tp_methods, tensor_methods},
                       {Py_mp_subscript, (void*)tensor_getitem},
                       {Py_mp_ass_subscript, (void*)tensor_setitem},
                       {Py_mp_length, (void*)tensor_len},
                       {Py_nb_add, (void*)binary<add_names>},
                       {Py_nb_subtract, (void*)binary<sub_names>},
                       {Py_nb_multiply, (void*)binary<mul_names>},
                       {Py_nb_true_divide, (void*)binary<div_names>},
                       {Py_nb_floor_divide, (void*)binary<floordiv_names>},
                       {Py_nb_remainder, (void*)binary<mod_names>},
                       {Py_nb_power, (void*)power},
                       {Py_nb_matrix_multiply, (void*)matmul},
                       {Py_nb_and, (void*)binary<and_names>},
                       {Py_nb_or, (void*)binary<or_names>},
                       {Py_nb_xor, (void*)binary<xor_names>},
                       {Py_nb_lshift, (void*)binary<lshift_names>},
                       {Py_nb_rshift, (void*)binary<rshift_names>},
                       {Py_nb_inplace_add, (void*)inplace<add_names>},
                       {Py_nb_inplace_subtract, (void*)inplace<sub_names>},
                       {Py_nb_inplace_multiply, (void*)inplace<mul_names>},
                       {Py_nb_inplace_true_divide, (void*)inplace<div_names>},
                       {Py_nb_inplace_floor_divide, (void*)inplace<floordiv_names>},
                       {Py_nb_inplace_remainder, (void*)inplace<mod_names>},
                       {Py_nb_inplace_power, (void*)inplace_power},
                       {Py_nb_inplace_and, (void*)inplace<and_names>},
                       {Py_nb_inplace_or, (void*)inplace<or_names>},
                       {Py_nb_inplace_xor, (void*)inplace<xor_names>},
                       {Py_nb_inplace_lshift, (void*)inplace<lshift_names>},
                       {Py_nb_inplace_rshift, (void*)inplace<rshift_names>},
                       {Py_nb_negative, (void*)negative},
                       {Py_nb_positive, (void*)positive},
                       {Py_nb_absolute, (void*)absolute},
                       {Py_nb_invert, (void*)invert},
                       {Py_nb_bool, (void*)truth},
                       {Py_nb_float, (void*)as_float},
                       {Py_nb_int, (void*)as_int},
                       {Py_nb_index, (void*)as_index},
                       {Py_tp_doc, (void*)"What flambeau.Tensor is built on."},
                       {0, nullptr}};
PyType_Spec spec = {"flambeau._C.TensorBase", sizeof(TensorObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

}  // namespace

bool is_tensor(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  return type == python_objects.tensor_class || PyType_IsSubtype(type, tensor_base_type);
}

const Tensor& unwrap(PyObject* o) {
  // A Tensor is one pointer: the field itself can be looked at as one.
  static_assert(sizeof(Tensor) == sizeof(TensorImpl*));
  FLAMBEAU_CHECK_AS(TypeError, is_tensor(o), "expected a Tensor, not ", Py_TYPE(o)->tp_name);
  FLAMBEAU_CHECK(impl_of(o), "this Tensor object was never initialised");
  return reinterpret_cast<const Tensor&>(reinterpret_cast<TensorObject*>(o)->impl);
}

PyObject* new_tensor_object(PyTypeObject* type, Tensor t) {
  PyObject* self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  TensorImpl* impl = t.detach();  // its count is now the object's
  if (inference_mode_enabled() && !impl->base_) impl->inference_ = true;
  reinterpret_cast<TensorObject*>(self)->impl = impl;
  impl->object_ = self;
  if (impl->use_count() > 1) Py_INCREF(self);  // held by those in C++ that hold the tensor
  return self;
}

PyObject* wrap(Tensor&& t) {
  if (!t.defined()) Py_RETURN_NONE;
  if (t.impl()->object_) return Py_NewRef(static_cast<PyObject*>(t.impl()->object_));
  PyTypeObject* type = python_objects.tensor_class ? python_objects.tensor_class : tensor_base_type;
  return new_tensor_object(type, std::move(t));
}
PyObject* wrap(const Tensor& t) { return wrap(Tensor(t)); }

PyObject* wrap(const TensorList& list) {
  PyObject* out = PyTuple_New(Py_ssize_t(list.size()));
  for (size_t i = 0; out && i < list.size(); ++i) PyTuple_SET_ITEM(out, Py_ssize_t(i), wrap(list[i]));
  return out;
}
PyObject* wrap(const Dims& dims) { return new_size(dims); }
PyObject* wrap(bool value) { return PyBool_FromLong(value); }
PyObject* wrap(int64_t value) { return PyLong_FromLongLong(value); }
PyObject* wrap(double value) { return PyFloat_FromDouble(value); }
PyObject* wrap(Scalar value) {
  return value.is_floating() ? wrap(value.to_double()) : value.is_bool() ? wrap(value.to_bool()) : wrap(value.to_int());
}

void init_tensor(PyObject* module) {
  tensor_base_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  PyModule_AddObjectRef(module, "TensorBase", reinterpret_cast<PyObject*>(tensor_base_type));
  python_hooks = {retain_object, release_object};
}

}  // namespace flambeau::bind
