#include "app/post/fields/combine.hpp"

#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "app/machine/device_choice.hpp"
#include "app/machine/memory_limits.hpp"
#include "app/post/field_at.hpp"
#include "app/post/fields/field_expression.hpp"
#include "app/post/mean_gradient.hpp"
#include "case/basics/exit_code.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/byte_count.hpp"

namespace isotherm::app {

namespace {

/// Parses the expression; errors name the option. @throws InputError
PairExpression pair_expression_of(std::string const& text, Grid const& grid) try {
  return parse_pair_expression(text, grid.dimension);
} catch (InputError const& fault) {
  throw InputError(std::string("--of ") + fault.what());
}

/// Requires equal grids. Coordinates may differ by rounding.
void check_grids(CombineOptions const& options, Grid const& a, Grid const& b) {
  std::string const advice = " (isotherm resample " + options.other.string() + " --like " +
                             options.files.input.string() + " makes b of the same grid)";
  if (a.points != b.points) {
    throw InputError(fmt::format("a has {} x {} x {} points, b has {} x {} x {}{}", a.points.x,
                                 a.points.y, a.points.z, b.points.x, b.points.y, b.points.z,
                                 advice));
  }
  constexpr double slack = 1e-6;  // of the narrowest gap
  for (int axis = 0; axis < a.dimension; ++axis) {
    double const tolerance = slack * narrowest_gap(a, axis);
    for (std::int64_t i = 0; i < a.points[axis]; ++i) {
      double const at_a = a.coordinate(axis, i), at_b = b.coordinate(axis, i);
      if (std::abs(at_a - at_b) <= tolerance) continue;
      throw InputError(
          fmt::format("the grids of a and b differ: point {} on the {} axis is at {} "
                      "in a, at {} in b{}",
                      i, "xyz"[axis], at_a, at_b, advice));
    }
  }
}

/// Replaces the values of a by those of the expression. Not collective.
/// @throws InputError  naming the first point at which the result is not finite
template <class Real>
void evaluate_pair(std::string const& text, Subdomain const& part, double time_s,
                   std::vector<Real>& a, std::vector<Real> const& b) {
  PairExpression const expression = pair_expression_of(text, part.grid());
  replace_values(text, part, a, [&](std::size_t i, double x, double y, double z) {
    return expression(static_cast<double>(a[i]), static_cast<double>(b[i]), x, y, z, time_s);
  });
}

/// Returns what the combined field gains over the period of each axis; nullopt if neither field has
/// a mean gradient. An expression that is not linear, such as |a - b|, is taken to be periodic.
std::optional<PerAxis<double>> gains_of(CombineOptions const& options, SnapshotInfo const& a) try {
  PerAxis<double> const of_a = gains_over_periods(a);
  PerAxis<double> const of_b = gains_over_periods(read_snapshot_info(options.other));
  if (of_a == PerAxis<double>{} && of_b == PerAxis<double>{}) return std::nullopt;
  PairExpression const expression = pair_expression_of(options.of, a.grid);
  // How the result changes with a and b, at a share of each axis.
  auto const change = [&](double by_a, double by_b, double share) {
    PerAxis<double> place{};
    for (int axis = 0; axis < 3; ++axis) {
      place[axis] = std::lerp(a.grid.lower[axis], a.grid.upper(axis), share);
    }
    auto const [x, y, z] = place.values;
    return expression(by_a, by_b, x, y, z, a.time_s) - expression(0.0, 0.0, x, y, z, a.time_s);
  };
  double const per_a = change(1.0, 0.0, 0.25), per_b = change(0.0, 1.0, 0.25);
  double const difference = change(2.5, -1.25, 0.6) - (2.5 * per_a - 1.25 * per_b);
  bool const is_linear = std::abs(difference) <= 1e-9 * (std::abs(per_a) + std::abs(per_b));
  PerAxis<double> gains{};
  for (int axis = 0; axis < 3 && is_linear; ++axis) {
    gains[axis] = per_a * of_a[axis] + per_b * of_b[axis];
  }
  return gains;
} catch (InputError const&) {
  return std::nullopt;  // the case in a file cannot be read: a later command reports it
}

template <class Real>
void combine_fields(mpi::Communicator const& ranks, CombineOptions const& options,
                    SnapshotInfo const& info) {
  Device const device = choose_device(ranks, DeviceChoice::cpu);
  Subdomain const part(info.grid, choose_parts(info.grid, ranks, device), ranks.rank());
  std::size_t const bytes = dense_bytes<Real>(part.extent());
  require_memory(ranks, device, {MemoryNeed{0, sum_of_bytes(bytes, bytes)}}, "combine",
                 "use more hosts");
  std::vector<Real> a(static_cast<std::size_t>(part.owned().point_count())), b(a.size());
  read_snapshot(ranks, options.files.input, part, a.data());
  read_snapshot(ranks, options.other, part, b.data());
  rethrow_on_all_ranks(ranks, [&] { evaluate_pair(options.of, part, info.time_s, a, b); });
  write_result<Real>(ranks, options.files, info, part, a.data(),
                     {"combined", true, false, options.of, gains_of(options, info)});
}

}  // namespace

int combine(mpi::Communicator const& ranks, CombineOptions const& asked) {
  CombineOptions options = asked;
  on_root(ranks, [&] { options.other = field_at(options.other); });
  options.other = ranks.broadcast(options.other.string());
  options.files.also_read.push_back(options.other);
  SnapshotInfo const info = open_operation(ranks, options.files);
  rethrow_on_all_ranks(ranks, [&] {
    (void)pair_expression_of(options.of, info.grid);  // fail before all values are read
    check_grids(options, info.grid, read_snapshot_info(options.other).grid);
  });
  with_precision(info.stored_type,
                 [&]<class Real>(Real) { combine_fields<Real>(ranks, options, info); });
  return exit_code::done;
}

}  // namespace isotherm::app
