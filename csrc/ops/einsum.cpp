// einsum as PyTorch computes it (Linear.cpp): operands are brought to one order of dimensions, then contracted two at
// a time, each pair as one bmm; dimensions that no later operand and no output needs are summed away on the way.
#include <algorithm>
#include <array>

#include "ops/copy.h"
#include "ops/matmul.h"
#include "ops/pointwise.h"
#include "ops/reduce.h"
#include "ops/views.h"

namespace flambeau::ops {
namespace {

constexpr int kEllipsis = 52;  // after the letters A-Z, a-z
constexpr int kLabels = 52;
constexpr int64_t kAbsent = -1;

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
int label_of(char c) { return c >= 'a' ? c - 'a' + 26 : c - 'A'; }
char letter_of(int label) { return char(label < 26 ? 'A' + label : 'a' + label - 26); }

// What "ij,jk->ik" says, as labels.
struct Equation {
  std::vector<std::vector<int>> operands;
  std::vector<int> output;
  bool explicit_output = false;
};

Equation parse(const std::string& text, size_t operand_count) {
  Equation equation;
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  equation.operands.resize(operand_count);
  size_t current = 0;
  bool found_ellipsis = false;
  for (size_t i = 0; i < left.size(); ++i) {
    const char c = left[i];
    if (c == ' ') continue;
    if (c == '.') {
      FLAMBEAU_CHECK(!found_ellipsis, "einsum(): found '.' for operand ", current,
                     " for which an ellipsis was already found");
      FLAMBEAU_CHECK(left.compare(i, 3, "...") == 0, "einsum(): found '.' for operand ", current,
                     " that is not part of any ellipsis");
      equation.operands[current].push_back(kEllipsis);
      found_ellipsis = true;
      i += 2;
    } else if (c == ',') {
      ++current;
      FLAMBEAU_CHECK(current < operand_count, "einsum(): fewer operands were provided than specified in the equation");
      found_ellipsis = false;
    } else {
      FLAMBEAU_CHECK(is_letter(c), "einsum(): invalid subscript given at index ", i,
                     " in the equation string, subscripts must be in [a-zA-Z]");
      equation.operands[current].push_back(label_of(c));
    }
  }
  FLAMBEAU_CHECK(current == operand_count - 1, "einsum(): more operands were provided than specified in the equation");
  if (arrow == std::string::npos) return equation;
  equation.explicit_output = true;
  bool output_ellipsis = false;
  for (size_t i = arrow + 2; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '.') {
      FLAMBEAU_CHECK(!output_ellipsis, "einsum(): found '.' for output but an ellipsis (...) was already found");
      FLAMBEAU_CHECK(text.compare(i, 3, "...") == 0,
                     "einsum(): found '.' for output that is not part of any ellipsis (...)");
      equation.output.push_back(kEllipsis);
      output_ellipsis = true;
      i += 2;
    } else {
      FLAMBEAU_CHECK(is_letter(c), "einsum(): invalid subscript given at index ", i,
                     " in the equation string, subscripts must be in [a-zA-Z]");
      equation.output.push_back(label_of(c));
    }
  }
  return equation;
}

// The common order of dimensions: the output's, then the contracted ones.
struct Layout {
  std::array<int64_t, kLabels> index;    // place of each label
  std::array<int64_t, kLabels> count{};  // in how many operands' subscripts (each repetition counts)
  int64_t ellipsis_index = 0, ellipsis_size = 0;
  int64_t output_size = 0, total = 0;
};

Layout plan(const Equation& equation, const TensorList& operands) {
  Layout layout;
  layout.index.fill(kAbsent);
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto& labels = equation.operands[i];
    const int64_t dims = operands[i].dim();
    int64_t subscripts = int64_t(labels.size());
    bool has_ellipsis = false;
    for (const int label : labels) {
      if (label == kEllipsis) {
        has_ellipsis = true;
        --subscripts;
      } else {
        ++layout.count[label];
      }
    }
    if (has_ellipsis) {
      FLAMBEAU_CHECK(subscripts <= dims, "einsum(): the number of subscripts in the equation (", subscripts,
                     ") is more than the number of dimensions (", dims, ") for operand ", i);
      layout.ellipsis_size = std::max(layout.ellipsis_size, dims - subscripts);
    } else {
      FLAMBEAU_CHECK(subscripts == dims, "einsum(): the number of subscripts in the equation (", subscripts,
                     ") does not match the number of dimensions (", dims, ") for operand ", i,
                     " and no ellipsis was given");
    }
  }
  bool ellipsis_placed = false;
  int64_t next = 0;
  if (equation.explicit_output) {
    for (const int label : equation.output) {
      if (label == kEllipsis) {
        layout.ellipsis_index = next;
        next += layout.ellipsis_size;
        ellipsis_placed = true;
        continue;
      }
      FLAMBEAU_CHECK(layout.index[label] == kAbsent, "einsum(): output subscript ", letter_of(label),
                     " appears more than once in the output");
      FLAMBEAU_CHECK(layout.count[label] > 0, "einsum(): output subscript ", letter_of(label),
                     " does not appear in the equation for any input operand");
      layout.index[label] = next++;
    }
  } else {
    next = layout.ellipsis_size;
    ellipsis_placed = true;
    for (int label = 0; label < kLabels; ++label)
      if (layout.count[label] == 1) layout.index[label] = next++;
  }
  layout.output_size = next;
  if (!ellipsis_placed) {
    layout.ellipsis_index = next;
    next += layout.ellipsis_size;
  }
  for (int label = 0; label < kLabels; ++label)
    if (layout.count[label] > 0 && layout.index[label] == kAbsent) layout.index[label] = next++;
  layout.total = next;
  return layout;
}

