// The operator objects: parsing calls by their signature text, choosing overloads, in-place and out= forms, and
// PyTorch's words for calls that fit nothing (torch/csrc/utils/python_arg_parser.cpp).
#include "bindings/bind.h"

#include <structmember.h>

#include <cstring>
#include <memory>
#include <unordered_map>

#include "autograd/node.h"
#include "bindings/types.h"
#include "ops/copy.h"
#include "ops/destination.h"

namespace flambeau::bind {
namespace {

constexpr size_t kMaxArguments = 24;

enum class Option : int8_t { None = -1, DType, Layout, Device, PinMemory, RequiresGrad, MemoryFormat };

struct Parameter {
  PyObject* name;          // interned
  PyObject* default_value; // null: required
  bool keyword_only;
  int slot;                // which C++ argument
  Option option = Option::None;
};

struct Overload {
  std::string signature;
  unsigned forms;
  Implementation implementation;
  bool parsed = false;
  std::vector<Parameter> parameters;
  size_t positional = 0;   // how many may be given by position
  PyObject* result_type = nullptr;  // of a named result
  std::string error;       // the signature is malformed: told on first use
};

struct Operator {
  std::string name;
  std::vector<std::unique_ptr<Overload>> overloads;
  bool refused = false;  // in strict mode: not exact under the profile
};

// In order of definition: nothing may depend on the order of a hash map.
std::vector<std::unique_ptr<Operator>>& operators() {
  static auto* list = new std::vector<std::unique_ptr<Operator>>;
  return *list;
}
std::string& strict_profile() {  // by whose rules operators are refused
  static auto* name = new std::string;
  return *name;
}
std::unordered_map<std::string, Operator*>& by_name() {
  static auto* map = new std::unordered_map<std::string, Operator*>;
  return *map;
}

enum class Mode : uint8_t { Function, Method, InplaceFunction, InplaceMethod };

struct OpObject {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  Operator* op;
  unsigned mask;  // which overloads count
  Mode mode;
  PyObject* name;
};

bool is_method(Mode mode) { return mode == Mode::Method || mode == Mode::InplaceMethod; }
bool is_inplace(Mode mode) { return mode == Mode::InplaceFunction || mode == Mode::InplaceMethod; }

// ---- signatures -----------------------------------------------------------------------------------------------------

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// At commas outside of brackets and quotes.
std::vector<std::string_view> split_arguments(std::string_view s) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= s.size(); ++i) {
    if (i < s.size() && (s[i] == '(' || s[i] == '[')) ++depth;
    if (i < s.size() && (s[i] == ')' || s[i] == ']')) --depth;
    if (i == s.size() || (s[i] == ',' && depth == 0)) {
      const auto part = trim(s.substr(start, i - start));
      if (!part.empty()) parts.push_back(part);
      start = i + 1;
    }
  }
  return parts;
}

// A default: a Python literal.
PyObject* literal(const std::string& text) {
  if (text == "None") return Py_NewRef(Py_None);
  if (text == "True") return Py_NewRef(Py_True);
  if (text == "False") return Py_NewRef(Py_False);
  PyObject* globals = PyDict_New();
  PyObject* value = PyRun_String(text.c_str(), Py_eval_input, globals, globals);
  Py_DECREF(globals);
  return value;
}

PyObject* make_result_type(const std::string& op, std::string_view names) {
  PyObject* fields = PyList_New(0);
  for (const auto part : split_arguments(names)) {
    PyObject* field = PyUnicode_FromStringAndSize(part.data(), Py_ssize_t(part.size()));
    PyList_Append(fields, field);
    Py_DECREF(field);
  }
  PyObject* collections = PyImport_ImportModule("flambeau.return_types");
  PyObject* type = collections ? PyObject_CallMethod(collections, "_make", "sO", op.c_str(), fields) : nullptr;
  Py_XDECREF(collections);
  Py_DECREF(fields);
  return type;
}

