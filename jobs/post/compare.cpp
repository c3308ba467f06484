#include "jobs/post/compare.hpp"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "io/snapshot/compare_fields.hpp"
#include "jobs/basics/exit_code.hpp"

namespace isotherm {

namespace {

std::string verdict(FieldDifference const& difference, bool accepted) {
  if (difference.different_points == 0) {
    return "identical";
  }
  return accepted ? "within the tolerance" : "different";
}

void print(FieldDifference const& difference, bool accepted) {
  Index3 const at = difference.largest_at;
  std::cout << fmt::format(
      "max   {:.6e}  relative {:.6e}  at ({}, {}, {})\n"
      "l2    {:.6e}  relative {:.6e}\n"
      "{} of {} points differ: {}\n",
      difference.largest, difference.relative_largest(), at.x, at.y, at.z,
      difference.root_mean_square, difference.relative_root_mean_square(),
      difference.different_points, difference.points, verdict(difference, accepted));
}

void print_json(FieldDifference const& difference, bool accepted) {
  Index3 const at = difference.largest_at;
  nlohmann::ordered_json const json{{"verdict", verdict(difference, accepted)},
                                    {"same_coordinates", difference.same_coordinates},
                                    {"points", difference.points},
                                    {"different_points", difference.different_points},
                                    {"max", difference.largest},
                                    {"max_relative", difference.relative_largest()},
                                    {"max_at", {at.x, at.y, at.z}},
                                    {"l2", difference.root_mean_square},
                                    {"l2_relative", difference.relative_root_mean_square()}};
  std::cout << json.dump(2) << "\n";
}

}  // namespace

int compare(CompareOptions const& options) {
  FieldDifference const difference = compare_fields(options.a, options.b);
  if (!difference.same_coordinates) {
    std::cerr << "warning: the grids differ in place or spacing: points of the same index are "
                 "compared, which lie at different coordinates\n";
  }
  bool const accepted = difference.different_points == 0 || difference.largest <= options.tolerance;
  if (options.json) {
    print_json(difference, accepted);
  } else {
    print(difference, accepted);
  }
  return accepted ? exit_code::done : exit_code::failed;
}

}  // namespace isotherm