// An operand with its dimensions in the common order, size 1 where it lacks one.
Tensor arranged(Tensor operand, const std::vector<int>& labels, const Layout& layout, size_t which,
                std::array<int64_t, kLabels>& label_size, std::vector<int64_t>& ellipsis_sizes) {
  Dims order(size_t(layout.total), kAbsent);
  int64_t dim = 0;
  const Dims original = operand.sizes();
  for (const int label : labels) {
    if (label == kEllipsis) {
      const int64_t missing = layout.ellipsis_size - (int64_t(original.size()) - int64_t(labels.size() - 1));
      for (int64_t i = missing; i < layout.ellipsis_size; ++i) {
        auto& size = ellipsis_sizes[size_t(i)];
        if (size == 1) size = operand.size(dim);
        order[size_t(layout.ellipsis_index + i)] = dim++;
      }
    } else if (order[size_t(layout.index[label])] == kAbsent) {
      const int64_t size = operand.size(dim);
      if (size != 1) {
        FLAMBEAU_CHECK(label_size[label] == 1 || label_size[label] == size, "einsum(): subscript ", letter_of(label),
                       " has size ", size, " for operand ", which,
                       " which does not broadcast with previously seen size ", label_size[label]);
        label_size[label] = size;
      }
      order[size_t(layout.index[label])] = dim++;
    } else {
      // Repeated: its diagonal takes the first one's place.
      const int64_t first = order[size_t(layout.index[label])];
      FLAMBEAU_CHECK(operand.size(first) == operand.size(dim), "einsum(): subscript ", letter_of(label),
                     " is repeated for operand ", which, " but the sizes don't match, ", operand.size(dim),
                     " != ", operand.size(first));
      operand = movedim(diagonal(operand, 0, first, dim), {-1}, {first});
    }
  }
  for (auto& place : order)
    if (place == kAbsent) {
      operand = unsqueeze(operand, dim);
      place = dim++;
    }
  return permute(operand, order);
}

// Multiplies two operands of equal numbers of dimensions and sums over sum_dims, which both have; they keep size 1.
Tensor sumproduct_pair(const Tensor& left, const Tensor& right, const Dims& sum_dims) {
  FLAMBEAU_CHECK(left.dtype() == right.dtype(), "expected scalar type ", left.dtype(), " but found ", right.dtype());
  bool summed[kMaxDim] = {};
  for (const int64_t dim : sum_dims) summed[dim] = true;
  // Kinds of dimensions: in both and in the output; only left; only right; summed.
  Dims both, only_left, only_right, contracted;
  int64_t both_size = 1, left_size = 1, right_size = 1, inner = 1;
  const int64_t ndim = left.dim();
  for (int64_t i = 0; i < ndim; ++i) {
    const bool in_left = left.size(i) != 1, in_right = right.size(i) != 1;
    if (in_left && in_right) FLAMBEAU_CHECK(left.size(i) == right.size(i), "non-broadcast dimensions must match");
    if (summed[i]) {
      contracted.push_back(i);
      inner *= left.size(i);
    } else if (in_left && in_right) {
      both.push_back(i);
      both_size *= left.size(i);
    } else if (in_left) {
      only_left.push_back(i);
      left_size *= left.size(i);
    } else {
      only_right.push_back(i);
      right_size *= right.size(i);
    }
  }
  Dims left_order, right_order, out_shape, out_order(size_t(ndim), 0);
  for (const Dims* part : {&both, &only_left, &contracted, &only_right})
    for (const int64_t dim : *part) left_order.push_back(dim);
  for (const Dims* part : {&both, &contracted, &only_right, &only_left})
    for (const int64_t dim : *part) right_order.push_back(dim);
  int64_t place = 0;
  const auto put = [&](int64_t dim, int64_t size) {
    out_shape.push_back(size);
    out_order[size_t(dim)] = place++;
  };
  for (const int64_t dim : both) put(dim, left.size(dim));
  for (const int64_t dim : only_left) put(dim, left.size(dim));
  for (const int64_t dim : contracted) put(dim, 1);
  for (const int64_t dim : only_right) put(dim, right.size(dim));
  const Tensor a = reshape(permute(left, left_order), {both_size, left_size, inner});
  const Tensor b = reshape(permute(right, right_order), {both_size, inner, right_size});
  return permute(reshape(bmm(a, b), out_shape), out_order);
}

}  // namespace