void parse_signature(const Operator& op, Overload& overload) {
  overload.parsed = true;
  std::string_view text = overload.signature;
  const size_t arrow = text.find("->");
  if (arrow != std::string_view::npos) {
    overload.result_type = make_result_type(op.name, trim(text.substr(arrow + 2)));
    if (!overload.result_type) throw PythonError();
    text = text.substr(0, arrow);
  }
  const size_t open = text.find('('), close = text.rfind(')');
  bool keyword_only = false;
  int slot = 0;
  auto add = [&](std::string_view name, PyObject* value, bool keyword, int at, Option option) {
    PyObject* interned = PyUnicode_FromStringAndSize(name.data(), Py_ssize_t(name.size()));
    PyUnicode_InternInPlace(&interned);
    overload.parameters.push_back({interned, value, keyword, at, option});
    if (!keyword) ++overload.positional;
  };
  for (const auto part : split_arguments(text.substr(open + 1, close - open - 1))) {
    if (part == "*") {
      keyword_only = true;
    } else if (part == "**options") {
      const std::pair<const char*, Option> names[] = {{"dtype", Option::DType},
                                                      {"layout", Option::Layout},
                                                      {"device", Option::Device},
                                                      {"pin_memory", Option::PinMemory},
                                                      {"requires_grad", Option::RequiresGrad},
                                                      {"memory_format", Option::MemoryFormat}};
      for (const auto& [name, option] : names) add(name, Py_None, true, slot, option);
      ++slot;
    } else {
      const size_t equals = part.find('=');
      PyObject* value = nullptr;
      if (equals != std::string_view::npos) {
        value = literal(std::string(trim(part.substr(equals + 1))));
        if (!value) throw PythonError();
      }
      add(trim(part.substr(0, equals)), value, keyword_only, slot++, Option::None);
    }
  }
  FLAMBEAU_CHECK(size_t(slot) == overload.implementation.types.size() && overload.parameters.size() <= kMaxArguments,
                 "operator '", overload.signature, "' does not match its C++ signature");
}

// ---- one call -------------------------------------------------------------------------------------------------------

bool same_name(PyObject* a, PyObject* b) { return a == b || PyUnicode_Compare(a, b) == 0; }

// PyTorch's own names win; NumPy's axis, keepdims and x are understood, too. The first argument is called `input` in
// functions and `self` in the catalogue.
bool names_parameter(PyObject* keyword, PyObject* parameter) {
  if (same_name(keyword, parameter)) return true;
  const char* given = PyUnicode_AsUTF8(keyword);
  const char* wanted = PyUnicode_AsUTF8(parameter);
  auto pair = [&](const char* a, const char* b) { return !std::strcmp(given, a) && !std::strcmp(wanted, b); };
  return pair("input", "self") || pair("axis", "dim") || pair("keepdims", "keepdim") || pair("x", "self") ||
         pair("x1", "self") || pair("x2", "other") || pair("tensors", "self") || pair("size", "shape") ||
         pair("a", "self");
}

struct Bound {
  PyObject* values[kMaxArguments];   // by slot, borrowed
  OptionValues options;
  PyObject* out = nullptr;
  PyObject* packed = nullptr;        // varargs made into a tuple, owned
  ~Bound() { Py_XDECREF(packed); }
};

