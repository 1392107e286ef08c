// Parsing x[...] and x[...] = v (torch/csrc/autograd/python_variable_indexing.cpp): integers, slices, None, ... and
// bools become views; tensors, lists and arrays are left to ops::index and ops::index_put_.
#include "bindings/indexing.h"

#include "bindings/bind.h"
#include "bindings/types.h"
#include "ops/gather.h"
#include "ops/ops.h"

namespace flambeau::bind {
namespace {

constexpr int64_t kEnd = INT64_MAX;

bool is_array(PyObject* o) { return std::string_view(Py_TYPE(o)->tp_name) == "numpy.ndarray"; }
bool is_sequence(PyObject* o) { return PySequence_Check(o) && !is_tensor(o); }

Tensor select_checked(const Tensor& t, int64_t dim, int64_t index) {
  FLAMBEAU_CHECK_AS(IndexError, t.dim() || dim,
                    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                    "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
  const int64_t size = t.size(dim);
  FLAMBEAU_CHECK_AS(IndexError, index >= -size && index < size, "index ", index, " is out of bounds for dimension ",
                    dim, " with size ", size);
  return ops::select(t, dim, index);
}

Tensor slice_by(const Tensor& t, int64_t dim, PyObject* slice) {
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0) throw PythonError();
  FLAMBEAU_CHECK_AS(ValueError, step > 0, "step must be greater than zero");
  FLAMBEAU_CHECK_AS(IndexError, t.dim(), "slice() cannot be applied to a 0-dim tensor.");
  if (start == 0 && step == 1 && stop >= t.size(dim)) return t;
  return ops::slice(t, dim, start, stop, step);
}

int64_t index_value(PyObject* o) {
  int overflow = 0;
  PyObject* number = PyNumber_Index(o);
  if (!number) throw PythonError();
  const int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  FLAMBEAU_CHECK_AS(ValueError, !overflow, "Overflow when unpacking long long");
  if (value == -1 && PyErr_Occurred()) throw PythonError();
  return value;
}

// A nested list of numbers as an index: bool when all are, else int64.
class ListReader {
 public:
  Tensor read(PyObject* list) {
    visit(list, 0);
    Tensor out = empty(sizes_, all_bool_ && !values_.empty() ? DType::Bool : DType::Int64);
    for (size_t i = 0; i < values_.size(); ++i) {
      if (out.dtype() == DType::Bool) out.data<bool>()[i] = values_[i] != 0;
      else out.data<int64_t>()[i] = values_[i];
    }
    return out;
  }

 private:
  void visit(PyObject* o, size_t depth) {
    FLAMBEAU_CHECK_AS(TypeError, !PyUnicode_Check(o) && !PyBytes_Check(o), "new(): invalid data type '",
                      Py_TYPE(o)->tp_name, "'");
    if (is_sequence(o)) {
      const Py_ssize_t n = PySequence_Size(o);
      if (n < 0) throw PythonError();
      if (depth == sizes_.size()) sizes_.push_back(n);
      FLAMBEAU_CHECK_AS(ValueError, sizes_[depth] == n, "expected sequence of length ", sizes_[depth], " at dim ",
                        depth, " (got ", int64_t(n), ")");
      for (Py_ssize_t i = 0; i < n; ++i) {
        PyObject* item = PySequence_GetItem(o, i);
        if (!item) throw PythonError();
        struct Release {
          PyObject* o;
          ~Release() { Py_DECREF(o); }
        } release{item};
        visit(item, depth + 1);
      }
      return;
    }
    FLAMBEAU_CHECK_AS(TypeError, is_number(o) || is_tensor(o), "new(): invalid data type '", Py_TYPE(o)->tp_name, "'");
    const Scalar value = to_scalar(o);
    all_bool_ &= value.is_bool();
    values_.push_back(value.to_int());
  }

