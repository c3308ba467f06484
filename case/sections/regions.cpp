#include "case/sections/regions.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <string_view>

#include "case/basics/text/wording.hpp"
#include "case/data/data_field.hpp"
#include "case/expressions/compile_expression.hpp"
#include "case/expressions/condition_level.hpp"
#include "case/expressions/expression_bounds.hpp"
#include "case/sections/parts.hpp"
#include "case/toml/case_schema.hpp"
#include "decomposition/grid/point_name.hpp"
#include "io/surface/closed_surface.hpp"
#include "io/surface/stl_file.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/compiled_condition.hpp"
#include "solver/discretise/compiled_function.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/problem/variation.hpp"

namespace isotherm {
namespace {

/// Tolerance of coordinates relative to the narrowest gap: a computed coordinate may deviate by
/// this much from that of its point.
constexpr double slack = 1e-9;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns the square of a number.
double square(double value) { return value * value; }

/// Returns the shortest decimal text of a number. Equal numbers have equal texts: -0.0 is written
/// as 0.
std::string text_of(double number) { return shortest(number == 0.0 ? 0.0 : number); }

/// Returns a place in the form "[0.5, 0.5]", with the axes that the grid has.
std::string text_of(PerAxis<double> const& place, int dimension) {
  std::string text = "[" + text_of(place[0]);
  for (int axis = 1; axis < dimension; ++axis) text += ", " + text_of(place[axis]);
  return text + ']';
}

/// Returns a warning if a source at a place lies between grid points of two axes or three; else an
/// empty text.
/// @param title  of the source: `source "well"`
std::string remark_on_place(std::string const& title, PerAxis<double> const& place,
                            Grid const& grid) {
  constexpr double tolerance = 1e-6;  // of a gap
  int sharing = 1, axes = 0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    ++axes;
    double const at = grid.position(axis, place[axis]);
    if (std::abs(at - std::round(at)) > tolerance) sharing *= 2;
  }
  if (axes == 1 || sharing == 1) return "";
  return fmt::format(
      "the {} lies between grid points: {} points share its power, so the value there has no "
      "equivalent radius (to read it, move the source to a grid point, such as {})",
      title, sharing, point_name(grid, nearest_point(grid, place)));
}

/// Returns the narrowest gap of the grid, over all axes.
double smallest_spacing(Grid const& grid) {
  double smallest = infinity;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    smallest = std::min(smallest, narrowest_gap(grid, axis));
  }
  return smallest;
}

/// The closed box lower <= coordinate <= upper.
struct InBox {
  PerAxis<double> lower;
  PerAxis<double> upper;

  bool operator()(double x, double y, double z) const {
    return lower[0] <= x && x <= upper[0] && lower[1] <= y && y <= upper[1] && lower[2] <= z &&
           z <= upper[2];
  }
};

/// The closed ball around a center. If one weight is 0, that axis is ignored and the set is an
/// infinite cylinder. It compares squares of distances, which avoids a square root per point.
struct Near {
  PerAxis<double> center;
  PerAxis<double> weight;  ///< 1 for axes that contribute to the distance, else 0
  double squared_radius;

  bool operator()(double x, double y, double z) const {
    return weight[0] * square(x - center[0]) + weight[1] * square(y - center[1]) +
               weight[2] * square(z - center[2]) <=
           squared_radius;
  }
};

/// Requires lower <= upper; a box may be flat.
void require_order(CaseSection const& section, double lower, double upper, int axis) {
  if (lower <= upper) return;
  section.fail("upper", "is " + shortest(upper) + ' ' + on_axis(axis) + ", which is below lower, " +
                            shortest(lower));
}

/// Returns a box enlarged by the tolerance of coordinates. It is unbounded along axes that the grid
/// does not have.
InBox with_slack(Grid const& grid, PerAxis<double> lower, PerAxis<double> upper) {
  for (int axis = 0; axis < 3; ++axis) {
    bool const exists = axis < grid.dimension;
    lower[axis] = exists ? lower[axis] - slack * narrowest_gap(grid, axis) : -infinity;
    upper[axis] = exists ? upper[axis] + slack * narrowest_gap(grid, axis) : infinity;
  }
  return {lower, upper};
}