// Fills `bound`, or says in `why` (when given) what does not fit.
bool bind_arguments(const OpObject& object, const Overload& overload, PyObject* const* args, size_t given,
                    PyObject* keywords, Bound& bound, std::string* why) {
  const auto& parameters = overload.parameters;
  const auto& types = overload.implementation.types;
  const size_t skip = is_method(object.mode) ? 1 : 0;
  const bool takes_self = !parameters.empty() && !std::strcmp(PyUnicode_AsUTF8(parameters[0].name), "self");
  const char* op = PyUnicode_AsUTF8(object.name);
  PyObject* chosen[kMaxArguments] = {};
  size_t positional = given;
  // x.view(2, 3): where the only positional argument is a list of ints, they may be given one by one.
  const size_t first = takes_self ? 1 : 0;
  size_t use = positional;
  if (overload.positional == first + 1 && types[parameters[first].slot].int_list && given > first &&
      (given > first + 1 || !(PyTuple_Check(args[first]) || PyList_Check(args[first])))) {
    bool ints = true;
    for (size_t i = first; i < given; ++i) ints &= is_int(args[i]) || is_scalar_tensor(args[i]);
    if (ints) {
      bound.packed = PyTuple_New(Py_ssize_t(given - first));
      for (size_t i = first; i < given; ++i) PyTuple_SET_ITEM(bound.packed, Py_ssize_t(i - first), Py_NewRef(args[i]));
      if (first) chosen[0] = args[0];
      chosen[first] = bound.packed;
      use = 0;
    }
  }
  if (use > overload.positional) {
    if (why)
      *why = str(op, "() takes ", overload.positional - skip, " positional argument",
                 overload.positional - skip == 1 ? "" : "s", " but ", positional - skip,
                 positional - skip == 1 ? " was given" : " were given");
    return false;
  }
  for (size_t i = 0; i < use; ++i) chosen[i] = args[i];
  if (keywords) {
    const Py_ssize_t count = PyTuple_GET_SIZE(keywords);
    for (Py_ssize_t k = 0; k < count; ++k) {
      PyObject* keyword = PyTuple_GET_ITEM(keywords, k);
      PyObject* value = args[given + size_t(k)];
      if ((overload.forms & kOut) && !is_inplace(object.mode) &&
          PyUnicode_CompareWithASCIIString(keyword, "out") == 0) {
        if (value != Py_None) bound.out = value;
        continue;
      }
      size_t at = 0;
      while (at < parameters.size() && !same_name(keyword, parameters[at].name)) ++at;
      if (at == parameters.size())
        for (at = 0; at < parameters.size() && !names_parameter(keyword, parameters[at].name);) ++at;
      if (at == parameters.size()) {
        if (why) *why = str(op, "() got an unexpected keyword argument '", PyUnicode_AsUTF8(keyword), "'");
        return false;
      }
      if (chosen[at]) {
        if (why) *why = str(op, "() got multiple values for argument '", PyUnicode_AsUTF8(keyword), "'");
        return false;
      }
      chosen[at] = value;
    }
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& p = parameters[i];
    PyObject* value = chosen[i];
    if (!value) {
      value = p.default_value;
      if (!value) {
        if (why)
          *why = str(op, "() missing 1 required positional arguments: \"",
                     i == 0 && takes_self && !skip ? "input" : PyUnicode_AsUTF8(p.name), "\"");
        return false;
      }
    } else if (p.option == Option::None && !types[p.slot].check(value) &&
               !(value == Py_None && p.default_value == Py_None)) {
      if (why)
        *why = str(op, "(): argument '", i == 0 && takes_self && !skip ? "input" : PyUnicode_AsUTF8(p.name), "'",
                   i < use ? str(" (position ", i + 1 - skip, ")") : std::string(), " must be ", types[p.slot].name,
                   ", not ", Py_TYPE(value)->tp_name);
      return false;
    }
    switch (p.option) {
      case Option::None: bound.values[p.slot] = value; break;
      case Option::DType:
        if (value != Py_None && !is_dtype(value)) {
          if (why) *why = str(op, "(): argument 'dtype' must be torch.dtype, not ", Py_TYPE(value)->tp_name);
          return false;
        }
        bound.options.dtype = value;
        bound.values[p.slot] = reinterpret_cast<PyObject*>(&bound.options);
        break;
      case Option::Layout: bound.options.layout = value; break;
      case Option::Device: bound.options.device = value; break;
      case Option::PinMemory: bound.options.pin_memory = value; break;
      case Option::RequiresGrad: bound.options.requires_grad = value; break;
      case Option::MemoryFormat: bound.options.memory_format = value; break;
    }
  }
  return true;
}

