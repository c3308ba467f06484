#pragma once

#include "kernels/core/error.hpp"

namespace isotherm {

/// Thrown on every rank if the values of the field have broken down: they are no longer finite, or
/// grow without bound. The field can still be read to find the points.
class Breakdown : public Error {
 public:
  using Error::Error;
};

/// Thrown on every rank if the iteration of a time step does not converge. The field is not that of
/// any time. The program ends with exit code 3.
class NotConverged : public Error {
 public:
  using Error::Error;
};

/// Throws Breakdown if the condition is false.
inline void require_sound(bool condition, std::string_view problem, Where where = Where::here()) {
  if (!condition) throw Breakdown(problem, where);
}

}  // namespace isotherm