/// Returns the exact box. It is unbounded along axes that the grid does not have.
Solid exact_box(Grid const& grid, PerAxis<double> lower, PerAxis<double> upper) {
  for (int axis = grid.dimension; axis < 3; ++axis) {
    lower[axis] = -infinity;
    upper[axis] = infinity;
  }
  return make_box(lower, upper);
}

/// Reads a box. The text, such as "box [0, 0] to [0.5, 1]", identifies the region in fingerprints.
/// It contains the given numbers, without the tolerance.
///
///     box = { lower = [0.0, 0.0], upper = [0.5, 1.0] }
CaseRegion read_box(CaseSection const& section, Grid const& grid) {
  PerAxis<double> const lower = section.place("lower", grid.dimension);
  PerAxis<double> const upper = section.place("upper", grid.dimension);
  PerAxis<double> middle{};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    require_order(section, lower[axis], upper[axis], axis);
    middle[axis] = 0.5 * lower[axis] + 0.5 * upper[axis];
  }
  std::string const text =
      "box " + text_of(lower, grid.dimension) + " to " + text_of(upper, grid.dimension);
  return {{with_slack(grid, lower, upper), text, exact_box(grid, lower, upper)},
          points_between(grid, lower, upper, UpperEnd::included),
          middle};
}

/// Returns the grid points in the bounding box of a ball or cylinder.
GlobalBox points_around(Grid const& grid, Near const& near, double radius) {
  PerAxis<double> lower, upper;
  for (int axis = 0; axis < 3; ++axis) {
    bool const counts = near.weight[axis] != 0.0;
    lower[axis] = counts ? near.center[axis] - radius : -infinity;
    upper[axis] = counts ? near.center[axis] + radius : infinity;
  }
  return points_between(grid, lower, upper, UpperEnd::included);
}

/// Reads a ball, which is a disc in 2D.
///
///     ball = { center = [0.5, 0.5, 0.5], radius = 0.1 }
CaseRegion read_ball(CaseSection const& section, Grid const& grid) {
  PerAxis<double> const center = section.place("center", grid.dimension);
  double const radius = section.positive("radius");
  Near const near{center,
                  {1.0, 1.0, grid.dimension == 3 ? 1.0 : 0.0},
                  square(radius + slack * smallest_spacing(grid))};
  std::string const text = "ball " + text_of(center, grid.dimension) + " radius " + text_of(radius);
  return {{near, text, make_ball(grid.dimension, center, radius)},
          points_around(grid, near, radius),
          center};
}

/// Reads the center of a cylinder along `axis`: its coordinates along the other two axes, in the
/// order x, y, z.
PerAxis<double> read_center(CaseSection const& section, int axis) {
  int const first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
  auto const given = section.numbers("center");
  if (given.size() != 2) {
    section.fail("center", "has " + std::to_string(given.size()) + " entries (needs 2, the " +
                               axis_name(first) + " and " + axis_name(second) +
                               " of a cylinder along " + axis_name(axis) + ')');
  }
  PerAxis<double> center{};
  center[first] = given[0];
  center[second] = given[1];
  return center;
}

/// The ends of a cylinder along its axis; infinite by default.
struct Ends {
  double lower;
  double upper;
};

/// Reads the ends of a cylinder.
Ends read_ends(CaseSection const& section, int axis) {
  Ends const ends{section.number("lower", -infinity), section.number("upper", infinity)};
  require_order(section, ends.lower, ends.upper, axis);
  return ends;
}