// Every parameter is there, nothing is converted: the text for a call that fits no overload.
std::string no_overload_fits(const OpObject& object, PyObject* const* args, size_t given, PyObject* keywords) {
  std::string text = str(PyUnicode_AsUTF8(object.name), "() received an invalid combination of arguments - got (");
  const size_t skip = is_method(object.mode) ? 1 : 0;
  for (size_t i = skip; i < given; ++i) {
    if (i > skip) text += ", ";
    text += is_tensor(args[i]) ? "Tensor" : Py_TYPE(args[i])->tp_name;
  }
  for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); ++k) {
    if (given > skip || k) text += ", ";
    PyObject* value = args[given + size_t(k)];
    text += str(PyUnicode_AsUTF8(PyTuple_GET_ITEM(keywords, k)), "=",
                is_tensor(value) ? "Tensor" : Py_TYPE(value)->tp_name);
  }
  text += "), but expected one of:";
  for (const auto& overload : object.op->overloads) {
    if (!(overload->forms & object.mask)) continue;
    text += "\n * (";
    bool first = true, star = false;
    for (size_t i = skip; i < overload->parameters.size(); ++i) {
      const Parameter& p = overload->parameters[i];
      if (!first) text += ", ";
      if (p.keyword_only && !star) {
        star = true;
        text += "*, ";
      }
      first = false;
      const bool self = i == 0 && !std::strcmp(PyUnicode_AsUTF8(p.name), "self");
      text += str(p.option == Option::None ? overload->implementation.types[p.slot].name : "option", " ",
                  self ? "input" : PyUnicode_AsUTF8(p.name));
      if (p.default_value) {
        PyObject* repr = PyObject_Repr(p.default_value);
        text += str(" = ", repr ? PyUnicode_AsUTF8(repr) : "?");
        Py_XDECREF(repr);
      }
    }
    text += ")";
  }
  text += "\n";
  return text;
}

void write_out(const Tensor& out, const Tensor& result) {
  if (out.is(result) || same_memory(out, result)) return;
  FLAMBEAU_CHECK(can_cast(result.dtype(), out.dtype()), "result type ", result.dtype(),
                 " can't be cast to the desired output type ", out.dtype());
  if (!(out.sizes() == result.sizes())) {
    FLAMBEAU_CHECK(out.numel() == 0 || out.storage()->owned(),
                   "out= tensor of another size can't be resized: its memory is not ours");
    if (out.numel() != 0)
      PyErr_WarnFormat(
          PyExc_UserWarning, 1,
          "An output with one or more elements was resized since it had a shape that does not match the required "
          "output shape. This behavior is deprecated, and in a future PyTorch release outputs will not be resized "
          "unless they have zero elements.");
    const size_t bytes = (size_t(out.storage_offset()) + size_t(result.numel())) * out.itemsize();
    if (out.storage()->nbytes() < bytes) out.storage()->resize(bytes);
    out.impl()->set_geometry(result.sizes(), contiguous_strides(result.sizes()), out.storage_offset());
  }
  ops::raw_copy(out, result);
  out.bump_version();
}

void refuse_gradients(const Bound& bound, size_t slots, const Tensor& out) {
  if (!grad_enabled()) return;
  bool needed = out.requires_grad();
  for (size_t i = 0; i < slots; ++i) {
    PyObject* value = bound.values[i];
    if (value != reinterpret_cast<PyObject*>(const_cast<OptionValues*>(&bound.options)) && value && is_tensor(value))
      needed |= unwrap(value).requires_grad();
  }
  FLAMBEAU_CHECK(!needed,
                 "functions with out=... arguments don't support automatic differentiation, but one of the "
                 "arguments requires grad.");
}

