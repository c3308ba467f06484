#include "case/sections/axes.hpp"

#include <cmath>
#include <initializer_list>
#include <iterator>
#include <optional>

#include "case/stretching.hpp"
#include "io/snapshot/snapshot.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {
namespace {

/// Returns the table of an axis, if [grid] has one.
std::optional<CaseSection> table_of(CaseSection const& grid, int axis) {
  if (!grid.has(axis_name(axis))) return std::nullopt;
  return grid.section(axis_name(axis));
}

/// Refuses keys that contradict `key`.
void refuse_conflicting(CaseSection const& table, char const* key,
                        std::initializer_list<char const*> others) {
  for (char const* const other : others) {
    table.refuse(other, "conflicts with " + std::string(key) + " (leave one of them out)");
  }
}

/// Checks that a table defines the points in exactly one way: by coordinates, by segments, by a
/// stretching, or by a file.
///
/// The four forms:
///
///     [grid]
///     x = { coordinates = [0.0, 0.1, 0.3, 0.7] }
///     x = { segments = [{ to = 0.3, points = 12 }, { to = 0.7, points = 8, ratio = 3.0 }] }
///     y = { stretch = "tanh", strength = 2.0, towards = "lower" }
///     z = { file = "grid.h5", dataset = "/z" }
void check_keys(CaseSection const& grid, CaseSection const& table, int axis) {
  if (table.has("coordinates")) {
    return refuse_conflicting(table, "coordinates",
                              {"segments", "stretch", "strength", "towards", "file", "dataset"});
  }
  if (table.has("segments")) {
    return refuse_conflicting(table, "segments",
                              {"stretch", "strength", "towards", "file", "dataset"});
  }
  if (table.has("stretch")) {
    return refuse_conflicting(table, "stretch", {"file", "dataset"});
  }
  for (char const* const key : {"strength", "towards"}) {
    table.refuse(key, R"(needs the key stretch, as in stretch = "tanh")");
  }
  if (!table.has("file")) table.refuse("dataset", R"(needs the key file, as in file = "grid.h5")");
  if (table.has("file")) return;
  std::string const name = axis_name(axis);
  grid.fail(name, "does not define the points (needs " + name +
                      " = { coordinates = [0.0, 0.1, 0.3] }, " + name +
                      R"( = { stretch = "tanh", strength = 2.0 }, or a file and a dataset))");
}

/// Returns the path of the file with coordinates, relative to the case file's directory.
std::filesystem::path file_of(CaseDocument const& document, CaseSection const& table) {
  return std::filesystem::path(document.file).parent_path() / table.text("file");
}

/// Reads coordinates from a file, or reuses those of a case that has the same problem.
std::vector<double> read_file(CaseDocument const& document, CaseSection const& table, int axis) {
  table.require_key("dataset", R"(the name of a dataset in the file, as in dataset = "/x")");
  if (document.like != nullptr && document.like->problem.grid.is_graded(axis)) {
    return document.like->problem.grid.graded[axis].values();
  }
  try {
    return read_list(file_of(document, table), table.text("dataset"));
  } catch (InputError const& error) {
    table.fail("file", std::string(": ") + error.what());
  }
}

/// Appends the points of a segment to the coordinates of an axis, which end at its lower end.
///
/// Its gaps grow by a constant ratio, so the last one is `ratio` times as wide as the first. A
/// segment has as many gaps as `points`, since its lower end belongs to the segment before.
void add_segment(CaseSection const& segment, std::int64_t maximum,
                 std::vector<double>& coordinates) {
  segment.require_key("to", "the coordinate at which the segment ends");
  segment.require_key("points", "the number of points behind its lower end");
  double const lower = coordinates.back(), upper = segment.number("to", 0.0);
  if (!(upper > lower)) {
    segment.fail("to", "is " + shortest(upper) + " (needs more than " + shortest(lower) +
                           ", where the segment begins)");
  }
  std::int64_t const points = segment.whole("points", 1, 1);
  if (points > maximum) {
    segment.fail("points", "is " + std::to_string(points) + " (needs at most " +
                               std::to_string(maximum) + " here)");
  }
  double const ratio = segment.positive("ratio", 1.0);
  if (ratio > max_gap_ratio || ratio < 1.0 / max_gap_ratio) {
    segment.fail("ratio", "is " + shortest(ratio) + " (needs " + shortest(1.0 / max_gap_ratio) +
                              " to " + shortest(max_gap_ratio) + ')');
  }
  double const growth = points > 1 ? std::log(ratio) / static_cast<double>(points - 1) : 0.0;
  for (std::int64_t i = 1; i < points; ++i) {
    auto const gaps = static_cast<double>(i), all = static_cast<double>(points);
    // The first i of n gaps, relative to the whole segment: (r^i - 1) / (r^n - 1) for gaps that
    // grow by r = exp(growth).
    double const share =
        growth == 0.0 ? gaps / all : std::expm1(growth * gaps) / std::expm1(growth * all);
    coordinates.push_back(lower + share * (upper - lower));
  }
  coordinates.push_back(upper);
}

/// Returns the coordinates of an axis that segments define. The first one is [grid] lower, by
/// default 0.
std::vector<double> read_segments(CaseSection const& grid, CaseSection const& table, int axis,
                                  int dimension) {
  double const lower = grid.has("lower") ? grid.place("lower", dimension)[axis] : 0.0;
  std::vector<double> coordinates{lower};
  for (CaseSection const& segment : table.sections("segments")) {
    add_segment(segment, max_listed - std::ssize(coordinates), coordinates);
  }
  return coordinates;
}

/// Returns the grid with the given coordinates. If they are invalid, the message names `key`.
Grid with_coordinates_of(CaseSection const& table, char const* key, Grid const& grid, int axis,
                         std::vector<double> coordinates) {
  try {
    return with_coordinates(grid, axis, std::move(coordinates));
  } catch (InputError const& error) {
    table.fail(key, std::string(": ") + error.what());
  }
}

/// Returns the key that lists the coordinates.
char const* list_key(CaseSection const& table) {
  return table.has("file") ? "file" : table.has("segments") ? "segments" : "coordinates";
}

/// Limits the points of a graded axis, since each rank stores all coordinates of it. A uniform axis
/// may have more.
void require_countable(CaseSection const& grid, int axis, std::int64_t points) {
  if (points <= max_listed) return;
  grid.fail("points", "is " + std::to_string(points) + ' ' + on_axis(axis) +
                          ", where the spacing varies (needs at most " +
                          std::to_string(max_listed) + " there, or a uniform spacing: leave " +
                          axis_name(axis) + " out)");
}

/// Converts [grid.x] towards. The schema has restricted it to the three words.
Towards towards_of(std::string const& word) {
  return word == "lower" ? Towards::lower : word == "upper" ? Towards::upper : Towards::both;
}

/// Reads `stretch`, `strength` and `towards`. The strength is the factor δ of tanh, or the ratio of
/// the widest gap to the narrowest.
Stretching stretching_of(CaseSection const& table) {
  bool const geometric = table.text("stretch") == "geometric";
  table.require_key("strength", "a number, as in strength = 2.0");
  double const strength = table.number("strength", 0.0);
  double const minimum = geometric ? 1.0 : 0.0;
  double const maximum = geometric ? max_gap_ratio : 10.0;
  if (!(strength > minimum) || strength > maximum) {
    table.fail("strength",
               "is " + shortest(strength) + " (needs more than " + shortest(minimum) +
                   " and at most " + shortest(maximum) +
                   (geometric ? ": the ratio of the largest to the smallest spacing)" : ")"));
  }
  return {geometric ? StretchKind::geometric : StretchKind::tanh, strength,
          towards_of(table.text("towards", "both"))};
}

}  // namespace