/// Reads a cylinder: an infinite one, intersected with a slab between its ends. 3D only.
///
///     cylinder = { axis = "z", center = [0.5, 0.5], radius = 0.1, lower = 0.0, upper = 0.5 }
CaseRegion read_cylinder(CaseSection const& section, Grid const& grid) {
  section.require_key("axis", R"(the direction of the cylinder: "x", "y" or "z")");
  int const axis = section.text("axis")[0] - 'x';
  PerAxis<double> middle = read_center(section, axis);
  double const radius = section.positive("radius");
  Ends const ends = read_ends(section, axis);
  PerAxis<double> lower{-infinity, -infinity, -infinity}, upper{infinity, infinity, infinity};
  lower[axis] = ends.lower;
  upper[axis] = ends.upper;
  Near near{middle, {1.0, 1.0, 1.0}, square(radius + slack * smallest_spacing(grid))};
  near.weight[axis] = 0.0;
  std::string const text = "cylinder along " + axis_name(axis) + ' ' + text_of(middle, 3) +
                           " radius " + text_of(radius) + " from " + text_of(ends.lower) + " to " +
                           text_of(ends.upper);
  Solid const solid = make_cylinder(axis, middle, radius, {ends.lower, ends.upper});
  // The center of the part within the grid, since an infinite cylinder has no other center.
  middle[axis] = 0.5 * std::max(ends.lower, grid.lower[axis]) +  //
                 0.5 * std::min(ends.upper, grid.upper(axis));
  auto const contains = [near, between = with_slack(grid, lower, upper)](double x, double y,
                                                                         double z) {
    return between(x, y, z) && near(x, y, z);
  };
  GlobalBox const within = intersection(points_around(grid, near, radius),
                                        points_between(grid, lower, upper, UpperEnd::included));
  return {{contains, text, solid}, within, middle};
}

/// Returns where an expression is certainly true or false, by blocks of the grid; null if that is
/// not known. What the bounds claim is compared with a value in each block.
std::shared_ptr<RegionBlocks const> blocks_of(ScalarFunction const& function, Grid const& grid) {
  auto const bounds = ExpressionBounds::of(function.text);
  if (!bounds) return nullptr;
  auto const blocks = std::make_shared<RegionBlocks>(grid, [bounds](Cell const& box) {
    auto const values = bounds->within(box);
    if (!values) return Certainty::unknown;
    if (!values->contains(0.0)) return Certainty::inside;
    return *values == Interval{} ? Certainty::outside : Certainty::unknown;
  });
  // Some blocks are enough to find an expression whose text means something else.
  constexpr std::int64_t samples = 20'000;
  std::int64_t const step = 1 + grid.point_count() / (8 * samples);
  std::int64_t number = 0;
  bool agrees = true;
  blocks->for_each([&](Certainty known, PerAxis<double> const& middle) {
    if (number++ % step != 0) return;
    double const value = function(middle[0], middle[1], middle[2], 0.0);
    bool const inside = value != 0.0 && !std::isnan(value);
    agrees = agrees && known != (inside ? Certainty::outside : Certainty::inside);
  });
  return agrees ? blocks : nullptr;
}

/// Returns the level of an expression; null if it has none. See CompiledCondition.
std::shared_ptr<expressions::Program const> level_of(ScalarFunction const& function) {
  // Expressions that are not compiled may mean something else than their tree.
  if (compiled(function) == nullptr) return nullptr;
  auto const tree = ExpressionTree::of(function.text, {"x", "y", "z"});
  if (!tree) return nullptr;
  auto const level = condition_level(*tree);
  return level ? compile_expression(*level).program : nullptr;
}

/// Reads `where`: an expression that is nonzero inside the region, or such values in a file. Values
/// that are NaN are treated as outside, since a predicate must not throw. The number of points
/// is unknown, so the bounding box is the whole grid.
///
///     where = "x > 0.2 && y < 0.1"
///     where = { file = "mask.h5", dataset = "/mask" }
CaseRegion read_where(CaseSection const& section, Problem const& problem,
                      FunctionScope const& scope) {
  ScalarFunction const function = section.function("where", 0.0, scope);
  auto const data = data_of(function);
  if (!data) require_finite(section, "where", function, problem, problem.grid.box());
  std::string const text =
      "where " + (function.is_constant() ? text_of(function.constant) : function.text);
  // The blocks fill the grid, which a face is no part of.
  bool const may_have_blocks = !data && !scope.face && !function.is_constant();
  auto const blocks = may_have_blocks ? blocks_of(function, problem.grid) : nullptr;
  Region region{CompiledCondition{function, blocks, level_of(function)}, text};
  region.at_points = data != nullptr;
  region.blocks = blocks;
  region.varies_along = variation_of(function);
  return {region, problem.grid.box(), std::nullopt, "", data};
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): the region owns its predicate

