#include "solver/discretise/flux/pieces_in_u.hpp"

#include <algorithm>
#include <cmath>

#include "solver/discretise/flux/gauss_rule.hpp"

namespace isotherm {

namespace {

constexpr double tolerance = 1e-9;
constexpr int smallest_octave = -20, largest_octave = 20, last_octave = 60;
constexpr int parts_of_octave = 1024, fewest_parts = 16;
/// The maximum number of pieces of an octave, whatever the function.
constexpr std::size_t max_pieces = 512;
/// Below this value a function has too few digits for the tolerance.
constexpr double smallest_value = 1e-290;

/// Halves pieces until the rule is accurate on each.
class Divider {
 public:
  explicit Divider(std::function<double(double)> const& c) : c_(&c) {}

  /// Divides an octave. Its end is not added.
  void divide(double begin, double end, int parts) {
    most_ = ends_.size() + max_pieces;
    halve(begin, end, parts);
  }

  /// Adds an octave that is not divided.
  void add(double begin) { ends_.push_back(begin); }

  /// Returns the ends, with that of the last octave.
  std::vector<double> ends(double last) && {
    ends_.push_back(last);
    return std::move(ends_);
  }

 private:
  /// Adds the pieces of an interval.
  void halve(double begin, double end, int parts) {
    double const middle = 0.5 * begin + 0.5 * end;
    bool const narrow = !(end - begin > 1e-13 * std::max(std::abs(begin), std::abs(end)));
    if (narrow || ends_.size() >= most_ || is_accurate(begin, end, parts)) {
      ends_.push_back(begin);
      return;
    }
    int const fewer = std::max(fewest_parts, parts / 2);
    halve(begin, middle, fewer);
    halve(middle, end, fewer);
  }

  /// True if the rule agrees with the sum over the parts, and also where no part can be integrated.
  [[nodiscard]] bool is_accurate(double begin, double end, int parts) const {
    double const width = (end - begin) / parts;
    double sum = 0.0;
    int invalid = 0;
    for (int part = 0; part < parts; ++part) {
      double const lower = begin + part * width;
      double const integral = gauss_integral(*c_, lower, lower + width);
      if (std::isfinite(integral)) {
        sum += integral;
      } else {
        ++invalid;
      }
    }
    if (invalid > 0) return invalid == parts;
    return std::abs(gauss_integral(*c_, begin, end) - sum) <=
           tolerance * sum + smallest_value * (end - begin);
  }

  std::function<double(double)> const* c_;
  std::vector<double> ends_{};
  std::size_t most_ = 0;  ///< number of ends at which the octave is full
};

}  // namespace

std::vector<double> pieces_in_u(std::function<double(double u)> const& c) {
  Divider divider(c);
  // Beyond the usual numbers octaves are whole: c may oscillate there.
  auto const add_octave = [&](double begin, double end, int octave) {
    if (octave > largest_octave) {
      divider.add(begin);
    } else {
      divider.divide(begin, end, parts_of_octave);
    }
  };
  for (int octave = last_octave; octave > smallest_octave; --octave) {
    add_octave(-std::ldexp(1.0, octave), -std::ldexp(1.0, octave - 1), octave);
  }
  double const next_to_zero = std::ldexp(1.0, smallest_octave);
  divider.divide(-next_to_zero, 0.0, fewest_parts);
  divider.divide(0.0, next_to_zero, fewest_parts);
  for (int octave = smallest_octave + 1; octave <= last_octave; ++octave) {
    add_octave(std::ldexp(1.0, octave - 1), std::ldexp(1.0, octave), octave);
  }
  return std::move(divider).ends(std::ldexp(1.0, last_octave));
}

std::vector<double> pieces_in_u(ScalarFunction const& capacity, Grid const& grid) {
  PerAxis<bool> const& varies = capacity.varies_along;
  bool const everywhere = !varies[0] && !varies[1] && !varies[2];
  std::vector<double> all;
  for (double const part : {0.5, 0.0, 1.0}) {
    auto const place = [&](int axis) {
      return (1.0 - part) * grid.lower[axis] + part * grid.upper(axis);
    };
    double const x = place(0), y = place(1), z = place(2);
    std::vector<double> const more = pieces_in_u([&](double u) { return capacity(x, y, z, u); });
    all.insert(all.end(), more.begin(), more.end());
    if (everywhere) break;
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace isotherm