PyObject* call_out(const Overload& overload, Bound& bound) {
  const size_t slots = overload.implementation.types.size();
  if (!overload.implementation.tensor) {
    FLAMBEAU_CHECK_AS(TypeError, PyTuple_Check(bound.out) || PyList_Check(bound.out),
                      "argument 'out' must be tuple of Tensors, not ", Py_TYPE(bound.out)->tp_name);
    PyObject* result = overload.implementation.object(bound.values);
    if (!result) return nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result) && i < PySequence_Fast_GET_SIZE(bound.out); ++i) {
      PyObject* target = PySequence_Fast_GET_ITEM(bound.out, i);
      FLAMBEAU_CHECK_AS(TypeError, is_tensor(target), "argument 'out' must be tuple of Tensors");
      refuse_gradients(bound, slots, unwrap(target));
      write_out(unwrap(target), unwrap(PyTuple_GET_ITEM(result, i)));
    }
    Py_DECREF(result);
    return PySequence_Tuple(bound.out);
  }
  FLAMBEAU_CHECK_AS(TypeError, is_tensor(bound.out), "argument 'out' must be Tensor, not ",
                    Py_TYPE(bound.out)->tp_name);
  const Tensor out = unwrap(bound.out);
  refuse_gradients(bound, slots, out);
  Tensor result;
  if (overload.forms & kDirect) {
    check_no_internal_overlap(out);
    bool partial = false;
    for (size_t i = 0; i < slots; ++i)
      if (overload.implementation.types[i].check != From<Options>::check && bound.values[i] &&
          is_tensor(bound.values[i]))
        check_no_partial_overlap(out, unwrap(bound.values[i])),
            partial |= may_overlap(out, unwrap(bound.values[i])) && !same_memory(out, unwrap(bound.values[i]));
    if (!partial) {
      Destination destination(out);
      result = overload.implementation.tensor(bound.values);
    } else {
      result = overload.implementation.tensor(bound.values);
    }
    if (same_memory(out, result)) out.bump_version();
  } else {
    result = overload.implementation.tensor(bound.values);
  }
  write_out(out, result);
  return Py_NewRef(bound.out);
}

// Another object in an argument's place, for a while.
class Replaced {
 public:
  Replaced(PyObject*& place, PyObject* object) : place_(place), before_(std::exchange(place, object)) {}
  ~Replaced() { Py_DECREF(std::exchange(place_, before_)); }

 private:
  PyObject*& place_;
  PyObject* before_;
};

PyObject* call_inplace(const Overload& overload, Bound& bound) {
  const Tensor self = unwrap(bound.values[0]);
  const auto call = overload.implementation.tensor;
  check_inplace(self);
  bool recorded = false, overlaps = false;
  for (size_t i = 0; i < overload.implementation.types.size(); ++i) {
    if (overload.implementation.types[i].check == From<Options>::check || !bound.values[i] ||
        !is_tensor(bound.values[i]))
      continue;
    const Tensor& t = unwrap(bound.values[i]);
    recorded |= grad_enabled() && t.requires_grad();
    overlaps |= may_overlap(self, t) && !same_memory(self, t);
  }
  if ((overload.forms & kDirect) && !recorded && !overlaps) {
    check_no_internal_overlap(self);
    Tensor result;
    {
      Destination destination(self);
      result = call(bound.values);
    }
    if (same_memory(self, result)) self.bump_version();
    else assign_inplace(self, result);
  } else if ((overload.forms & kDirect) && recorded) {
    const Tensor before = stand_in(self);
    Tensor result;
    {
      const Replaced self_argument(bound.values[0], wrap(before));
      result = call(bound.values);
    }
    keep_value(before);
    assign_inplace(self, result);
  } else {
    assign_inplace(self, call(bound.values));
  }
  return Py_NewRef(bound.values[0]);
}

PyObject* finish(const Overload& overload, Bound& bound, Mode mode) {
  if (is_inplace(mode)) return call_inplace(overload, bound);
  if (bound.out) return call_out(overload, bound);
  if (overload.implementation.tensor) {
    Tensor result = overload.implementation.tensor(bound.values);
    if (!none(bound.options.requires_grad) && bound.options.requires_grad == Py_True) result.set_requires_grad(true);
    return wrap(std::move(result));
  }
  PyObject* result = overload.implementation.object(bound.values);
  if (result && overload.result_type)
    Py_SETREF(result, PyObject_CallFunctionObjArgs(overload.result_type, result, nullptr));
  return result;
}