/// Returns "x from 0 to 0.1, y from 0 to 0.2, z from 0 to 0.3", the extent of a surface.
std::string spans(ClosedSurface const& surface) {
  std::vector<std::string> words;
  words.reserve(3);
  for (int axis = 0; axis < 3; ++axis) {
    words.push_back(fmt::format("{} from {:.6g} to {:.6g}", "xyz"[axis], surface.lower()[axis],
                                surface.upper()[axis]));
  }
  return join(words);
}

/// Reads `stl`: the body inside a closed surface of triangles. 3D only.
///
///     stl = { file = "part.stl", scale = 0.001, offset = [0.0, 0.0, 0.01] }
CaseRegion read_stl_region(CaseSection const& section, Grid const& grid,
                           std::string const& case_file) {
  section.require_key("file", R"(an STL file, as in stl = { file = "part.stl" })");
  std::filesystem::path const path =
      std::filesystem::path(case_file).parent_path() / section.text("file");
  double const scale = section.has("scale") ? section.positive("scale") : 1.0;
  PerAxis<double> const offset =
      section.has("offset") ? section.place("offset", grid.dimension) : PerAxis<double>{};
  std::shared_ptr<ClosedSurface const> surface;
  try {
    surface = std::make_shared<ClosedSurface const>(read_stl(path, scale, offset), path.string());
  } catch (InputError const& fault) {
    section.fail("file", std::string(": ") + fault.what());
  }
  // The text identifies the shape when a run resumes, wherever the file then is.
  std::string const text =
      fmt::format("stl of {} triangles, {:016x}", surface->triangle_count(), surface->digest());
  // A body may end at faces of the grid, whose points it then contains on both sides.
  Cell within = extent_of(grid);
  for (int axis = 0; axis < 3; ++axis) {
    double const margin = grid.periodic[axis] ? 0.0 : slack * narrowest_gap(grid, axis);
    within[axis] = {within[axis].lower + margin, within[axis].upper - margin};
  }
  auto const contains = [surface, within](double x, double y, double z) {
    return surface->contains(std::clamp(x, within[0].lower, within[0].upper),
                             std::clamp(y, within[1].lower, within[1].upper),
                             std::clamp(z, within[2].lower, within[2].upper));
  };
  CaseRegion region{{contains, text},
                    points_between(grid, surface->lower(), surface->upper(), UpperEnd::included),
                    std::nullopt};
  region.extent = spans(*surface);
  return region;
}

/// Returns the key that selects the points. Exactly one must be present.
std::string region_key(CaseSection const& section) {
  std::string said;
  for (std::string_view const name : region_keys) {
    std::string const key(name);
    if (!section.has(key)) continue;
    if (!said.empty()) {
      section.fail(key, "conflicts with " + said +
                            " (a region needs exactly one of where, box, ball, cylinder and stl)");
    }
    said = key;
  }
  if (!said.empty()) return said;
  section.fail("where",
               "is missing (a region needs one of where, box, ball, cylinder and stl, as in "
               "where = \"x > 0.2\")");
}