bool lists_coordinates(CaseSection const& grid, int axis) {
  auto const table = table_of(grid, axis);
  return table && (table->has("coordinates") || table->has("segments") || table->has("file"));
}

PerAxis<std::vector<double>> listed_coordinates(CaseDocument const& document, int dimension) {
  CaseSection const grid = document.section("grid");
  PerAxis<std::vector<double>> listed;
  for (int axis = 0; axis < 3; ++axis) {
    auto const table = table_of(grid, axis);
    if (!table) continue;
    if (axis >= dimension) grid.fail(axis_name(axis), "is not an axis of this grid, which is 2D");
    check_keys(grid, *table, axis);
    if (!lists_coordinates(grid, axis)) continue;
    listed[axis] = table->has("file")       ? read_file(document, *table, axis)
                   : table->has("segments") ? read_segments(grid, *table, axis, dimension)
                                            : table->numbers("coordinates");
    // Checks the list on an otherwise empty grid, since [grid] lower and upper may be missing: the
    // ends of the list define them.
    (void)with_coordinates_of(*table, list_key(*table), Grid{}, axis, listed[axis]);
  }
  return listed;
}

PerAxis<std::filesystem::path> axis_files(CaseDocument const& document) {
  CaseSection const grid = document.section("grid");
  PerAxis<std::filesystem::path> files;
  for (int axis = 0; axis < 3; ++axis) {
    auto const table = table_of(grid, axis);
    if (table && table->has("file")) files[axis] = file_of(document, *table);
  }
  return files;
}

// A periodic axis must be uniform, because the gap across the boundary would be undefined.
Grid graded(CaseDocument const& document, Grid const& grid,
            PerAxis<std::vector<double>> const& listed) {
  CaseSection const section = document.section("grid");
  Grid made = grid;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    auto const table = table_of(section, axis);
    if (!table) continue;
    if (grid.periodic[axis]) {
      section.fail(axis_name(axis),
                   "belongs to a periodic axis, which has a uniform spacing (leave it out)");
    }
    // A table without a list has a stretching function; check_keys() has ensured that.
    bool const stretch = listed[axis].empty();
    require_countable(section, axis, grid.points[axis]);
    made = with_coordinates_of(*table, stretch ? "strength" : list_key(*table), made, axis,
                               stretch ? stretched(stretching_of(*table), grid.points[axis],
                                                   grid.lower[axis], grid.upper(axis))
                                       : listed[axis]);
  }
  return made;
}

}  // namespace isotherm
