// Autograd seen from Python: modes, backward, nodes, hooks, and nodes whose backward is a Python function.
#include <unordered_map>
#include <unordered_set>

#include "autograd/engine.h"
#include "bindings/bind.h"
#include "bindings/types.h"
#include "ops/copy.h"
#include "ops/op.h"

namespace flambeau::bind {
namespace {

class Locked {  // holds the interpreter lock
 public:
  Locked() : state_(PyGILState_Ensure()) {}
  ~Locked() { PyGILState_Release(state_); }

 private:
  PyGILState_STATE state_;
};

// An owned Python reference that may be dropped from any thread.
struct Held {
  explicit Held(PyObject* o) : object(Py_NewRef(o)) {}
  Held(const Held&) = delete;
  ~Held() {
    if (!Py_IsInitialized()) return;
    Locked lock;
    Py_DECREF(object);
  }
  PyObject* object;
};

Tensor tensor_or_none(PyObject* o, const char* what) {
  if (none(o)) return {};
  FLAMBEAU_CHECK_AS(TypeError, is_tensor(o), "expected ", what, " to be a Tensor or None, not ", Py_TYPE(o)->tp_name);
  return unwrap(o);
}
PyObject* to_tuple(const TensorList& list) { return wrap(list); }

// ---- hooks: each holds an ordered dict id -> function, from which handles remove ------------------------------------

template <class F>
void for_each_hook(PyObject* dict, F&& f) {
  PyObject* values = PyMapping_Values(dict);
  if (!values) throw PythonError();
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values); ++i) {
    try {
      f(PyList_GET_ITEM(values, i));
    } catch (...) {
      Py_DECREF(values);
      throw;
    }
  }
  Py_DECREF(values);
}

// Of a tensor: hook(grad) -> None or a new gradient.
class TensorHooks final : public GradHook {
 public:
  explicit TensorHooks(PyObject* dict) : dict_(dict) {}
  void call(TensorList& grads) override {
    Locked lock;
    for_each_hook(dict_.object, [&](PyObject* hook) {
      PyObject* grad = wrap(grads[0]);
      PyObject* result = PyObject_CallFunctionObjArgs(hook, grad, nullptr);
      Py_DECREF(grad);
      if (!result) throw PythonError();
      if (result != Py_None) grads[0] = tensor_or_none(result, "the result of a hook");
      Py_DECREF(result);
    });
  }
  void* object() override { return dict_.object; }

 private:
  Held dict_;
};

// Of a node, before: hook(grad_outputs) -> None or a tuple.
class NodePreHooks final : public GradHook {
 public:
  explicit NodePreHooks(PyObject* dict) : dict_(dict) {}
  void call(TensorList& grads) override {
    Locked lock;
    for_each_hook(dict_.object, [&](PyObject* hook) {
      PyObject* arg = to_tuple(grads);
      PyObject* result = PyObject_CallFunctionObjArgs(hook, arg, nullptr);
      Py_DECREF(arg);
      if (!result) throw PythonError();
      take(result, grads);
      Py_DECREF(result);
    });
  }
  static void take(PyObject* result, TensorList& grads) {
    if (result == Py_None) return;
    if (is_tensor(result)) {
      grads[0] = unwrap(result);
      return;
    }
    FLAMBEAU_CHECK_AS(TypeError, PyTuple_Check(result) && size_t(PyTuple_GET_SIZE(result)) == grads.size(),
                      "a hook must return None or a tuple with ", grads.size(), " entries");
    for (size_t i = 0; i < grads.size(); ++i)
      grads[i] = tensor_or_none(PyTuple_GET_ITEM(result, Py_ssize_t(i)), "a gradient");
  }
  void* object() override { return dict_.object; }

 private:
  Held dict_;
};

// Of a node, after: hook(grad_inputs, grad_outputs) -> None or new grad_inputs.
class NodePostHooks final : public PostHook {
 public:
  explicit NodePostHooks(PyObject* dict) : dict_(dict) {}
  void call(TensorList& grad_inputs, const TensorList& grad_outputs) override {
    Locked lock;
    for_each_hook(dict_.object, [&](PyObject* hook) {
      PyObject* in = to_tuple(grad_inputs);
      PyObject* out = to_tuple(grad_outputs);
      PyObject* result = PyObject_CallFunctionObjArgs(hook, in, out, nullptr);
      Py_DECREF(in);
      Py_DECREF(out);
      if (!result) throw PythonError();
      NodePreHooks::take(result, grad_inputs);
      Py_DECREF(result);
    });
  }
  void* object() override { return dict_.object; }