  Dims sizes_;
  std::vector<int64_t> values_;
  bool all_bool_ = true;
};

Tensor array_index(PyObject* o) {
  FLAMBEAU_CHECK(python_objects.from_array, "indexing with a NumPy array: NumPy support is not loaded");
  PyObject* made = PyObject_CallOneArg(python_objects.from_array, o);
  if (!made) throw PythonError();
  const Tensor t = unwrap(made);
  Py_DECREF(made);
  return t.is_floating() ? ops::raw_cast(t, DType::Int64) : t;
}

// Lists hold one index for one dimension, unless they hold what only a tuple could mean.
bool means_tuple(PyObject* o) {
  if (PyTuple_Check(o)) return true;
  if (!PyList_Check(o) || PyList_GET_SIZE(o) >= 32) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i) {
    PyObject* item = PyList_GET_ITEM(o, i);
    if (item == Py_None || item == Py_Ellipsis || PySlice_Check(item) || PySequence_Check(item)) return true;
  }
  return false;
}

// The index taken apart: `view` shows what the simple entries leave, `indices` what is left to look up in it.
struct Parsed {
  Tensor view;
  std::vector<OptTensor> indices;
  bool nothing = false;  // a plain False: no element is meant
};

class Parser {
 public:
  Parser(const Tensor& self, PyObject* index) : self_(self) {
    parsed_.view = self;
    if (means_tuple(index)) {
      const Py_ssize_t n = PySequence_Fast_GET_SIZE(index);
      for (Py_ssize_t i = 0; i < n; ++i) add(PySequence_Fast_GET_ITEM(index, i));
    } else {
      add(index);
    }
    FLAMBEAU_CHECK_AS(IndexError, specified_ <= self.dim(), "too many indices for tensor of dimension ", self.dim());
  }

  Parsed take() {
    for (const Entry& entry : entries_) apply(entry);
    return std::move(parsed_);
  }

 private:
  struct Entry {
    PyObject* object;
    Tensor tensor;  // of tensors, lists and arrays
  };

  void add(PyObject* o) {
    Entry entry{o, {}};
    if (is_tensor(o)) entry.tensor = unwrap(o);
    else if (is_array(o)) entry.tensor = array_index(o);
    else if (is_sequence(o)) entry.tensor = ListReader().read(o);
    if (entry.tensor.defined()) {
      const bool mask = entry.tensor.dtype() == DType::Bool || entry.tensor.dtype() == DType::UInt8;
      specified_ += mask ? entry.tensor.dim() : 1;
    } else if (o != Py_None && o != Py_Ellipsis && !PyBool_Check(o)) {
      ++specified_;
    }
    entries_.push_back(std::move(entry));
  }

  void apply(const Entry& entry) {
    PyObject* o = entry.object;
    Tensor& view = parsed_.view;
    if (entry.tensor.defined()) return apply_tensor(entry.tensor);
    if (PyBool_Check(o)) return apply_bool(o == Py_True);
    if (o == Py_None) {
      view = ops::unsqueeze(view, dim_++);
    } else if (o == Py_Ellipsis) {
      dim_ += self_.dim() - specified_;
    } else if (PySlice_Check(o)) {
      view = slice_by(view, dim_++, o);
    } else {
      FLAMBEAU_CHECK_AS(IndexError, PyIndex_Check(o),
                        "only integers, slices (`:`), ellipsis (`...`), None and long or byte "
                        "Variables are valid indices (got ",
                        Py_TYPE(o)->tp_name, ")");
      select(index_value(o));
    }
  }

  void select(int64_t index) {
    const Tensor& view = parsed_.view;
    parsed_.view = select_checked(view, dim_, index);
  }

  void apply_bool(bool value) {
    Tensor mask = empty({1}, DType::Bool);
    *mask.data<bool>() = value;
    parsed_.nothing |= !value;
    parsed_.view = ops::unsqueeze(parsed_.view, dim_);
    look_up(mask);
  }

