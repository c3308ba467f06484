#include "app/post/compare.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/post/field_at.hpp"
#include "app/post/mean_gradient.hpp"
#include "app/post/verification.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/snapshot/compare/compare_fields.hpp"
#include "io/snapshot/snapshot.hpp"
#include "io/snapshot/snapshot_info.hpp"
#include "solver/discretise/evaluate.hpp"

namespace isotherm::app {

namespace {

/// Returns the conclusion for humans and programs: "identical", "within the tolerance" or
/// "different". Fields are identical if no value differs.
std::string verdict(FieldDifference const& difference, bool accepted) {
  if (difference.different_points == 0) {
    return "identical";
  }
  return accepted ? "within the tolerance" : "different";
}

/// Returns the coordinates of a point: "(0.5, 0.25)".
std::string place(Grid const& grid, Index3 at) {
  std::string text = fmt::format("({:g}", grid.coordinate(0, at.x));
  for (int axis = 1; axis < axis_count(grid); ++axis) {
    text += fmt::format(", {:g}", grid.coordinate(axis, at[axis]));
  }
  return text + ")";
}

/// Returns the indices of a point: "(8, 4)".
std::string numbers(Grid const& grid, Index3 at) {
  std::string text = fmt::format("({}", at.x);
  for (int axis = 1; axis < axis_count(grid); ++axis) text += fmt::format(", {}", at[axis]);
  return text + ")";
}

/// Explains the reference values of the relative differences.
std::string reference(FieldDifference const& difference) {
  // Nothing can be relative to 0, so the differences are absolute.
  if (difference.reference_largest == 0.0) {
    return "relative: absolute, since A is 0 everywhere";
  }
  return fmt::format("relative: to the largest |A|, {:.6e}, and to the l2 norm of A, {:.6e}",
                     difference.reference_largest, difference.reference_root_mean_square);
}

/// Prints how fields on different grids were compared.
void print(InterpolatedComparison const& done) {
  std::int64_t const compared = done.common.point_count();
  std::cout << fmt::format(
      "grids {} points in A, {} in B: B is interpolated linearly along each axis, except at {} "
      "common points\n",
      format_extent(done.a.points, axis_count(done.a)),
      format_extent(done.b.points, axis_count(done.b)), done.coinciding);
  // The whole of A was compared, so there is no part to describe.
  if (compared == done.a.point_count()) return;
  std::cout << fmt::format(
      "part  {} of {} points of A lie in the box of B and are compared: {} to {}\n", compared,
      done.a.point_count(), place(done.a, done.common.lower),
      place(done.a, done.common.upper - Index3{1, 1, 1}));
}

/// Prints the norms and the conclusion.
void print(FieldDifference const& difference, bool accepted) {
  if (difference.interpolated) print(*difference.interpolated);
  Index3 const at = difference.largest_at;
  std::cout << fmt::format(
      "max   {:.6e}  relative {:.6e}  at {}, point {}\n"
      "l2    {:.6e}  relative {:.6e}\n"
      "{}\n"
      "{} of {} points differ: {}\n",
      difference.largest, difference.relative_largest(), place(difference.grid, at),
      numbers(difference.grid, at), difference.root_mean_square,
      difference.relative_root_mean_square(), reference(difference), difference.different_points,
      difference.points, verdict(difference, accepted));
}

/// Adds the entries that describe an interpolation; without one only "interpolated": false.
void add(nlohmann::ordered_json& json, std::optional<InterpolatedComparison> const& done) {
  json["interpolated"] = done.has_value();
  if (!done) return;
  // The compared part is given by its first and last point.
  Index3 const last = done->common.upper - Index3{1, 1, 1};
  json["points_of_a"] = done->a.point_count();
  json["coinciding_points"] = done->coinciding;
  json["compared_from"] = coordinates(done->a, done->common.lower);
  json["compared_to"] = coordinates(done->a, last);
}

/// Prints the result as JSON.
void print_comparison(FieldDifference const& difference, bool accepted,
                      CompareOptions const& files) {
  Index3 const at = difference.largest_at;
  nlohmann::ordered_json json{{"a", files.a.string()},
                              {"b", files.b.string()},
                              {"verdict", verdict(difference, accepted)},
                              {"same_coordinates", difference.same_coordinates},
                              {"points", difference.points},
                              {"different_points", difference.different_points},
                              {"max", difference.largest},
                              {"max_relative", difference.relative_largest()},
                              {"max_at", coordinates(difference.grid, at)},
                              {"max_point", {at.x, at.y, at.z}},
                              {"l2", difference.root_mean_square},
                              {"l2_relative", difference.relative_root_mean_square()},
                              {"a_max", difference.reference_largest},
                              {"a_l2", difference.reference_root_mean_square}};
  add(json, difference.interpolated);
  print_json(json);
}

/// Warns on standard error if the fields are of different times.
void warn_of_times(CompareOptions const& files) {
  double const a = read_snapshot_info(files.a).time_s, b = read_snapshot_info(files.b).time_s;
  // Times of different steps may differ in the last digits.
  if (std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b))) return;
  std::cerr << fmt::format("warning: A is the field at t = {:.6g}, B that at t = {:.6g}\n", a, b);
}

/// Prints the result in the format that the user chose.
/// @param files  the files that were compared; `asked` may name directories
void print(FieldDifference const& difference, bool accepted, CompareOptions const& asked,
           CompareOptions const& files) {
  // On standard error, so JSON on standard output remains valid.
  if (!difference.same_coordinates && !difference.interpolated) {
    std::cerr << "warning: the grids differ in position or spacing: points of the same index are "
                 "compared, although their coordinates differ\n";
  }
  if (files.json) return print_comparison(difference, accepted, files);
  // A directory was given, so the names of the compared files are new to the user.
  if (files.a != asked.a || files.b != asked.b) {
    std::cout << visible(files.a.string()) << " and " << visible(files.b.string()) << ":\n";
  }
  print(difference, accepted);
}

}  // namespace

int compare(mpi::Communicator const& ranks, CompareOptions const& options) {
  CompareOptions files = options;
  // Only the root lists directories, so all ranks compare the same files.
  on_root(ranks, [&] {
    files.a = field_at(options.a);
    files.b = field_at(options.b);
  });
  files.a = ranks.broadcast(files.a.string());
  files.b = ranks.broadcast(files.b.string());
  // All ranks share the work of reading; the result is the same on each.
  PerAxis<double> gains_of_b;
  rethrow_on_all_ranks(ranks,
                       [&] { gains_of_b = gains_over_periods(read_snapshot_info(files.b)); });
  FieldDifference const difference = compare_fields(ranks, files.a, files.b, gains_of_b);
  bool const accepted =
      difference.different_points == 0 || difference.largest <= options.tolerance ||
      difference.largest <= options.relative_tolerance * difference.reference_largest;
  on_root(ranks, [&] {
    warn_of_times(files);
    print(difference, accepted, options, files);
  });
  return accepted ? exit_code::done : exit_code::failed;
}

}  // namespace isotherm::app
