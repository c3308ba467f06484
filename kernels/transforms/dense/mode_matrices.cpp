#include "kernels/transforms/dense/mode_matrices.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Sines and cosines of the multiples of a quarter of the angle π / N. A period has 8 N of them.
class QuarterAngles {
 public:
  explicit QuarterAngles(std::int64_t intervals) : period_(8 * intervals) {
    sines_.resize(static_cast<std::size_t>(period_));
    for (std::int64_t n = 0; n < period_; ++n) sines_[static_cast<std::size_t>(n)] = compute(n);
  }
  /// Returns sin(π number / 4N).
  [[nodiscard]] double sine(std::int64_t number) const {
    std::int64_t const within = number % period_;
    return sines_[static_cast<std::size_t>(within < 0 ? within + period_ : within)];
  }
  /// Returns cos(π number / 4N).
  [[nodiscard]] double cosine(std::int64_t number) const { return sine(number + period_ / 4); }

 private:
  /// Returns the sine for 0 <= n < period. It reduces the angle to [0, π/4], so angles that mirror
  /// each other have exactly the same value.
  [[nodiscard]] double compute(std::int64_t n) const {
    if (n >= period_ / 2) return n == period_ / 2 ? 0.0 : -compute(n - period_ / 2);
    if (n > period_ / 4) return compute(period_ / 2 - n);
    long double const turn =
        2 * std::numbers::pi_v<long double> / static_cast<long double>(period_);
    if (n <= period_ / 8) return static_cast<double>(std::sin(turn * static_cast<long double>(n)));
    std::int64_t const rest = period_ / 4 - n;
    return static_cast<double>(std::cos(turn * static_cast<long double>(rest)));
  }

  std::int64_t period_;
  std::vector<double> sines_;
};

/// A mode along an axis: a sine or a cosine of an angle that is counted in quarters of π / N.
struct Wave {
  std::int64_t quarters;  ///< four times the number of half waves on the axis
  bool is_sine;
  double norm;  ///< squared norm in the inner product of the volumes, divided by N
};

/// Returns a mode of an axis of N intervals.
Wave wave_of(AxisEnds ends, std::int64_t intervals, std::int64_t mode) {
  switch (ends) {
    case AxisEnds::dirichlet:
      return {4 * (mode + 1), true, 0.5};
    case AxisEnds::neumann:
      return {4 * mode, false, mode % intervals == 0 ? 1.0 : 0.5};
    case AxisEnds::dirichlet_neumann:
      return {4 * mode + 2, true, 0.5};
    case AxisEnds::neumann_dirichlet:
      return {4 * mode + 2, false, 0.5};
    case AxisEnds::periodic:
      break;
  }
  // Two modes for each number of waves. The constant has one, and so has the shortest wave if N is
  // even: about the middle it is a sine.
  std::int64_t const waves = (mode + 1) / 2;
  bool const is_shortest = 2 * waves == intervals;
  bool const is_sine = is_shortest || (mode > 0 && mode % 2 == 0);
  return {8 * waves, is_sine, mode == 0 || is_shortest ? 1.0 : 0.5};
}

/// Returns twice the place of a point on the axis, in intervals: from the lower end, or from the
/// middle of the points of a periodic axis.
std::int64_t twice_place(AxisEnds ends, std::int64_t intervals, std::int64_t point) {
  switch (ends) {
    case AxisEnds::dirichlet:
    case AxisEnds::dirichlet_neumann:
      return 2 * (point + 1);
    case AxisEnds::periodic:
      return 2 * point - (intervals - 1);
    default:
      return 2 * point;
  }
}

/// Returns true if a point lies on a Neumann face, where its control volume is a half.
bool is_on_neumann_face(AxisEnds ends, std::int64_t point, std::int64_t count) {
  bool const lower = ends == AxisEnds::neumann || ends == AxisEnds::neumann_dirichlet;
  bool const upper = ends == AxisEnds::neumann || ends == AxisEnds::dirichlet_neumann;
  return (lower && point == 0) || (upper && point == count - 1);
}

/// Computes one mode: a row of to_points and a column of to_modes.
void fill_mode(ModeMatrices& modes, QuarterAngles const& angles, AxisEnds ends,
               std::int64_t intervals, Integration integration, std::int64_t mode) {
  Wave const wave = wave_of(ends, intervals, mode);
  double const half_angle_sine = angles.sine(wave.quarters / 2);
  modes.eigenvalues[static_cast<std::size_t>(mode)] = 4.0 * half_angle_sine * half_angle_sine;
  double const scale = 1.0 / (wave.norm * static_cast<double>(intervals));
  for (std::int64_t point = 0; point < modes.count; ++point) {
    // Both factors are even, or the place is a whole number: the product is in quarters.
    std::int64_t const angle = wave.quarters * twice_place(ends, intervals, point) / 2;
    double const value = wave.is_sine ? angles.sine(angle) : angles.cosine(angle);
    bool const is_half = is_on_neumann_face(ends, point, modes.count);
    double const volume = is_half && integration == Integration::per_volume ? 0.5 : 1.0;
    modes.to_points[static_cast<std::size_t>(mode * modes.count + point)] = value;
    modes.to_modes[static_cast<std::size_t>(point * modes.count + mode)] = scale * volume * value;
  }
}

}  // namespace

ModeMatrices closed_form_modes(AxisEnds ends, std::int64_t intervals, Integration integration) {
  bool const is_countable = intervals >= 1 && intervals <= max_dense_points + 1;
  std::int64_t const count = is_countable ? unknown_points(ends, intervals) : 0;
  require(count >= 1 && count <= max_dense_points,
          "an axis of " + std::to_string(intervals) + " intervals has no modes (1 to " +
              std::to_string(max_dense_points) + " unknown points are possible)");
  ModeMatrices modes;
  auto const n = static_cast<std::size_t>(count);
  modes.count = static_cast<int>(count);
  modes.eigenvalues.resize(n);
  modes.to_modes.resize(n * n);
  modes.to_points.resize(n * n);
  QuarterAngles const angles(intervals);
  for (std::int64_t mode = 0; mode < count; ++mode) {
    fill_mode(modes, angles, ends, intervals, integration, mode);
  }
  return modes;
}

}  // namespace isotherm