  void apply_tensor(const Tensor& t) {
    if (t.dim() == 0 && is_integral(t.dtype(), true)) {
      const Scalar value = item_of(t);
      if (t.dtype() == DType::Bool || t.dtype() == DType::UInt8) return apply_bool(value.to_bool());
      return select(value.to_int());
    }
    look_up(t);
  }

  void look_up(const Tensor& index) {
    // A mask covers as many dimensions as it has and is one entry of the lookup.
    parsed_.indices.resize(size_t(dim_ - covered_));
    parsed_.indices.push_back(index);
    const bool mask = index.dtype() == DType::Bool || index.dtype() == DType::UInt8;
    dim_ += mask ? index.dim() : 1;
    covered_ += mask ? index.dim() - 1 : 0;
  }

  const Tensor& self_;
  Parsed parsed_;
  std::vector<Entry> entries_;
  int64_t specified_ = 0, dim_ = 0, covered_ = 0;
};

// The value of an assignment as torch takes it: a tensor, or a number that fits the dtype.
Tensor value_tensor(const Tensor& self, PyObject* value) {
  if (is_tensor(value)) return unwrap(value);
  const bool number = PyFloat_Check(value) || PyLong_Check(value) || is_int(value);
  FLAMBEAU_CHECK_AS(TypeError, number, "can't assign a ", Py_TYPE(value)->tp_name, " to a torch.",
                    legacy_name(self.dtype()), "Tensor");
  const Scalar scalar = PyLong_Check(value) && !PyBool_Check(value) ? Scalar(index_value(value)) : to_scalar(value);
  scalar.check_fits(self.dtype());
  return scalar_tensor(scalar, self.dtype());
}

Tensor without_leading_ones(const Tensor& value) {
  size_t ones = 0;
  while (ones < value.sizes().size() && value.sizes()[ones] == 1) ++ones;
  if (ones == 0) return value;
  return ops::view(value, Dims(IntSpan(value.sizes()).subspan(ones)));
}

void copy_to(const Tensor& place, const Tensor& value) {
  Unlocked unlocked(place.numel() > kUnlockWork);
  if (place.sizes() == value.sizes()) ops::copy_(place, value);
  else ops::copy_(place, ops::expand(without_leading_ones(value), place.sizes()));
}

}  // namespace

PyObject* tensor_getitem(PyObject* object, PyObject* index) {
  return guarded([&]() -> PyObject* {
    const Tensor& self = unwrap(object);
    if (PyLong_CheckExact(index)) return wrap(select_checked(self, 0, index_value(index)));
    if (PySlice_Check(index)) {
      const Tensor view = slice_by(self, 0, index);
      return wrap(view.is(self) ? ops::view(self, self.sizes()) : view);
    }
    const Parsed parsed = Parser(self, index).take();
    if (parsed.indices.empty()) return wrap(parsed.view.is(self) ? ops::view(self, self.sizes()) : parsed.view);
    Tensor out;
    {
      Unlocked unlocked(work_of(parsed.indices) > kUnlockWork || self.numel() > kUnlockWork);
      out = ops::index(parsed.view, parsed.indices);
    }
    return wrap(out);
  });
}

int tensor_setitem(PyObject* object, PyObject* index, PyObject* value) {
  return guarded([&]() -> int {
    FLAMBEAU_CHECK_AS(TypeError, value, "Tensor does not support deleting items");
    const Tensor& self = unwrap(object);
    const Tensor given = value_tensor(self, value);
    const Parsed parsed = Parser(self, index).take();
    if (parsed.nothing) return 0;
    if (parsed.indices.empty()) {
      copy_to(parsed.view, given);
      return 0;
    }
    Unlocked unlocked(work_of(parsed.indices) > kUnlockWork || given.numel() > kUnlockWork);
    ops::index_put_(parsed.view, parsed.indices, without_leading_ones(given));
    return 0;
  });
}

}  // namespace flambeau::bind
