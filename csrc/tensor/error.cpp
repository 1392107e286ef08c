#include "tensor/error.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace flambeau {

std::string streamed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

void append(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  std::string_view digits(text, end - text);
  out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append(std::string& out, std::span<const int64_t> values) {
  out += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i) out += ", ";
    append(out, values[i]);
  }
  out += ']';
}

}  // namespace flambeau
