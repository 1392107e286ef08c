// A Python number: bool, int or float. Its category, not its width, takes part in type promotion.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace flambeau {

class Scalar {
 public:
  Scalar() : Scalar(int64_t(0)) {}
  Scalar(bool value) : kind_(DType::Bool), int_(value) {}
  Scalar(int value) : kind_(DType::Int64), int_(value) {}
  Scalar(int64_t value) : kind_(DType::Int64), int_(value) {}
  Scalar(double value) : kind_(DType::Float64), double_(value) {}
  Scalar(float value) : kind_(DType::Float64), double_(value) {}

  bool is_bool() const { return kind_ == DType::Bool; }
  bool is_integral(bool include_bool = false) const { return kind_ == DType::Int64 || (include_bool && is_bool()); }
  bool is_floating() const { return kind_ == DType::Float64; }
  DType kind() const { return kind_; }  // Bool, Int64 or Float64
  // The dtype a tensor made of this number has: bool, int64 or the default dtype.
  DType natural_dtype() const { return is_floating() ? default_dtype() : kind_; }

  double to_double() const { return is_floating() ? double_ : double(int_); }
  int64_t to_int() const { return is_floating() ? int64_t(double_) : int_; }
  bool to_bool() const { return is_floating() ? double_ != 0 : int_ != 0; }
  template <class T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>) return to_bool();
    else if constexpr (std::is_integral_v<T>) return is_floating() ? T(int64_t(double_)) : T(int_);
    else if constexpr (std::is_same_v<T, double>) return to_double();
    else return is_floating() ? T(float(double_)) : T(float(int_));
  }
  // Integers that the dtype can't hold are an error, as in PyTorch's fill and comparisons.
  void check_fits(DType dtype) const;
  Scalar operator-() const { return is_floating() ? Scalar(-double_) : Scalar(-int_); }
  bool equals(double value) const { return to_double() == value; }

 private:
  DType kind_;
  union {
    int64_t int_;
    double double_;
  };
};

inline void append(std::string& out, Scalar value) {
  if (value.is_floating()) append(out, value.to_double());
  else if (value.is_bool()) append(out, value.to_bool());
  else append(out, value.to_int());
}

}  // namespace flambeau
