// Exceptions of the core and the one macro that raises them. The bindings map each class to the Python
// exception of the same name; `Error` is RuntimeError, as in PyTorch.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace flambeau {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct IndexError : Error {
  using Error::Error;
};
struct ValueError : Error {
  using Error::Error;
};
struct TypeError : Error {
  using Error::Error;
};
struct NotImplementedError : Error {
  using Error::Error;
};
struct OutOfMemoryError : Error {
  using Error::Error;
};
// A Python exception is set in the interpreter (a hook or custom function failed); the bindings hand it on.
struct PythonError : Error {
  PythonError() : Error("python exception") {}
};

// A number as C++ streams print it, six digits, which is how most of PyTorch's messages show it.
std::string streamed(double value);

inline void append(std::string& out, std::string_view text) { out += text; }
inline void append(std::string& out, const char* text) { out += text; }
inline void append(std::string& out, char c) { out += c; }
inline void append(std::string& out, bool value) { out += value ? "True" : "False"; }
void append(std::string& out, double value);  // shortest text that reads back, as Python prints it
template <class Int>
  requires std::is_integral_v<Int>
void append(std::string& out, Int value) {
  out += std::to_string(value);
}
// [2, 3], as PyTorch prints sizes in messages.
void append(std::string& out, std::span<const int64_t> values);

template <class... Parts>
std::string str(const Parts&... parts) {
  std::string out;
  (append(out, parts), ...);
  return out;
}

}  // namespace flambeau

// The message is built only when the condition fails.
#define FLAMBEAU_CHECK_AS(Exception, condition, ...)             \
  do {                                                           \
    if (!(condition)) [[unlikely]]                               \
      throw ::flambeau::Exception(::flambeau::str(__VA_ARGS__)); \
  } while (0)
#define FLAMBEAU_CHECK(condition, ...) FLAMBEAU_CHECK_AS(Error, condition, __VA_ARGS__)