/// Returns the point of the grid in `points` that is nearest to a place. Axes are independent, so
/// each index is rounded and clamped separately.
/// @param closes  see require_points()
PerAxis<double> nearest_of(Grid const& grid, GlobalBox const& points, PerAxis<double> const& place,
                           bool closes) {
  PerAxis<double> nearest;
  for (int axis = 0; axis < 3; ++axis) {
    double const index = std::rint(grid.position(axis, place[axis]));
    bool const both_ends = closes && grid.periodic[axis];
    double const inside = std::clamp(index, static_cast<double>(points.lower[axis]),
                                     static_cast<double>(points.upper[axis] - (both_ends ? 0 : 1)));
    nearest[axis] = grid.coordinate(axis, static_cast<std::int64_t>(inside));
  }
  return nearest;
}

/// Returns whether a region contains any point of a box.
bool has_one_of(Region const& region, Grid const& grid, GlobalBox const& points) {
  for (std::int64_t k = points.lower.z; k < points.upper.z; ++k) {
    for (std::int64_t j = points.lower.y; j < points.upper.y; ++j) {
      for (std::int64_t i = points.lower.x; i < points.upper.x; ++i) {
        if (region.contains(grid.coordinate(0, i), grid.coordinate(1, j), grid.coordinate(2, k))) {
          return true;
        }
      }
    }
  }
  return false;
}

/// Returns whether a region may contain a point of a box. The answer is exact for boxes of up to
/// two million points. Larger boxes are accepted, because evaluating the expression would be slow.
bool may_have_one_of(Region const& region, Grid const& grid, GlobalBox const& points) {
  constexpr std::int64_t max_asked = 2'000'000;
  bool found = false;
  visit_sample(grid, points,
               [&](double x, double y, double z) { found = found || region.contains(x, y, z); });
  return found || points.point_count() > max_asked || has_one_of(region, grid, points);
}

/// True if a cell has no length along an axis, but for rounding.
bool is_flat(Cell const& cell, Grid const& grid) {
  constexpr double thinnest = 1e-9;
  Cell const whole = extent_of(grid);
  bool flat = false;
  for (int axis = 0; axis < 3; ++axis) {
    flat = flat || cell[axis].length() < thinnest * whole[axis].length();
  }
  return flat;
}

/// Suggests a correction of an expression that holds at no point. Equality of floating-point
/// coordinates is the usual mistake.
std::string advice_on(std::string const& text) {
  return text.find("==") != std::string::npos
             ? " (coordinates are rounded: instead of x == 0.7 write abs(x - 0.7) < 1e-6)"
             : " (needs a condition that at least one of them meets, as in \"x > 0.2 && y <= "
               "0.5\")";
}

/// Returns "x from 0 to 0.5, y from 0 to 1, z = 0". Rounding of computed bounds is not shown.
std::string spans(Cell const& cell, int dimension) {
  std::vector<std::string> words;
  for (int axis = 0; axis < dimension; ++axis) {
    auto const& [lower, upper] = cell[axis];
    words.push_back(lower == upper
                        ? fmt::format("{} = {:.10g}", "xyz"[axis], lower)
                        : fmt::format("{} from {:.10g} to {:.10g}", "xyz"[axis], lower, upper));
  }
  return join(words);
}

/// Returns the complement of a shape, which has no closed forms. If the shape is a box, a ball or a
/// cylinder, blocks of the grid show where it need not be evaluated.
CaseRegion complement_of(CaseRegion const& shape, Problem const& problem, bool is_on_face) {
  Region region{[contains = shape.region.contains](double x, double y, double z) {
                  return !contains(x, y, z);
                },
                "outside of " + shape.region.text};
  if (!is_on_face && shape.region.solid) {
    Solid const solid = *shape.region.solid;
    region.blocks = std::make_shared<RegionBlocks>(problem.grid, [solid](Cell const& box) {
      double const share = solid.share(box);
      return share == 0.0   ? Certainty::inside
             : share == 1.0 ? Certainty::outside
                            : Certainty::unknown;
    });
  }
  return {region, problem.grid.box(), std::nullopt};
}

