#include "app/run/breakdown_place.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "case/basics/text/text.hpp"
#include "case/key_at_fault.hpp"
#include "decomposition/grid/point_name.hpp"
#include "decomposition/grid/point_number.hpp"
#include "kernels/core/number_text.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/methods.hpp"
#include "solver/nonlinear/reference_problem.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/problem/values.hpp"

// Each rank searches its own values. Then the rank whose point is the first in the whole grid
// supplies the text. The ranks exchange only a few numbers and one text.

namespace isotherm::app {

namespace {

/// Marks an index as "no such point". It is larger than every valid index.
constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

/// Results of a rank's search. Indices count the rank's own values, x fastest.
struct Found {
  std::int64_t first = nowhere;       ///< index of the first value that is not finite
  std::int64_t count = 0;             ///< number of values that are not finite
  std::int64_t largest_at = nowhere;  ///< index of the finite value with the largest magnitude
  double largest = -1.0;              ///< its magnitude; -1 if there is none
};

/// Searches a rank's values in one pass. Not collective.
template <class Real>
Found search(std::span<Real const> values) {
  Found found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto const at = static_cast<std::int64_t>(i);
    double const size = std::abs(static_cast<double>(values[i]));
    if (!std::isfinite(size)) {
      found.first = std::min(found.first, at);
      ++found.count;
    } else if (size > found.largest) {
      found.largest = size;
      found.largest_at = at;
    }
  }
  return found;
}

/// Returns the global index of this rank's value number `number`.
Index3 point_at(Subdomain const& subdomain, std::int64_t number) {
  return subdomain.to_global(point_of_number(subdomain.extent(), number));
}

/// Returns "x = 0.5, y = 0.25 (rank 1)"; without the rank if the run has one rank only.
std::string named(mpi::Communicator const& ranks, Grid const& grid, Index3 point) {
  return point_name(grid, point) +
         (ranks.size() > 1 ? fmt::format(" (rank {})", ranks.rank()) : std::string());
}

/// Returns the text of the rank whose `order` is the minimum. Collective. If several ranks have the
/// minimum, the first of them decides.
std::string text_of_first(mpi::Communicator const& ranks, double order, std::string const& text) {
  return ranks.first_text(order == ranks.min(order) ? text : std::string());
}

/// Combines the results of all ranks into one text. Collective: the branch depends only on the sum
/// over the ranks, so every rank takes the same one.
std::string place(mpi::Communicator const& ranks, Grid const& grid, Subdomain const& subdomain,
                  Found const& found) {
  // Ranks without such a point pass infinity, so they never have the minimum.
  constexpr double last = std::numeric_limits<double>::infinity();
  std::int64_t const count = ranks.sum(found.count);
  if (count > 0) {
    bool const mine = found.first != nowhere;
    Index3 const point = mine ? point_at(subdomain, found.first) : Index3{};
    return fmt::format("; {} not finite, the first at {}",
                       format_count(count, "value") + (count == 1 ? " is" : " are"),
                       text_of_first(ranks, mine ? number_of_point(grid, point) : last,
                                     mine ? named(ranks, grid, point) : std::string()));
  }
  // All values are finite, so a number computed from them was not, such as a residual.
  bool const mine = found.largest_at != nowhere;
  Index3 const point = mine ? point_at(subdomain, found.largest_at) : Index3{};
  return fmt::format("; the largest value, {}, is at {}", six_digits(ranks.max(found.largest)),
                     text_of_first(ranks, mine ? -found.largest : last,
                                   mine ? named(ranks, grid, point) : std::string()));
}

/// Suggests a change of the case. No method diverges, since unstable explicit steps are refused
/// before the run. The remaining cause is overflow: numbers too large for their type.
std::string help(Case const& chosen) {
  if (chosen.problem.precision == Precision::float32) {
    return R"(; [grid] precision = "float64" allows numbers up to 1e308 instead of 1e38)";
  }
  std::string const reason = is_nonlinear(chosen.problem) ? "" : ": the equation is linear";
  return "; use smaller numbers in [equation], [boundary] and [initial]" + reason;
}

/// Returns the first coefficient that is not valid for this rank's values, with its key and line;
/// empty if all are valid. `first` becomes the number of its point. Not collective.
template <class Real>
std::string invalid_coefficient_in(std::span<Real const> values, Subdomain const& subdomain,
                                   Case const& chosen, double& first) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Index3 const point = point_at(subdomain, static_cast<std::int64_t>(i));
    if (is_excluded(chosen.problem, point)) continue;
    auto const fault = invalid_coefficient(chosen.problem, point, static_cast<double>(values[i]));
    if (!fault) continue;
    first = number_of_point(chosen.problem.grid, point);
    return "; " + place_of(chosen, deciding_key(chosen, fault->key)) + fault->text;
  }
  return "";
}

}  // namespace

std::string place_of_breakdown(mpi::Communicator const& ranks, Case const& chosen, Solver& solver) {
  Subdomain const& subdomain = solver.subdomain();
  // A field on a device has to be copied to the host first.
  HostValues values(chosen.problem.precision,
                    static_cast<std::size_t>(subdomain.owned().point_count()));
  solver.read_field(values.view());
  if (is_nonlinear(chosen.problem)) {
    double first = std::numeric_limits<double>::infinity();
    std::string const mine = std::visit(
        [&](auto numbers) { return invalid_coefficient_in(numbers, subdomain, chosen, first); },
        std::as_const(values).view());
    std::string text = text_of_first(ranks, first, mine);
    if (!text.empty()) return text;
  }
  Found const found =
      std::visit([](auto numbers) { return search(numbers); }, std::as_const(values).view());
  return place(ranks, chosen.problem.grid, subdomain, found) + help(chosen);
}

}  // namespace isotherm::app