 private:
  Held dict_;
};

// ---- a node whose backward is Python's ------------------------------------------------------------------------------

class PyNode final : public Node {
 public:
  PyNode(PyObject* ctx, const char* name) : Node({}), ctx_(ctx), text_(name) { name_ = text_; }
  TensorList apply(TensorList grads) override {
    Locked lock;
    PyObject* arg = to_tuple(grads);
    // "(O)": with "O" alone Python would take the tuple apart into arguments.
    PyObject* result = PyObject_CallMethod(ctx_.object, "_run_backward", "(O)", arg);
    Py_DECREF(arg);
    if (!result) throw PythonError();
    TensorList out;
    try {
      FLAMBEAU_CHECK(PyTuple_Check(result) && size_t(PyTuple_GET_SIZE(result)) == next.size(), "function ", text_,
                     " returned an incorrect number of gradients (expected ", next.size(), ", got ",
                     PyTuple_Check(result) ? PyTuple_GET_SIZE(result) : 1, ")");
      for (size_t i = 0; i < next.size(); ++i)
        out.push_back(tensor_or_none(PyTuple_GET_ITEM(result, Py_ssize_t(i)), "a gradient"));
    } catch (...) {
      Py_DECREF(result);
      throw;
    }
    Py_DECREF(result);
    return out;
  }
  void release_variables() override {
    Locked lock;
    Py_XDECREF(PyObject_CallMethod(ctx_.object, "_release_saved", nullptr));
    PyErr_Clear();
  }
  int traverse(int (*visit)(void*, void*), void* arg) override { return visit(ctx_.object, arg); }
  PyObject* ctx() { return ctx_.object; }

 private:
  Held ctx_;
  std::string text_;
};

// ---- grad_fn as a Python object -------------------------------------------------------------------------------------

struct NodeObject {
  PyObject_HEAD
  Node* node;
};
PyTypeObject* node_type = nullptr;

Node& node_of(PyObject* o) { return *reinterpret_cast<NodeObject*>(o)->node; }

