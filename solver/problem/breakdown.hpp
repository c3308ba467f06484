#pragma once

#include "kernels/core/error.hpp"

namespace isotherm {

/// Thrown on every rank, where the numbers of the field have gone wrong: it is no longer finite, or
/// grows without bound. The field itself can still be read, to see where.
class Breakdown : public Error {
 public:
  using Error::Error;
};

inline void require_sound(bool condition, std::string_view problem, Where where = Where::here()) {
  if (!condition) throw Breakdown(problem, where);
}

}  // namespace isotherm
