#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "case/data/data_field.hpp"
#include "case/sections/parts.hpp"
#include "kernels/core/number_text.hpp"
#include "kernels/core/text.hpp"
#include "solver/problem/conditions.hpp"

// Checks of functions at a sample of points. A case may have billions of points, so the reader
// evaluates expressions at no more than 9³ of them. The run itself detects invalid values at other
// points.
namespace isotherm {
namespace {

/// Returns at most nine of the indices first … last: both ends, and evenly spaced ones between
/// them. The order of operations avoids overflow.
std::vector<std::int64_t> sample(std::int64_t first, std::int64_t last) {
  constexpr std::int64_t parts = 8;
  std::vector<std::int64_t> indices;
  for (std::int64_t part = 0; part <= parts; ++part) {
    std::int64_t const length = last - first;
    std::int64_t const index = first + length / parts * part + length % parts * part / parts;
    if (indices.empty() || index != indices.back()) {
      indices.push_back(index);
    }
  }
  return indices;
}

/// Returns whether a nonzero value underflows in a precision: it becomes 0 or subnormal, and so
/// loses digits.
bool vanishes(double value, Precision precision) {
  double const smallest = precision == Precision::float32
                              ? static_cast<double>(std::numeric_limits<float>::min())
                              : std::numeric_limits<double>::min();
  return value != 0.0 && std::abs(rounded(value, precision)) < smallest;
}

/// The magnitude of a function's values at the required points, as a precision represents them.
enum class Size { zero, vanishing, normal };

/// Returns the largest magnitude over the required points. If the sample contains only small
/// values, all points are evaluated. If there are too many points, the answer is `normal`. The scan
/// of all points is needed only for functions that underflow at the sample, for example a narrow
/// Gaussian between two sampled points.
Size largest_size(ScalarFunction const& function, Problem const& problem,
                  WantedValues const& wanted) {
  constexpr std::int64_t max_asked = 2'000'000;
  Size largest = Size::zero;
  auto const look = [&](double x, double y, double z) {
    if (largest == Size::normal || (wanted.holds && !wanted.holds(x, y, z))) return;
    double const value = function(x, y, z, problem.start_time_s);
    Size const size = value == 0.0                         ? Size::zero
                      : vanishes(value, problem.precision) ? Size::vanishing
                                                           : Size::normal;
    largest = std::max(largest, size);
  };
  GlobalBox const& box = wanted.points;
  visit_sample(problem.grid, box, look);
  if (largest != Size::vanishing) return largest;
  if (box.point_count() > max_asked) return Size::normal;
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        look(problem.grid.coordinate(0, i), problem.grid.coordinate(1, j),
             problem.grid.coordinate(2, k));
      }
    }
  }
  return largest;
}

/// Returns the advice on values that underflow.
std::string advice_on_vanishing(Precision precision) {
  return precision == Precision::float32
             ? R"( (set [grid] precision = "float64", or choose other units))"
             : " (choose other units)";
}

/// Returns the advice on values of the wrong sign.
std::string advice_on(Sign sign, bool constant) {
  return " (needs " + needed(sign, constant ? "a number" : "values") +
         (constant ? ")" : " everywhere)");
}

/// Requires values of a table that have a sign. Expressions have no rows.
void require_table(CaseSection const& section, std::string const& key,
                   ScalarFunction const& function, Sign sign) {
  for (double const u : function.breaks_in_u) {
    double const value = function(0.0, 0.0, 0.0, u);
    if (is_in(value, sign)) continue;
    section.fail(key,
                 "is " + six_digits(value) + " where u = " + six_digits(u) + advice_on(sign, true));
  }
}

}  // namespace

std::string at_point(double x, double y, double z, int dimension) {
  std::ostringstream text;
  text << "x = " << x << ", y = " << y;
  if (dimension == 3) {
    text << ", z = " << z;
  }
  return text.str();
}

// The innermost loop is over x, whose points are contiguous in files.
void visit_sample(Grid const& grid, GlobalBox const& box, VisitPoint const& look) {
  if (box.empty()) return;
  for (std::int64_t const k : sample(box.lower.z, box.upper.z - 1)) {
    for (std::int64_t const j : sample(box.lower.y, box.upper.y - 1)) {
      for (std::int64_t const i : sample(box.lower.x, box.upper.x - 1)) {
        look(grid.coordinate(0, i), grid.coordinate(1, j), grid.coordinate(2, k));
      }
    }
  }
}

GlobalBox points_off_dirichlet_faces(Problem const& problem) {
  GlobalBox points = problem.grid.box();
  for (Face const face : faces(problem.grid)) {
    if (problem.boundary[face].kind == BoundaryKind::dirichlet) {
      (face.upper ? points.upper : points.lower)[face.axis] += face.upper ? -1 : 1;
    }
  }
  return points;
}

void require_values(CaseSection const& section, std::string const& key,
                    ScalarFunction const& function, Problem const& problem,
                    WantedValues const& wanted) {
  if (auto const field = data_of(function)) return field->want(wanted);
  // The values of the field are not known yet, see check_nonlinear(); but those of a table are.
  if (function.depends_on_u) return require_table(section, key, function, wanted.sign);
  std::string const along = wanted.axis < 0 ? "" : ' ' + on_axis(wanted.axis);
  // Values in files are checked later by all ranks; see DataField::check().
  bool const constant = function.is_constant();
  // Single numbers get a more specific message than functions.
  if (constant && vanishes(function.constant, problem.precision)) {
    section.fail(key, "is " + shortest(function.constant) + along + ", which is too small for " +
                          name(problem.precision) + advice_on_vanishing(problem.precision));
  }
  if (constant && !is_in(rounded(function.constant, problem.precision), wanted.sign)) {
    section.fail(key, "is " + shortest(function.constant) + along + advice_on(wanted.sign, true));
  }
  if (constant && std::isfinite(rounded(function.constant, problem.precision))) return;
  visit_sample(problem.grid, wanted.points, [&](double x, double y, double z) {
    if (wanted.holds && !wanted.holds(x, y, z)) return;
    double const value = rounded(function(x, y, z, problem.start_time_s), problem.precision);
    auto const place = [&] { return " at " + at_point(x, y, z, problem.grid.dimension); };
    if (!std::isfinite(value)) {
      section.fail(key, "is not finite" + along + " in " + name(problem.precision) + place());
    }
    if (!is_in(value, wanted.sign)) {
      section.fail(key,
                   "is " + six_digits(value) + along + place() + advice_on(wanted.sign, false));
    }
  });
}

// Values of Dirichlet faces may be 0 at most faces, so zeros are neutral.
void require_lasting(std::vector<GivenValues> const& all, Problem const& problem) {
  GivenValues const* first = nullptr;
  // All sets of values are judged together. One of normal size is sufficient.
  for (GivenValues const& given : all) {
    bool const unknown = data_of(given.function) || given.function.varies_in_time;
    Size const size = unknown ? Size::normal : largest_size(given.function, problem, given.wanted);
    if (size == Size::normal) return;
    if (size == Size::vanishing && first == nullptr) first = &given;
  }
  if (first == nullptr) return;
  first->section.fail("value", std::string("is not 0, but too small for ") +
                                   name(problem.precision) + " everywhere" +
                                   advice_on_vanishing(problem.precision));
}

void require_finite(CaseSection const& section, std::string const& key,
                    ScalarFunction const& function, Problem const& problem, GlobalBox const& box) {
  require_values(section, key, function, problem, {.points = box});
}

}  // namespace isotherm
