#include "solver/discretise/flux/pieces_in_u.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

/// Calls visit(function of u) for the places at which a function is examined: the centre of the
/// grid, and two of its corners if the function depends on the place.
template <class Visit>
void each_place(ScalarFunction const& function, Grid const& grid, Visit const& visit) {
  PerAxis<bool> const& varies = function.varies_along;
  bool const everywhere = !varies[0] && !varies[1] && !varies[2];
  for (double const part : {0.5, 0.0, 1.0}) {
    auto const place = [&](int axis) {
      return (1.0 - part) * grid.lower[axis] + part * grid.upper(axis);
    };
    double const x = place(0), y = place(1), z = place(2);
    visit([&function, x, y, z](double u) { return function(x, y, z, u); });
    if (everywhere) break;
  }
}

/// Sorts numbers, and removes repetitions.
std::vector<double> sorted(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// Half the interval around a value of u in which a jump is searched, and a kink.
struct Widths {
  explicit Widths(double u) : jump(1e-11 * std::max(std::abs(u), 1e-3)), kink(1e6 * jump) {}
  double jump;
  double kink;
};

bool jumps_at(std::function<double(double)> const& c, double u) {
  constexpr double noticeable = 1e-6;
  double const half = Widths(u).jump, below = c(u - half), above = c(u + half);
  return std::abs(above - below) > noticeable * std::max(std::abs(above), std::abs(below));
}
/// True if the second difference falls like the width, not like its square as for a smooth
/// function.
bool has_kink_at(std::function<double(double)> const& c, double u) {
  constexpr double noticeable = 1e-8;
  double const here = c(u);
  auto const second_difference = [&](double half) {
    return std::abs(c(u + half) - 2.0 * here + c(u - half));
  };
  double const half = Widths(u).kink, wide = second_difference(half);
  double const ratio = second_difference(0.25 * half) / wide;
  return wide > noticeable * std::abs(here) && ratio > 0.125 && ratio < 0.5;
}

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
  std::vector<double> all;
  each_place(capacity, grid, [&](std::function<double(double)> const& c) {
    std::vector<double> const more = pieces_in_u(c);
    all.insert(all.end(), more.begin(), more.end());
  });
  return sorted(std::move(all));
}

std::vector<double> breaks_in_u(ScalarFunction const& function, Grid const& grid) {
  std::vector<double> all;
  each_place(function, grid, [&](std::function<double(double)> const& c) {
    double last = -std::numeric_limits<double>::infinity();
    for (double const u : pieces_in_u(c)) {
      Widths const half(u);
      if (u - half.jump <= last) continue;
      if (jumps_at(c, u)) {
        all.push_back(u - half.jump);
        all.push_back(last = u + half.jump);
      } else if (u - half.kink > last && has_kink_at(c, u)) {
        all.push_back(last = u);
      }
    }
  });
  return sorted(std::move(all));
}

std::vector<double> jumps_in_u(ScalarFunction const& function, Grid const& grid, double scale) {
  std::vector<double> all;
  each_place(function, grid, [&](std::function<double(double)> const& f) {
    double size = 0.0;
    for (double const u : {-scale, -0.5 * scale, 0.0, 0.5 * scale, scale}) {
      if (std::isfinite(f(u))) size = std::max(size, std::abs(f(u)));
    }
    // A positive function that rises with f jumps at the same values of u.
    auto const c = [&](double u) { return 2.0 + std::atan(f(u) / (size > 0.0 ? size : 1.0)); };
    double last = -std::numeric_limits<double>::infinity();
    for (double const u : pieces_in_u(c)) {
      if (u - Widths(u).jump <= last || !jumps_at(c, u)) continue;
      all.push_back(u);
      last = u + Widths(u).jump;
    }
  });
  return sorted(std::move(all));
}

}  // namespace isotherm