// One subclass a name, so that type(t.grad_fn).__name__ is PyTorch's.
PyTypeObject* type_named(const std::string& name) {
  static auto* types = new std::unordered_map<std::string, PyTypeObject*>;
  PyTypeObject*& type = (*types)[name];
  if (!type) {
    PyObject* made =
        PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){}", name.c_str(), node_type);
    type = made ? reinterpret_cast<PyTypeObject*>(made) : node_type;
    PyErr_Clear();
  }
  return type;
}
PyObject* wrap_node(const Ref<Node>& node) {
  if (!node) Py_RETURN_NONE;
  PyTypeObject* type = type_named(std::string(node->name()));
  PyObject* object = type->tp_alloc(type, 0);
  if (!object) return nullptr;
  reinterpret_cast<NodeObject*>(object)->node = node.get();
  node->retain();
  return object;
}
void node_dealloc(PyObject* self) {
  if (Node* node = std::exchange(reinterpret_cast<NodeObject*>(self)->node, nullptr)) node->release();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject* node_name(PyObject* self, PyObject*) {
  const auto name = node_of(self).name();
  return PyUnicode_FromStringAndSize(name.data(), Py_ssize_t(name.size()));
}
PyObject* node_repr(PyObject* self) {
  return PyUnicode_FromFormat("<%s object at %p>", std::string(node_of(self).name()).c_str(),
                              static_cast<void*>(&node_of(self)));
}
PyObject* node_next(PyObject* self, void*) {
  Node& node = node_of(self);
  PyObject* out = PyTuple_New(Py_ssize_t(node.next.size()));
  for (size_t i = 0; i < node.next.size(); ++i)
    PyTuple_SET_ITEM(out, Py_ssize_t(i), Py_BuildValue("(NI)", wrap_node(node.next[i].node), node.next[i].index));
  return out;
}
PyObject* node_variable(PyObject* self, void*) {
  if (node_of(self).is_accumulator()) return wrap(static_cast<AccumulateGrad&>(node_of(self)).variable);
  PyErr_SetString(PyExc_AttributeError, "only AccumulateGrad has a variable");
  return nullptr;
}
PyObject* node_sequence(PyObject* self, PyObject*) { return PyLong_FromUnsignedLongLong(node_of(self).sequence); }
PyObject* node_add_hooks(PyObject* self, PyObject* args) {
  PyObject* dict;
  int before;
  if (!PyArg_ParseTuple(args, "Op", &dict, &before)) return nullptr;
  if (before) node_of(self).node_pre_hooks.push_back(make_ref<NodePreHooks>(dict));
  else node_of(self).post_hooks.push_back(make_ref<NodePostHooks>(dict));
  Py_RETURN_NONE;
}
// The handle that takes a hook out again is Python's, and so is the registration.
PyObject* register_in_graph(PyObject* self, PyObject* hook, const char* function) {
  PyObject* graph = PyImport_ImportModule("flambeau.autograd.graph");
  if (!graph) return nullptr;
  PyObject* handle = PyObject_CallMethod(graph, function, "OO", self, hook);
  Py_DECREF(graph);
  return handle;
}
PyObject* node_register_hook(PyObject* self, PyObject* hook) { return register_in_graph(self, hook, "_register_hook"); }
PyObject* node_register_prehook(PyObject* self, PyObject* hook) {
  return register_in_graph(self, hook, "_register_prehook");
}
Py_hash_t node_hash(PyObject* self) { return Py_hash_t(reinterpret_cast<uintptr_t>(&node_of(self)) >> 4); }
PyObject* node_compare(PyObject* a, PyObject* b, int op) {
  if (!PyObject_TypeCheck(b, node_type) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((&node_of(a) == &node_of(b)) == (op == Py_EQ));
}
// What a custom function put on its ctx can be read off grad_fn, as in PyTorch, where they are one object.
PyObject* node_getattr(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  auto* node = dynamic_cast<PyNode*>(&node_of(self));
  if (!node) return nullptr;
  PyErr_Clear();
  return PyObject_GetAttr(node->ctx(), name);
}
PyMethodDef node_methods[] = {
    {"name", node_name, METH_NOARGS, "The operation, such as AddBackward0."},
    {"_sequence_nr", node_sequence, METH_NOARGS, nullptr},
    {"register_hook", node_register_hook, METH_O, "Call hook(grad_inputs, grad_outputs) after this node ran."},
    {"register_prehook", node_register_prehook, METH_O, "Call hook(grad_outputs) before this node runs."},
    {"_add_hooks", node_add_hooks, METH_VARARGS, "(dict, before)"},
    {}};
PyGetSetDef node_getset[] = {
    {"next_functions", node_next, nullptr, "Pairs of the nodes behind the inputs and their output numbers.", nullptr},
    {"variable", node_variable, nullptr, "The leaf an AccumulateGrad belongs to.", nullptr},
    {}};
PyType_Slot node_slots[] = {{Py_tp_dealloc, (void*)node_dealloc},
                            {Py_tp_repr, (void*)node_repr},
                            {Py_tp_methods, node_methods},
                            {Py_tp_getset, node_getset},
                            {Py_tp_hash, (void*)node_hash},
                            {Py_tp_richcompare, (void*)node_compare},
                            {Py_tp_getattro, (void*)node_getattr},
                            {Py_tp_doc, (void*)"A recorded operation."},
                            {0, nullptr}};
PyType_Spec node_spec = {"flambeau.autograd.graph.Node", sizeof(NodeObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, node_slots};

// ---- saved tensors --------------------------------------------------------------------------------------------------

struct SavedObject {
  PyObject_HEAD
  Saved* saved;
};
PyTypeObject* saved_type = nullptr;
void saved_dealloc(PyObject* self) {
  delete reinterpret_cast<SavedObject*>(self)->saved;
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject* saved_unpack(PyObject* self, PyObject*) {
  return guarded([&] { return wrap(reinterpret_cast<SavedObject*>(self)->saved->get()); });
}
PyMethodDef saved_methods[] = {{"unpack", saved_unpack, METH_NOARGS, "The tensor, once more."}, {}};
PyType_Slot saved_slots[] = {{Py_tp_dealloc, (void*)saved_dealloc}, {Py_tp_methods, saved_methods}, {0, nullptr}};
PyType_Spec saved_spec = {"flambeau._C.SavedTensor", sizeof(SavedObject), 0, Py_TPFLAGS_DEFAULT, saved_slots};

PyObject* save_tensor(PyObject*, PyObject* args) {
  PyObject* tensor;
  int output;
  if (!PyArg_ParseTuple(args, "Oi:_save", &tensor, &output)) return nullptr;
  return guarded([&]() -> PyObject* {
    auto saved = output >= 0 ? Saved::output(unwrap(tensor), uint32_t(output)) : Saved(unwrap(tensor));
    auto* object = PyObject_New(SavedObject, saved_type);
    object->saved = new Saved(std::move(saved));
    return reinterpret_cast<PyObject*>(object);
  });
}

// The stack of (pack, unpack) pairs of torch.autograd.graph.saved_tensors_hooks, per thread.
thread_local std::vector<std::pair<PyObject*, PyObject*>> hook_stack;
struct Packed final : RefCounted {
  Packed(PyObject* v, PyObject* u) : value(v), unpack(u) {}
  Held value, unpack;
};
Ref<RefCounted> pack(const Tensor& t) {
  if (hook_stack.empty()) return {};
  Locked lock;
  const auto [pack, unpack] = hook_stack.back();
  PyObject* tensor = wrap(t);
  PyObject* value = PyObject_CallFunctionObjArgs(pack, tensor, nullptr);
  Py_DECREF(tensor);
  if (!value) throw PythonError();
  Ref<RefCounted> packed = make_ref<Packed>(value, unpack);
  Py_DECREF(value);
  return packed;
}
Tensor unpack(RefCounted& packed) {
  Locked lock;
  auto& p = static_cast<Packed&>(packed);
  PyObject* result = PyObject_CallFunctionObjArgs(p.unpack.object, p.value.object, nullptr);
  if (!result) throw PythonError();
  const Tensor t = tensor_or_none(result, "the result of unpack_hook");
  Py_DECREF(result);
  return t;
}
PyObject* push_hooks(PyObject*, PyObject* args) {
  PyObject *p, *u;
  if (!PyArg_ParseTuple(args, "OO:_push_saved_hooks", &p, &u)) return nullptr;
  hook_stack.push_back({Py_NewRef(p), Py_NewRef(u)});
  ++saved_hooks_depth;
  Py_RETURN_NONE;
}
PyObject* pop_hooks(PyObject*, PyObject*) {
  if (hook_stack.empty()) Py_RETURN_NONE;
  const auto [p, u] = hook_stack.back();
  hook_stack.pop_back();
  --saved_hooks_depth;
  Py_DECREF(p);
  Py_DECREF(u);
  Py_RETURN_NONE;
}

// ---- module functions -----------------------------------------------------------------------------------------------

PyObject* grad_enabled_(PyObject*, PyObject*) { return PyBool_FromLong(grad_enabled()); }
PyObject* set_grad_enabled_(PyObject*, PyObject* value) {
  const int on = PyObject_IsTrue(value);
  if (on < 0) return nullptr;
  set_grad_enabled(on);
  Py_RETURN_NONE;
}
PyObject* inference_enabled_(PyObject*, PyObject*) { return PyBool_FromLong(inference_mode_enabled()); }
PyObject* set_inference_(PyObject*, PyObject* value) {
  set_inference_mode(value == Py_True);
  Py_RETURN_NONE;
}
PyObject* anomaly_enabled_(PyObject*, PyObject*) { return PyBool_FromLong(anomaly_enabled()); }
PyObject* set_anomaly_(PyObject*, PyObject* value) {
  set_anomaly(value == Py_True);
  Py_RETURN_NONE;
}

// _run_backward(tensors, grad_tensors, keep_graph, create_graph, inputs or None, allow_unused)
PyObject* run_backward_(PyObject*, PyObject* args) {
  PyObject *tensors, *grad_tensors, *inputs;
  int keep_graph, create_graph, allow_unused;
  if (!PyArg_ParseTuple(args, "O!O!ppOp:_run_backward", &PyTuple_Type, &tensors, &PyTuple_Type, &grad_tensors,
                        &keep_graph, &create_graph, &inputs, &allow_unused))
    return nullptr;
  return guarded([&]() -> PyObject* {
    std::vector<Edge> roots, wanted;
    TensorList grads;
    const Py_ssize_t count = PyTuple_GET_SIZE(tensors);
    FLAMBEAU_CHECK(PyTuple_GET_SIZE(grad_tensors) == count, "got ", count, " tensors and ",
                   PyTuple_GET_SIZE(grad_tensors), " gradients");
    for (Py_ssize_t i = 0; i < count; ++i) {
      FLAMBEAU_CHECK_AS(TypeError, is_tensor(PyTuple_GET_ITEM(tensors, i)), "element ", i,
                        " of tensors tuple is not a Tensor");
      Edge edge = gradient_edge(unwrap(PyTuple_GET_ITEM(tensors, i)));
      FLAMBEAU_CHECK(edge, "element ", i, " of tensors does not require grad and does not have a grad_fn");
      roots.push_back(std::move(edge));
      grads.push_back(unwrap(PyTuple_GET_ITEM(grad_tensors, i)));
    }
    const bool selective = inputs != Py_None;
    const Py_ssize_t asked = selective ? PyTuple_GET_SIZE(inputs) : 0;
    for (Py_ssize_t i = 0; i < asked; ++i) {
      FLAMBEAU_CHECK_AS(TypeError, is_tensor(PyTuple_GET_ITEM(inputs, i)), "all inputs have to be Tensors, but got ",
                        Py_TYPE(PyTuple_GET_ITEM(inputs, i))->tp_name);
      const Tensor& t = unwrap(PyTuple_GET_ITEM(inputs, i));
      FLAMBEAU_CHECK(t.requires_grad(), "One of the differentiated Tensors does not require grad");
      wanted.push_back(gradient_edge(t));
    }
    TensorList found;
    {
      Unlocked unlocked(true);
      found = run_backward(roots, grads, wanted, {keep_graph != 0, create_graph != 0});
    }
    if (!selective) Py_RETURN_NONE;
    for (const Tensor& t : found)
      FLAMBEAU_CHECK(
          t.defined() || allow_unused,
          "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if "
          "this is the desired behavior.");
    return wrap(found);
  });
}

// _make_node(ctx, name, inputs, outputs): outputs may hold None for what is not differentiable.
PyObject* make_node(PyObject*, PyObject* args) {
  PyObject *ctx, *inputs, *outputs;
  const char* name;
  if (!PyArg_ParseTuple(args, "OsO!O!:_make_node", &ctx, &name, &PyTuple_Type, &inputs, &PyTuple_Type, &outputs))
    return nullptr;
  return guarded([&]() -> PyObject* {
    auto node = make_ref<PyNode>(ctx, name);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs); ++i)
      node->next.push_back(gradient_edge(unwrap(PyTuple_GET_ITEM(inputs, i))));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(outputs); ++i) {
      PyObject* out = PyTuple_GET_ITEM(outputs, i);
      if (out == Py_None) {
        node->outputs.emplace_back();
        continue;
      }
      const Tensor& t = unwrap(out);
      autograd_meta(t).requires_grad = false;
      set_history(t, node);
    }
    Py_RETURN_NONE;
  });
}

PyObject* attach_hooks(PyObject*, PyObject* args) {
  PyObject *tensor, *dict;
  int post_accumulate;
  if (!PyArg_ParseTuple(args, "OOp:_attach_hooks", &tensor, &dict, &post_accumulate)) return nullptr;
  return guarded([&]() -> PyObject* {
    const Tensor& t = unwrap(tensor);
    auto hooks = make_ref<TensorHooks>(dict);
    if (post_accumulate) autograd_meta(t).post_accumulate_hooks.push_back(hooks);
    else if (Ref<Node> node = grad_fn(t)) node->pre_hooks.push_back({autograd_meta(t).output_index, hooks});
    else autograd_meta(t).hooks.push_back(hooks);
    Py_RETURN_NONE;
  });
}

PyObject* retain_grad(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    const Tensor& t = unwrap(self);
    FLAMBEAU_CHECK(t.requires_grad(), "can't retain_grad on Tensor that has requires_grad=False");
    Ref<Node> node = grad_fn(t);
    auto& meta = autograd_meta(t);
    if (!node || meta.retains_grad) Py_RETURN_NONE;
    node->retained.push_back({meta.output_index, t.impl()});
    meta.retains_grad = true;
    Py_RETURN_NONE;
  });
}
PyObject* get_grad_fn(PyObject* self, void*) {
  return guarded([&] { return wrap_node(grad_fn(unwrap(self))); });
}
PyObject* gradient_node(PyObject*, PyObject* tensor) {
  return guarded([&] { return wrap_node(gradient_edge(unwrap(tensor)).node); });
}

