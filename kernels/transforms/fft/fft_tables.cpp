#include "kernels/transforms/fft/fft_tables.hpp"

#include <cmath>
#include <numbers>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Returns the number of quarter half-waves of a mode: the eigenvalue is 4 sin²(π q / (8 N)).
std::int64_t quarter_waves(AxisEnds ends, std::int64_t intervals, std::int64_t mode) {
  switch (ends) {
    case AxisEnds::dirichlet:
      return 4 * (mode + 1);
    case AxisEnds::neumann:
      return 4 * mode;
    case AxisEnds::periodic:
      return 8 * (2 * mode <= intervals ? mode : intervals - mode);
    default:
      return 4 * mode + 2;
  }
}

bool has_mixed_ends(AxisEnds ends) {
  return ends == AxisEnds::dirichlet_neumann || ends == AxisEnds::neumann_dirichlet;
}

}  // namespace

Complex<long double> unit_root(std::int64_t numerator, std::int64_t denominator) {
  // eighths of a turn, and the rest in units of 1/(8 denominator) of a turn
  std::int64_t const in_eighths = 8 * (numerator % denominator);
  std::int64_t const eighth = in_eighths / denominator;
  std::int64_t rest = in_eighths % denominator;
  bool const is_backward = eighth % 2 == 1;  // measured from the next quarter of a turn
  if (is_backward) rest = denominator - rest;
  long double const angle = std::numbers::pi_v<long double> * static_cast<long double>(rest) /
                            (4.0L * static_cast<long double>(denominator));
  long double const c = std::cos(angle);
  long double const s = is_backward ? -std::sin(angle) : std::sin(angle);
  switch ((eighth + 1) / 2 % 4) {  // quarters of a turn
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

std::int64_t point_count(AxisEnds ends, std::int64_t intervals) {
  if (ends == AxisEnds::dirichlet) return intervals - 1;
  if (ends == AxisEnds::neumann) return intervals + 1;
  return intervals;
}

std::vector<double> fft_eigenvalues(AxisEnds ends, std::int64_t intervals) {
  std::vector<double> eigenvalues;
  for (std::int64_t mode = 0; mode < point_count(ends, intervals); ++mode) {
    long double const sine = unit_root(quarter_waves(ends, intervals, mode), 16 * intervals).im;
    eigenvalues.push_back(static_cast<double>(4.0L * sine * sine));
  }
  return eigenvalues;
}

template <class Real>
FftTables<Real> fft_tables(AxisEnds ends, std::int64_t intervals) {
  auto const rounded = [](Complex<long double> root) {
    return Complex<Real>{static_cast<Real>(root.re), static_cast<Real>(root.im)};
  };
  require(intervals > 0, "an axis needs at least one interval");
  FftTables<Real> tables;
  for (std::int64_t k = 0; k < intervals; ++k) {
    tables.roots.push_back(rounded(unit_root(k == 0 ? 0 : intervals - k, intervals)));
  }
  for (std::int64_t k = 0; 2 * k <= intervals && ends != AxisEnds::periodic; ++k) {
    if (has_mixed_ends(ends)) {
      tables.quarter_turns.push_back(rounded(unit_root(k, 4 * intervals)));
    } else {
      Complex<long double> const turn = unit_root(k, 2 * intervals);
      tables.inverse_sines.push_back(k == 0 ? Real{0} : static_cast<Real>(0.5L / turn.im));
      tables.first_mode.push_back(static_cast<Real>(ends == AxisEnds::neumann ? turn.re : turn.im));
    }
  }
  return tables;
}

template FftTables<float> fft_tables(AxisEnds, std::int64_t);
template FftTables<double> fft_tables(AxisEnds, std::int64_t);

}  // namespace isotherm