Tensor einsum(const std::string& equation_text, const TensorList& tensors, const std::optional<Dims>& path) {
  FLAMBEAU_CHECK_AS(ValueError, !tensors.empty(), "einsum(): must provide at least one operand");
  const Equation equation = parse(equation_text, tensors.size());
  const Layout layout = plan(equation, tensors);
  std::array<int64_t, kLabels> label_size;
  label_size.fill(1);
  std::vector<int64_t> ellipsis_sizes(size_t(layout.ellipsis_size), 1);
  TensorList operands;
  for (size_t i = 0; i < tensors.size(); ++i)
    operands.push_back(arranged(tensors[i], equation.operands[i], layout, i, label_size, ellipsis_sizes));

  // How many operands still have each contracted dimension.
  std::vector<int64_t> uses(size_t(layout.total), 0);
  for (int64_t dim = layout.output_size; dim < layout.total; ++dim)
    for (const Tensor& operand : operands) uses[size_t(dim)] += operand.size(dim) != 1;

  if (path)
    FLAMBEAU_CHECK(path->size() == 2 * (operands.size() - 1) || path->empty() || operands.size() == 1,
                   "einsum(): expected contraction path given in path parameter to have size ",
                   2 * (operands.size() - 1), " but got ", path->size());
  size_t step = 0;
  while (operands.size() > 1) {
    size_t i = 0, j = 1;
    if (path && step + 1 < path->size()) {
      i = size_t(std::min((*path)[step], (*path)[step + 1]));
      j = size_t(std::max((*path)[step], (*path)[step + 1]));
      FLAMBEAU_CHECK(i != j && j < operands.size() && (*path)[step] >= 0 && (*path)[step + 1] >= 0,
                     "einsum(): invalid contraction path (", (*path)[step], ", ", (*path)[step + 1],
                     ") is not a valid pair of operands");
      step += 2;
    }
    Tensor a = operands[i], b = operands[j];
    operands.erase(operands.begin() + int64_t(j));
    operands.erase(operands.begin() + int64_t(i));
    Dims sum_both, sum_a, sum_b;
    for (int64_t dim = layout.output_size; dim < layout.total; ++dim) {
      int64_t& left = uses[size_t(dim)];
      const bool in_a = a.size(dim) != 1, in_b = b.size(dim) != 1;
      if (in_a && in_b) {
        if (--left > 1) continue;
        sum_both.push_back(dim);
        left = 0;
      } else if (left == 1 && (in_a || in_b)) {
        (in_a ? sum_a : sum_b).push_back(dim);
        left = 0;
      }
    }
    if (!sum_a.empty()) a = sum(a, sum_a, true);
    if (!sum_b.empty()) b = sum(b, sum_b, true);
    const Tensor product = sum_both.empty() ? mul(a, b) : sumproduct_pair(a, b, sum_both);
    if (path && !path->empty()) operands.push_back(product);
    else operands.insert(operands.begin(), product);
  }
  Tensor out = operands[0];
  Dims rest;
  for (int64_t dim = layout.output_size; dim < layout.total; ++dim) rest.push_back(dim);
  if (rest.empty()) return out;
  // What is left of the contracted dimensions is summed, or, when all have size 1, only dropped.
  bool any = false;
  for (const int64_t dim : rest) any |= out.size(dim) != 1;
  return any ? sum(out, rest) : squeeze_dims(out, rest);
}

}  // namespace flambeau::ops