/// Returns the fraction of a shape, or of its section with a face, that lies within the grid. Ends
/// at infinity are those of the grid.
double share_within(Solid const& solid, Grid const& grid, std::optional<Face> face) {
  Cell const extent = extent_of(grid);
  Cell whole = bounds_of(solid);
  for (int axis = 0; axis < 3; ++axis) {
    if (axis >= grid.dimension) whole[axis] = extent[axis];
    if (!std::isfinite(whole[axis].lower)) whole[axis].lower = extent[axis].lower;
    if (!std::isfinite(whole[axis].upper)) whole[axis].upper = extent[axis].upper;
  }
  if (!face) {
    double const all = solid.measure(grid.dimension, whole);
    return all > 0.0 ? solid.measure(grid.dimension, extent) / all : 1.0;
  }
  double const plane = face->upper ? extent[face->axis].upper : extent[face->axis].lower;
  whole[face->axis] = {plane, plane};
  double const all = volume_of(whole) * including_plane(solid, grid, *face).share(whole);
  return all > 0.0 ? area_on(solid, grid, *face) / all : 1.0;
}

/// Returns a warning if a part of a shape with a total power lies outside of the grid: all of the
/// power enters through the rest. Else an empty text.
std::string remark_on_power(CaseSection const& section, CaseRegion const& region, Grid const& grid,
                            std::optional<Face> face) {
  constexpr double negligible = 1e-3;
  // Shapes have the measures of Cartesian coordinates.
  if (!region.region.solid || grid.geometry != Geometry::cartesian) return "";
  double const share = share_within(*region.region.solid, grid, face);
  if (share >= 1.0 - negligible) return "";
  return fmt::format(
      "{}: only {:.3g} % of the {} lies within the {}; the power enters through that part",
      section.place_of(region.key), 100.0 * share, region.key, face ? "face" : "grid");
}

/// Returns a region that a file defines, whose values an earlier reader of the case has opened.
Region region_of_file(CaseSection const& section, CaseDocument const& document) {
  std::string const said = section.place_of("where");
  CaseSection const file = section.section("where");
  auto const name = std::filesystem::path(document.file).parent_path() / file.text("file");
  for (auto const& field : *document.data) {
    if (field->said() != said || field->file() != name) continue;
    Region region{CompiledCondition{function_of(field)}, "where " + name.string()};
    region.at_points = true;
    return region;
  }
  return {};
}

/// Lists the surfaces of [[convection]] or [[radiation]].
/// @param kind  the name of the list
void add_exchanges(CaseDocument const& document, Problem const& problem, char const* kind,
                   std::vector<PlacedRegion>& all) {
  CaseSection const root(document.root, "");
  for (CaseSection const& exchange : root.sections(kind)) {
    std::string const name = exchange.text("of", "");
    for (CaseSection const& section : root.sections("insulated")) {
      if (read_region_name(section) != name) continue;
      if (section.is_table("where")) {
        Region const region = region_of_file(section, document);
        all.push_back({kind, name, region, problem.grid.box(), {}, {}, true});
        continue;
      }
      CaseRegion const region = read_region(section, problem, document);
      all.push_back({kind, name, region.region, region.within});
    }
  }
}

/// Appends the films on the surfaces of fixed regions.
void add_films(Problem const& problem, std::vector<PlacedRegion>& all) {
  std::vector<PlacedRegion> films;
  std::size_t number = 0;
  for (PlacedRegion const& placed : all) {
    if (placed.kind != "fixed") continue;
    FixedRegion const& fixed = problem.medium.fixed.at(number++);
    if (!fixed.film_coefficient) continue;
    films.push_back(placed);
    films.back().kind = "film";
  }
  all.insert(all.end(), films.begin(), films.end());
}

/// Appends the surfaces between materials with a contact.
void add_contacts(CaseDocument const& document, Problem const& problem,
                  std::vector<PlacedRegion>& all) {
  int table = 0;
  for (CaseSection const& section : CaseSection(document.root, "").sections("contact")) {
    std::vector<std::string> const names = section.texts("between");
    PlacedRegion placed{"contact", names.at(0) + " to " + names.at(1)};
    placed.within = problem.grid.box();
    placed.contact = table++;
    all.push_back(std::move(placed));
  }
}

}  // namespace

