#pragma once

#include <string>

#include "kernels/core/error.hpp"

namespace isotherm {

/// Describes a value of the problem that cannot be accepted, usually because it is not finite.
struct ValueFault {
  std::string key;   ///< key of the value in case files, such as "boundary.x_lower"; may be empty
  std::string text;  ///< "the value of the face x_lower is not a finite number at x = 0, y = 0.5"
};

/// Thrown if a value of the problem (a boundary value, a source, a material property) is not finite
/// or otherwise impossible. A reader of case files catches it and adds the place of its key.
///
///     throw ValueRefusal({"equation.source", "the source is not a finite number at x = 0"});
class ValueRefusal : public InputError {
 public:
  explicit ValueRefusal(ValueFault const& fault) : InputError(fault.text), key_(fault.key) {}
  /// The key of the value in case files, to which a reader can add file and line.
  [[nodiscard]] std::string const& key() const { return key_; }

 private:
  std::string key_;
};

}  // namespace isotherm