PyMethodDef functions[] = {
    {"is_grad_enabled", grad_enabled_, METH_NOARGS, "Whether operations are recorded on this thread."},
    {"_set_grad_enabled", set_grad_enabled_, METH_O, nullptr},
    {"is_inference_mode_enabled", inference_enabled_, METH_NOARGS, nullptr},
    {"_set_inference_mode", set_inference_, METH_O, nullptr},
    {"is_anomaly_enabled", anomaly_enabled_, METH_NOARGS, nullptr},
    {"_set_anomaly", set_anomaly_, METH_O, nullptr},
    {"_run_backward", run_backward_, METH_VARARGS, nullptr},
    {"_make_node", make_node, METH_VARARGS, "(ctx, name, inputs, outputs)"},
    {"_save", save_tensor, METH_VARARGS, "(tensor, output number or -1)"},
    {"_push_saved_hooks", push_hooks, METH_VARARGS, "(pack, unpack)"},
    {"_pop_saved_hooks", pop_hooks, METH_NOARGS, nullptr},
    {"_attach_hooks", attach_hooks, METH_VARARGS, "(tensor, dict, post_accumulate)"},
    {"_gradient_node", gradient_node, METH_O, "Where a tensor's gradient goes: its grad_fn or AccumulateGrad."},
    {}};
