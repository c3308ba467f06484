#pragma once

#include <limits>

#include "kernels/core/box.hpp"
#include "solver/problem/scalar_function.hpp"

namespace isotherm {

/// The values of the field at both points of a link, and the time. Only coefficients that depend on
/// them need them (ScalarFunction::depends_on_u_or_t()).
struct ValuesOfLink {
  double lower = 0.0;
  double upper = 0.0;
  double time_s = 0.0;
};

/// Returns the mean of a conductivity at a place over all values of the field between those of a
/// link's points, by Simpson's rule; NaN if it is not positive at one of the three values. With the
/// exact mean, the flux Θ(u) − Θ(u') of Kirchhoff's transform Θ = ∫ κ du would be exact.
inline double mean_between(ScalarFunction const& conductivity, PerAxis<double> const& place,
                           ValuesOfLink const& values) {
  auto const at = [&](double u) {
    return conductivity.at(place[0], place[1], place[2], values.time_s, u);
  };
  if (!conductivity.depends_on_u) return at(0.0);
  double const lower = at(values.lower);
  double const middle = at(0.5 * values.lower + 0.5 * values.upper);
  double const upper = at(values.upper);
  bool const is_positive = lower > 0.0 && middle > 0.0 && upper > 0.0;
  return is_positive ? (lower + 4.0 * middle + upper) / 6.0
                     : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace isotherm