CaseRegion read_region(CaseSection const& section, Problem const& problem,
                       CaseDocument const& document, std::optional<Face> face) {
  std::string const key = region_key(section);
  Grid const& grid = problem.grid;
  if (grid.dimension == 2) {
    section.refuse("cylinder",
                   "needs a 3D grid (in 2D a ball is a disc: write ball = { center = [0.5, 0.5], "
                   "radius = 0.1 })");
    section.refuse("stl",
                   "needs a 3D grid (in 2D a picture can select points: write where = { "
                   "file = \"mask.png\", above = 0.5 })");
  }
  CaseRegion region = key == "box"        ? read_box(section.section(key), grid)
                      : key == "ball"     ? read_ball(section.section(key), grid)
                      : key == "cylinder" ? read_cylinder(section.section(key), grid)
                      : key == "stl"
                          ? read_stl_region(section.section(key), grid, document.file)
                          : read_where(section, problem, document.scope(problem, false, face));
  if (key == "where") {
    section.refuse("outside", "applies only to shapes (negate the expression instead)");
  } else if (section.flag("outside", false)) {
    region = complement_of(region, problem, face.has_value());
  }
  region.key = key;
  return region;
}

// A box, a ball or a cylinder is convex and symmetric about its center, with axes along the
// coordinate axes. Therefore the point nearest to the center is inside if any point is.
void require_points(CaseSection const& section, CaseRegion const& region, Grid const& grid,
                    GlobalBox const& points, std::string const& whose, bool closes) {
  if (region.data) return region.data->want_some(points, whose);
  // An expression: it can only be tested point by point.
  if (!region.middle) {
    if (may_have_one_of(region.region, grid, points)) return;
    if (!region.extent.empty()) {
      section.fail(region.key, "contains none of " + whose + " (the surface has " + region.extent +
                                   "; scale = 0.001 converts millimetres)");
    }
    section.fail(region.key, "is true at none of " + whose + advice_on(region.region.text));
  }
  auto const [x, y, z] = nearest_of(grid, points, *region.middle, closes).values;
  if (region.region.contains(x, y, z)) return;
  section.fail(region.key, "contains none of " + whose + " (the nearest to its center is at " +
                               at_point(x, y, z, grid.dimension) + ')');
}

bool contains_a_place(Region const& region, Grid const& grid) {
  if (!region.blocks) return false;
  constexpr std::size_t most = 5'000;
  std::deque<Cell> cells{extent_of(grid)};
  for (std::size_t examined = 0; !cells.empty() && examined < most; ++examined) {
    auto const cell = region.blocks->uncertain_part(cells.front(), Certainty::outside);
    cells.pop_front();
    if (!cell || is_flat(*cell, grid)) continue;
    if (contains(region, middle_of(*cell))) return true;
    auto const longest = std::ranges::max_element(*cell, {}, &Interval::length);
    for (bool const is_upper : {false, true}) {
      Cell half = *cell;
      Interval& side = half[static_cast<int>(longest - cell->begin())];
      (is_upper ? side.lower : side.upper) = side.middle();
      cells.push_back(half);
    }
  }
  return false;
}

bool has_exact_shapes(CaseDocument const& document) {
  return document.section("grid").text("shapes", "exact") == "exact";
}

void require_power(CaseSection const& section, ScalarFunction const& power,
                   std::string const& of_what) {
  constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
  // A function of the place yields NaN if the coordinates are NaN.
  if (std::isfinite(power(nowhere, nowhere, nowhere, 0.0))) return;
  if (!std::isfinite(power(0.0, 0.0, 0.0, 0.0))) section.fail("power", "is not a finite number");
  section.fail("power",
               "depends on the position (a power is one number for the whole " + of_what + ')');
}