PyMethodDef retain_grad_method = {"retain_grad", retain_grad, METH_NOARGS, "Keeps .grad of a tensor that is no leaf."};
PyGetSetDef grad_fn_attribute = {"grad_fn", get_grad_fn, nullptr, "The operation that made this tensor, or None.",
                                 nullptr};

void interrupt() {
  Locked lock;
  if (PyErr_CheckSignals() != 0) throw PythonError();
}

}  // namespace

// Only what is owned along a chain of single owners may be told to the collector.
int traverse_autograd(const Tensor& t, visitproc visit, void* arg) {
  const auto* meta = t.impl()->autograd_.get();
  if (!meta) return 0;
  for (const auto& hook : meta->hooks)
    if (hook->use_count() == 1) Py_VISIT(static_cast<PyObject*>(hook->object()));
  for (const auto& hook : meta->post_accumulate_hooks)
    if (hook->use_count() == 1) Py_VISIT(static_cast<PyObject*>(hook->object()));
  if (!meta->grad_fn || meta->grad_fn->use_count() != 1) return 0;
  std::vector<Node*> stack{meta->grad_fn.get()};
  struct Visit {
    visitproc visit;
    void* arg;
  } pair{visit, arg};
  while (!stack.empty()) {
    Node* node = stack.back();
    stack.pop_back();
    const int result = node->traverse(
        [](void* object, void* p) {
          return static_cast<Visit*>(p)->visit(static_cast<PyObject*>(object), static_cast<Visit*>(p)->arg);
        },
        &pair);
    if (result) return result;
    for (const auto& [index, hook] : node->pre_hooks)
      if (hook->use_count() == 1) Py_VISIT(static_cast<PyObject*>(hook->object()));
    for (const auto& hook : node->node_pre_hooks)
      if (hook->use_count() == 1) Py_VISIT(static_cast<PyObject*>(hook->object()));
    for (const auto& hook : node->post_hooks)
      if (hook->use_count() == 1) Py_VISIT(static_cast<PyObject*>(hook->object()));
    for (const Edge& edge : node->next)
      if (edge && edge.node->use_count() == 1) stack.push_back(edge.node.get());
  }
  return 0;
}

void clear_autograd(const Tensor& t) {
  auto* meta = t.impl()->autograd_.get();
  if (!meta) return;
  const auto hooks = std::move(meta->hooks);
  const auto post = std::move(meta->post_accumulate_hooks);
  const Ref<Node> node = std::exchange(meta->grad_fn, {});
}

void init_autograd(PyObject* module) {
  node_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&node_spec));
  saved_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&saved_spec));
  PyModule_AddObjectRef(module, "Node", reinterpret_cast<PyObject*>(node_type));
  PyModule_AddFunctions(module, functions);
  PyObject* dict = tensor_base_type->tp_dict;
  PyObject* method = PyDescr_NewMethod(tensor_base_type, &retain_grad_method);
  PyObject* attribute = PyDescr_NewGetSet(tensor_base_type, &grad_fn_attribute);
  PyDict_SetItemString(dict, "retain_grad", method);
  PyDict_SetItemString(dict, "grad_fn", attribute);
  Py_DECREF(method);
  Py_DECREF(attribute);
  saved_hooks = {pack, unpack};
  check_interrupt = interrupt;
}

}  // namespace flambeau::bind