PyObject* call(PyObject* callable, PyObject* const* args, size_t flags, PyObject* keywords) {
  auto& object = *reinterpret_cast<OpObject*>(callable);
  const size_t given = size_t(PyVectorcall_NARGS(flags));
  try {
    FLAMBEAU_CHECK(!object.op->refused, object.op->name, " is not known to be exact under ", strict_profile(),
                   ", and strict numerics refuse it: flambeau.numerics.status(\"", object.op->name,
                   "\") and docs/numerics.md say what is known");
    size_t candidates = 0;
    Overload* last = nullptr;
    for (auto& overload : object.op->overloads) {
      if (!(overload->forms & object.mask)) continue;
      if (!overload->parsed) [[unlikely]]
        parse_signature(*object.op, *overload);
      ++candidates;
      last = overload.get();
      Bound bound;
      if (bind_arguments(object, *overload, args, given, keywords, bound, nullptr))
        return finish(*overload, bound, object.mode);
    }
    std::string why;
    Bound bound;
    if (candidates == 1) bind_arguments(object, *last, args, given, keywords, bound, &why);
    else why = no_overload_fits(object, args, given, keywords);
    throw TypeError(why);
  } catch (...) {
    translate_exception();
    return nullptr;
  }
}

// ---- the Python type ------------------------------------------------------------------------------------------------

PyObject* op_repr(PyObject* self) {
  auto* object = reinterpret_cast<OpObject*>(self);
  return PyUnicode_FromFormat(
      is_method(object->mode) ? "<method '%U' of 'flambeau.Tensor' objects>" : "<built-in method %U of flambeau>",
      object->name);
}
PyObject* op_bind(PyObject* self, PyObject* instance, PyObject*) {
  auto* object = reinterpret_cast<OpObject*>(self);
  if (!instance || !is_method(object->mode)) return Py_NewRef(self);
  return PyMethod_New(self, instance);
}
PyObject* op_name(PyObject* self, void*) { return Py_NewRef(reinterpret_cast<OpObject*>(self)->name); }
PyObject* op_module(PyObject*, void*) { return PyUnicode_FromString("flambeau"); }
PyObject* op_signatures(PyObject* self, void*) {
  auto* object = reinterpret_cast<OpObject*>(self);
  PyObject* list = PyList_New(0);
  for (const auto& overload : object->op->overloads) {
    if (!(overload->forms & object->mask)) continue;
    std::string types;
    for (const auto& type : overload->implementation.types) types += str(types.empty() ? "" : "|", type.name);
    PyObject* text = Py_BuildValue("(ssIs)", overload->signature.c_str(), types.c_str(), overload->forms,
                                   overload->implementation.result);
    PyList_Append(list, text);
    Py_DECREF(text);
  }
  return list;
}
// What Python says of an operator is made in Python (flambeau/_signatures.py), from _signatures.
PyObject* described(PyObject* self, const char* how) {
  const Mode mode = reinterpret_cast<OpObject*>(self)->mode;
  PyObject* module = PyImport_ImportModule("flambeau._signatures");
  PyObject* result = module ? PyObject_CallMethod(module, how, "OOO", self, is_method(mode) ? Py_True : Py_False,
                                                  is_inplace(mode) ? Py_True : Py_False)
                            : nullptr;
  Py_XDECREF(module);
  return result;
}
PyObject* op_doc(PyObject* self, void*) { return described(self, "doc"); }
PyObject* op_signature(PyObject* self, void*) { return described(self, "signature"); }
PyObject* op_reduce(PyObject* self, PyObject*) { return Py_NewRef(reinterpret_cast<OpObject*>(self)->name); }
PyMethodDef op_methods[] = {{"__reduce__", op_reduce, METH_NOARGS, nullptr}, {}};
PyGetSetDef op_getset[] = {{"__name__", op_name, nullptr, nullptr, nullptr},
                           {"__qualname__", op_name, nullptr, nullptr, nullptr},
                           {"__module__", op_module, nullptr, nullptr, nullptr},
                           {"__doc__", op_doc, nullptr, nullptr, nullptr},
                           {"__signature__", op_signature, nullptr, nullptr, nullptr},
                           {"_signatures", op_signatures, nullptr, nullptr, nullptr},
                           {}};
PyMemberDef op_members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(OpObject, vectorcall), READONLY, nullptr},
                            {}};
PyType_Slot op_slots[] = {{Py_tp_repr, (void*)op_repr},
                          {Py_tp_call, (void*)PyVectorcall_Call},
                          {Py_tp_descr_get, (void*)op_bind},
                          {Py_tp_getset, op_getset},
                          {Py_tp_members, op_members},
                          {Py_tp_methods, op_methods},
                          {0, nullptr}};
