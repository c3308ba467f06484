#include "jobs/run/breakdown_place.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "decomposition/grid/point_name.hpp"
#include "jobs/basics/text.hpp"
#include "kernels/core/text.hpp"
#include "solver/methods.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

namespace {

constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

/// What a rank finds among its own values, counted in them.
struct Found {
  std::int64_t first = nowhere;  ///< that is not finite
  std::int64_t count = 0;        ///< of those
  std::int64_t largest_at = nowhere;
  double largest = -1.0;
};

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

Index3 point_at(Subdomain const& subdomain, std::int64_t number) {
  Extent3 const extent = subdomain.owned().extent();
  return subdomain.to_global(
      Index3{number % extent.x, number / extent.x % extent.y, number / extent.x / extent.y});
}

/// The order of the points in the whole grid.
double order_of(Grid const& grid, Index3 point) {
  return (static_cast<double>(point.z) * static_cast<double>(grid.points.y) +
          static_cast<double>(point.y)) *
             static_cast<double>(grid.points.x) +
         static_cast<double>(point.x);
}

std::string named(mpi::Communicator const& ranks, Grid const& grid, Index3 point) {
  return point_name(grid, point) +
         (ranks.size() > 1 ? fmt::format(" (rank {})", ranks.rank()) : std::string());
}

/// The text of the one rank for which `order` is the least.
std::string text_of_first(mpi::Communicator const& ranks, double order, std::string const& text) {
  return ranks.first_text(order == ranks.min(order) ? text : std::string());
}

std::string place(mpi::Communicator const& ranks, Grid const& grid, Subdomain const& subdomain,
                  Found const& found) {
  constexpr double last = std::numeric_limits<double>::infinity();
  std::int64_t const count = ranks.sum(found.count);
  if (count > 0) {
    bool const mine = found.first != nowhere;
    Index3 const point = mine ? point_at(subdomain, found.first) : Index3{};
    return fmt::format("; {} not finite, the first at {}",
                       format_count(count, "value") + (count == 1 ? " is" : " are"),
                       text_of_first(ranks, mine ? order_of(grid, point) : last,
                                     mine ? named(ranks, grid, point) : std::string()));
  }
  bool const mine = found.largest_at != nowhere;
  Index3 const point = mine ? point_at(subdomain, found.largest_at) : Index3{};
  return fmt::format("; the largest value, {}, is at {}", shortest(ranks.max(found.largest)),
                     text_of_first(ranks, mine ? -found.largest : last,
                                   mine ? named(ranks, grid, point) : std::string()));
}

/// No method breaks down of its own: explicit steps that are not stable are refused. What is left
/// is numbers that their type cannot hold, and what they come from.
std::string help(Case const& chosen) {
  if (chosen.problem.precision == Precision::float32) {
    return R"(; [grid] precision = "float64" holds numbers up to 1e308 instead of 1e38)";
  }
  std::string keys = chosen.problem.equation == Equation::laplace ? "" : "[equation] source, ";
  return "; smaller numbers in " + keys +
         "[boundary] and [initial] would help: the equation is linear";
}

}  // namespace

std::string place_of_breakdown(mpi::Communicator const& ranks, Case const& chosen, Solver& solver) {
  Subdomain const& subdomain = solver.subdomain();
  HostValues values(chosen.problem.precision,
                    static_cast<std::size_t>(subdomain.owned().point_count()));
  solver.read_field(values.view());
  Found const found =
      std::visit([](auto numbers) { return search(numbers); }, std::as_const(values).view());
  return place(ranks, chosen.problem.grid, subdomain, found) + help(chosen);
}

}  // namespace isotherm
