#pragma once

#include <algorithm>
#include <cmath>
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
/// link's points; NaN if it is not positive at one of the values that are evaluated. With the exact
/// mean, the flux Θ(u) − Θ(u') of Kirchhoff's transform Θ = ∫ κ du would be exact. Simpson's rule
/// is applied to each piece between ScalarFunction::breaks_in_u, so the mean of a table is exact.
inline double mean_between(ScalarFunction const& conductivity, PerAxis<double> const& place,
                           ValuesOfLink const& values) {
  bool is_positive = true;
  auto const at = [&](double u) {
    double const found = conductivity.at(place[0], place[1], place[2], values.time_s, u);
    is_positive = is_positive && found > 0.0;
    return found;
  };
  if (!conductivity.depends_on_u) return at(0.0);
  if (std::isnan(values.lower + values.upper)) return std::numeric_limits<double>::quiet_NaN();
  auto const& breaks = conductivity.breaks_in_u;
  double const from = std::min(values.lower, values.upper);
  double const to = std::max(values.lower, values.upper);
  double begin = from, at_begin = at(from), sum = 0.0;
  auto const add_piece = [&](double end) {
    double const middle = at(0.5 * begin + 0.5 * end), at_end = at(end);
    double const share = begin == from && end == to ? 1.0 : (end - begin) / (to - from);
    sum += share * (at_begin + 4.0 * middle + at_end) / 6.0;
    begin = end;
    at_begin = at_end;
  };
  auto next = std::upper_bound(breaks.begin(), breaks.end(), from);
  for (; next != breaks.end() && *next < to; ++next) add_piece(*next);
  add_piece(to);
  return is_positive ? sum : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace isotherm