PyType_Spec op_spec = {"flambeau._C.Operator", sizeof(OpObject), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, op_slots};
// The same, without the flag that lets the interpreter pass self itself: functions.
PyType_Spec function_spec = {"flambeau._C.Function", sizeof(OpObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, op_slots};

PyTypeObject* function_type = nullptr;

PyObject* new_op(Operator* op, unsigned mask, Mode mode, const std::string& name) {
  auto* object = PyObject_New(OpObject, is_method(mode) ? op_type : function_type);
  object->vectorcall = call;
  object->op = op;
  object->mask = mask;
  object->mode = mode;
  object->name = PyUnicode_InternFromString(name.c_str());
  return reinterpret_cast<PyObject*>(object);
}

}  // namespace

PyTypeObject* op_type = nullptr;

void define(const char* signature, unsigned forms, Implementation implementation) {
  std::string name(signature, std::strchr(signature, '(') - signature);
  Operator*& op = by_name()[name];
  if (!op) {
    operators().push_back(std::make_unique<Operator>());
    op = operators().back().get();
    op->name = name;
  }
  auto overload = std::make_unique<Overload>();
  overload->signature = signature;
  overload->forms = forms;
  overload->implementation = std::move(implementation);
  op->overloads.push_back(std::move(overload));
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const auto& op : operators()) names.push_back(op->name);
  return names;
}

void refuse_operators(const std::vector<std::string>& names, const std::string& profile) {
  for (auto& op : operators()) op->refused = false;
  for (const auto& name : names) by_name().at(name)->refused = true;
  strict_profile() = profile;
}

PyObject* call_operator(const char* name, PyObject* const* args, size_t count) {
  static auto* cache = new std::unordered_map<std::string_view, PyObject*>;
  PyObject*& op = (*cache)[name];
  if (!op) op = PyObject_GetAttrString(reinterpret_cast<PyObject*>(tensor_base_type), name);
  if (!op) return nullptr;
  return PyObject_Vectorcall(op, args, count, nullptr);
}

void init_ops(PyObject* module) {
  op_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&op_spec));
  function_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&function_spec));
  struct Space {
    unsigned form;
    const char* name;
    PyObject* dict;
  };
  Space spaces[] = {{kFunction, "_VariableFunctions", nullptr},
                    {kNN, "_nn", nullptr},
                    {kLinalg, "_linalg", nullptr},
                    {kSpecial, "_special", nullptr}};
  PyObject* modules = PyImport_GetModuleDict();
  for (auto& space : spaces) {
    const std::string full = str("flambeau._C.", space.name);
    PyObject* sub = PyModule_New(full.c_str());
    PyModule_AddObjectRef(module, space.name, sub);
    PyDict_SetItemString(modules, full.c_str(), sub);
    space.dict = PyModule_GetDict(sub);
  }
  PyObject* type_dict = tensor_base_type->tp_dict;
  auto put = [](PyObject* dict, const std::string& name, PyObject* op) {
    PyDict_SetItemString(dict, name.c_str(), op);
    Py_DECREF(op);
  };
  for (auto& op : operators()) {
    unsigned forms = 0;
    for (auto& overload : op->overloads) forms |= overload->forms;
    for (auto& space : spaces)
      if (forms & space.form) put(space.dict, op->name, new_op(op.get(), space.form, Mode::Function, op->name));
    if (forms & kMethod) put(type_dict, op->name, new_op(op.get(), kMethod, Mode::Method, op->name));
    if (forms & kInplace) {
      const std::string name = op->name + "_";
      if (!by_name().count(name)) {  // one defined by hand wins
        put(type_dict, name, new_op(op.get(), kInplace, Mode::InplaceMethod, name));
        PyObject* dict = spaces[forms & kFunction ? 0 : forms & kNN ? 1 : forms & kSpecial ? 3 : 0].dict;
        put(dict, name, new_op(op.get(), kInplace, Mode::InplaceFunction, name));
      }
    }
  }
  PyType_Modified(tensor_base_type);
}

}  // namespace flambeau::bind