void require_volume(CaseSection const& section, CaseRegion const& region, Grid const& grid,
                    std::optional<Face> face) {
  Solid const& solid = *region.region.solid;
  if (!face) {
    if (solid.measure(grid.dimension, extent_of(grid)) > 0.0) return;
    section.fail(region.key, "has no volume within the grid" + sizes_in_words(region, grid));
  }
  if (area_on(solid, grid, *face) > 0.0) return;
  section.fail(region.key,
               "covers no part of the face " + name(*face) + sizes_in_words(region, grid, face));
}

std::string sizes_in_words(CaseRegion const& region, Grid const& grid, std::optional<Face> face) {
  if (!region.region.solid) return "";
  Solid const& solid = *region.region.solid;
  Cell whole = extent_of(grid);
  Cell part = solid.between;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    double const center = solid.center[axis];
    if (solid.round[axis]) part[axis] = {center - solid.radius, center + solid.radius};
  }
  if (face) {
    Interval& across = whole[face->axis];
    across =
        face->upper ? Interval{across.upper, across.upper} : Interval{across.lower, across.lower};
  }
  return " (the " + std::string(face ? "face" : "grid") + " has " + spans(whole, axis_count(grid)) +
         "; the " + region.key + " has " + spans(part, axis_count(grid)) + ')';
}

std::vector<PlacedRegion> list_regions(CaseDocument const& document, Problem const& problem) {
  std::vector<PlacedRegion> all;
  bool const exact = has_exact_shapes(document);
  // Adds one table. `number` is its position in the list, the name of a region without one.
  auto const add = [&](CaseSection const& section, std::string const& kind, std::size_t number,
                       bool by_points, std::optional<Face> face) {
    PlacedRegion placed{kind, read_region_name(section), {}, {}, face, {}, by_points};
    if (placed.name.empty()) placed.name = std::to_string(number);
    if (section.is_table("where")) {
      placed.where = region_of_file(section, document);
      placed.within = problem.grid.box();
      placed.by_points = true;
    } else if (!section.has("at")) {
      CaseRegion const region = read_region(section, problem, document, face);
      placed.where = region.region;
      placed.within = region.within;
      if (section.has("power")) {
        placed.remark = remark_on_power(section, region, problem.grid, face);
      }
    } else {
      std::string const name = section.has("name") ? in_quotes(placed.name) : placed.name;
      PerAxis<double> const place = read_place(section, "at", problem.grid);
      placed.remark = remark_on_place("source " + name, place, problem.grid);
    }
    if (section.has("power")) {
      ScalarFunction const power = section.function("power", 0.0, document.scope(problem, true));
      if (power.is_constant()) placed.power = power.constant;
    }
    all.push_back(std::move(placed));
  };
  for (std::string const kind : {"material", "source", "fixed", "insulated"}) {
    bool const by_points = kind != "source" && !exact;
    std::size_t number = 0;
    for (CaseSection const& section : CaseSection(document.root, "").sections(kind)) {
      add(section, kind, number++, by_points, std::nullopt);
    }
  }
  for (char const* const kind : {"convection", "radiation"}) {
    if (exact) add_exchanges(document, problem, kind, all);
  }
  add_films(problem, all);
  add_contacts(document, problem, all);
  std::size_t number = 0;
  for (CaseSection const& section : document.section("boundary").sections("patch")) {
    BoundaryPatch const& patch = problem.patches[number];
    add(section, "patch " + name(patch.face), number++, patch.where.at_points, patch.face);
  }
  return all;
}

std::string read_region_name(CaseSection const& section) {
  if (!section.has("name")) return "";
  constexpr std::size_t max_letters = 200;
  std::string name = section.text("name");
  auto const is_plain = [](unsigned char letter) {
    return letter < 0x80 && (std::isalnum(letter) != 0 || letter == '-' || letter == '_');
  };
  if (name.size() > max_letters || !std::ranges::all_of(name, is_plain)) {
    section.fail("name", "is " + in_quotes(name) + " (needs up to " + std::to_string(max_letters) +
                             " ASCII letters, digits, - and _)");
  }
  return name;
}

}  // namespace isotherm
