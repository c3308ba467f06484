#include "app/post/fields/combine.hpp"

#include <cmath>
#include <fmt/format.h>

#include "app/machine/device_choice.hpp"
#include "app/machine/memory_limits.hpp"
#include "app/post/field_at.hpp"
#include "app/post/fields/field_expression.hpp"
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
                     {"combined", true, false, options.of});
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
