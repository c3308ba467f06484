#pragma once

#include <string>

#include "kernels/core/error.hpp"

namespace isotherm {

/// Says of what a value is not finite, and where.
struct ValueFault {
  std::string key;   ///< what it is of, as case files call it: "boundary.x_lower"; may be empty
  std::string text;  ///< "the value of the face x_lower is not a finite number at x = 0, y = 0.5"
};

/// Thrown for a value of the problem that is not finite.
class ValueRefusal : public InputError {
 public:
  explicit ValueRefusal(ValueFault const& fault) : InputError(fault.text), key_(fault.key) {}
  [[nodiscard]] std::string const& key() const { return key_; }

 private:
  std::string key_;
};

}  // namespace isotherm
