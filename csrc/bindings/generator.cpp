// flambeau.Generator and flambeau._C.default_generator (torch/csrc/Generator.cpp).
#include "random/generator.h"

#include <cstring>

#include "bindings/bind.h"
#include "bindings/types.h"

namespace flambeau::bind {
namespace {

struct GeneratorObject {
  PyObject_HEAD
  Generator* generator;  // one count is ours
};
PyTypeObject* generator_type = nullptr;

Generator& of(PyObject* self) { return *reinterpret_cast<GeneratorObject*>(self)->generator; }

PyObject* new_object(PyTypeObject* type, Ref<Generator> generator) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self) reinterpret_cast<GeneratorObject*>(self)->generator = generator.detach();
  return self;
}

PyObject* generator_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"device", nullptr};
  PyObject* device = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Generator", const_cast<char**>(names), &device)) return nullptr;
  return guarded([&] {
    if (!none(device)) check_device(device);
    return new_object(type, make_ref<Generator>());
  });
}

void generator_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  if (Generator* g = reinterpret_cast<GeneratorObject*>(self)->generator) g->release();
  type->tp_free(self);
  Py_DECREF(type);
}

// Any int of 64 bits, signed or not.
uint64_t to_seed(PyObject* value) {
  FLAMBEAU_CHECK(PyLong_Check(value), "manual_seed expected a long, but got ", Py_TYPE(value)->tp_name);
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (!overflow) return uint64_t(number);
  const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(value) : 0;
  const bool too_large = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  FLAMBEAU_CHECK_AS(ValueError, overflow > 0 && !too_large, "Overflow when unpacking long long");
  return large;
}

PyObject* manual_seed(PyObject* self, PyObject* value) {
  return guarded([&] {
    const uint64_t seed = to_seed(value);
    std::lock_guard lock(of(self).mutex);
    of(self).manual_seed(seed);
    return Py_NewRef(self);
  });
}

PyObject* seed(PyObject* self, PyObject*) {
  return guarded([&] {
    std::lock_guard lock(of(self).mutex);
    return PyLong_FromUnsignedLongLong(of(self).seed());
  });
}

PyObject* initial_seed(PyObject* self, PyObject*) { return PyLong_FromUnsignedLongLong(of(self).initial_seed()); }

PyObject* get_state(PyObject* self, PyObject*) {
  return guarded([&] {
    std::lock_guard lock(of(self).mutex);
    const auto bytes = of(self).state();
    const Tensor out = empty({int64_t(bytes.size())}, DType::UInt8);
    std::memcpy(out.raw(), bytes.data(), bytes.size());
    return wrap(out);
  });
}

void load_state(Generator& generator, PyObject* value) {
  FLAMBEAU_CHECK_AS(TypeError, is_tensor(value), "expected a torch.ByteTensor, but got ", Py_TYPE(value)->tp_name);
  const Tensor& state = unwrap(value);
  FLAMBEAU_CHECK_AS(TypeError, state.dtype() == DType::UInt8 && state.is_contiguous(),
                    "RNG state must be a torch.ByteTensor");
  std::lock_guard lock(generator.mutex);
  generator.set_state(state.data<uint8_t>(), size_t(state.numel()));
}

PyObject* set_state(PyObject* self, PyObject* value) {
  return guarded([&] {
    load_state(of(self), value);
    return Py_NewRef(self);
  });
}

PyObject* clone_state(PyObject* self, PyObject*) {
  return guarded([&] {
    auto copy = make_ref<Generator>();
    const auto bytes = of(self).state();
    copy->set_state(bytes.data(), bytes.size());
    return new_object(Py_TYPE(self), std::move(copy));
  });
}

// Pickled as a new generator and its state.
PyObject* reduce(PyObject* self, PyObject*) {
  PyObject* state = get_state(self, nullptr);
  return state ? Py_BuildValue("O()N", Py_TYPE(self), state) : nullptr;
}
PyObject* set_pickled_state(PyObject* self, PyObject* value) {
  return guarded([&] {
    load_state(of(self), value);
    return Py_NewRef(Py_None);
  });
}

PyObject* get_device(PyObject*, void*) { return Py_NewRef(python_objects.cpu ? python_objects.cpu : Py_None); }

PyMethodDef methods[] = {
    {"manual_seed", manual_seed, METH_O, "Starts the stream that belongs to a seed."},
    {"seed", seed, METH_NOARGS, "Reseeds from the system's entropy and returns the seed."},
    {"initial_seed", initial_seed, METH_NOARGS, "The seed the stream began with."},
    {"get_state", get_state, METH_NOARGS, "The stream's position as a uint8 tensor, in torch's layout."},
    {"set_state", set_state, METH_O, "Goes to a position that get_state returned."},
    {"clone_state", clone_state, METH_NOARGS, "A generator of its own at the same position."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"__setstate__", set_pickled_state, METH_O, nullptr},
    {}};
PyGetSetDef getset[] = {{"device", get_device, nullptr, "Always the CPU.", nullptr}, {}};
PyType_Slot slots[] = {
    {Py_tp_new, (void*)generator_new},
    {Py_tp_dealloc, (void*)generator_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_doc, (void*)"Generator(device='cpu')\n--\n\nA stream of random numbers, the same as PyTorch's on the CPU."},
    {0, nullptr}};
PyType_Spec spec = {"flambeau._C.Generator", sizeof(GeneratorObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                    slots};

}  // namespace

bool is_generator(PyObject* o) { return PyObject_TypeCheck(o, generator_type); }
Ref<Generator> to_generator(PyObject* o) { return Ref<Generator>(&of(o)); }

void init_generator(PyObject* module) {
  generator_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!generator_type) throw PythonError();
  PyModule_AddObjectRef(module, "Generator", reinterpret_cast<PyObject*>(generator_type));
  PyObject* instance = new_object(generator_type, default_generator());
  PyModule_AddObjectRef(module, "default_generator", instance);
  Py_XDECREF(instance);
}

}  // namespace flambeau::bind
