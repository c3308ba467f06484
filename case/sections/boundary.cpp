#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "case/sections/parts.hpp"
#include "case/sections/regions.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/face_shares.hpp"
#include "solver/methods.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {
namespace {

/// Converts the type of a condition. The schema has restricted it to the words of this list.
BoundaryKind kind_of(std::string const& type) {
  if (type == "flux") return BoundaryKind::neumann;
  if (type == "convection" || type == "radiation") return BoundaryKind::robin;
  for (BoundaryKind const kind :
       {BoundaryKind::dirichlet, BoundaryKind::neumann, BoundaryKind::robin}) {
    if (type == name(kind)) {
      return kind;
    }
  }
  return BoundaryKind::periodic;
}

/// The keys of a condition of some type.
struct ConditionKeys {
  std::string value;        ///< "value", or "power" or "ambient"
  std::string coefficient;  ///< "coefficient" or "h"
};

/// Returns the keys that a condition uses, and refuses those of other types.
ConditionKeys keys_of(CaseSection const& section) {
  std::string const type = section.text("type");
  bool const convection = type == "convection", flux = type == "flux";
  bool const radiation = type == "radiation";
  for (char const* const key : {"emissivity", "absolute_zero", "stefan_boltzmann"}) {
    if (!radiation) section.refuse(key, R"(applies only to type = "radiation" (leave it out))");
  }
  // Convection is a Robin condition whose keys have the names of heat transfer.
  if (radiation) {
    section.refuse(
        "h", R"(does not apply to type = "radiation" (write emissivity and ambient; for a )"
             R"(face with both, in degrees Celsius: type = "convection", ambient = 20.0, h = )"
             R"-("15 + 0.8*5.670374419e-8*((u+273.15)^2 + 293.15^2)*(u+273.15 + 293.15)"))-");
    for (char const* const key : {"coefficient", "value"}) {
      section.refuse(key, R"(does not apply to type = "radiation" (write emissivity and ambient))");
    }
    section.require_key("emissivity", "a number above 0, up to 1");
    section.require_key("ambient", "the temperature of the surroundings");
  } else if (!convection) {
    section.refuse("h", R"(applies only to type = "convection" (for robin write coefficient))");
    section.refuse("ambient", R"(applies only to type = "convection" (for robin write value))");
  } else {
    section.refuse("coefficient", R"(applies only to type = "robin" (for convection write h))");
    section.refuse("value", R"(applies only to type = "robin" (for convection write ambient))");
    section.require_key("ambient", "the ambient temperature");
  }
  // A flux is given per area or in total, but not both.
  if (!flux) section.refuse("power", R"(applies only to type = "flux" (leave it out))");
  if (flux && !section.has("value") && !section.has("power")) {
    section.fail("value",
                 "is missing (needs the heat flux into the box per area, or power, the total)");
  }
  if (section.has("value") && section.has("power")) {
    section.fail("power",
                 "conflicts with value (give one: power is the total, value the flux per "
                 "area)");
  }
  if (convection) return {"ambient", "h"};
  if (radiation) return {"ambient", "emissivity"};
  return {section.has("power") ? "power" : "value", "coefficient"};
}

/// Reads the Robin coefficient h of the condition κ ∂u/∂n = h (value - u), with the outward normal
/// n.
///
/// The coefficient is the outward flux per unit of difference between the face and the value beyond
/// it. It must not be negative, or the operator could be indefinite. Heat flows in if the value
/// beyond is above that of the face.
ScalarFunction read_coefficient(CaseSection const& section, std::string const& key,
                                BoundaryKind kind, FunctionScope const& scope) {
  if (kind != BoundaryKind::robin) {
    section.refuse(key, R"(applies only to type = "robin" (leave it out))");
    return {};
  }
  section.require_key(key, "a number of 0 or more, or an expression in quotes");
  ScalarFunction coefficient = section.function(key, 0.0, scope);
  if (coefficient.is_constant() && coefficient.constant < 0.0) {
    section.fail(key, "is " + shortest(coefficient.constant) + " (needs a number of 0 or more)");
  }
  return coefficient;
}

/// Makes a condition one of radiation, the heat flux density ε σ (T⁴ − T_ambient⁴) out of a face: a
/// Robin condition whose coefficient ε σ (T² + T_ambient²) (T + T_ambient) depends on u = T +
/// absolute_zero.
void set_radiation(Radiation const& radiation, BoundaryCondition& condition) {
  ScalarFunction& coefficient = condition.coefficient;
  coefficient.text = radiation.text;
  coefficient.depends_on_u = true;
  coefficient.evaluate = [factor = radiation.factor, zero = radiation.absolute_zero,
                          ambient = condition.value](double x, double y, double z, double u) {
    return radiation_coefficient(factor, u - zero, ambient(x, y, z, 0.0) - zero);
  };
  condition.absolute_zero = radiation.absolute_zero;
  condition.radiation_factor = radiation.factor;
}

/// Reads the condition of a face or patch.
///
///     x_lower = { type = "dirichlet", value = "sin(pi*y)" }
///     x_upper = { type = "neumann", value = 0.0 }
///     y       = { type = "robin", coefficient = 10.0, value = 20.0 }
///     y_upper = { type = "convection", h = 10.0, ambient = 20.0 }      # the same
///     z_lower = { type = "flux", value = 1e4 }                         # into the box, per area
///     z_upper = { type = "flux", power = 50.0 }                        # in all
///     y_lower = { type = "radiation", emissivity = 0.8, ambient = 300.0, absolute_zero = 0.0 }
///     z       = { type = "periodic" }
///     x       = { type = "periodic", gradient = 1.0 }
///
/// A power is divided by the area in settle_powers().
///
BoundaryCondition read_condition(CaseSection const& section, FunctionScope scope) {
  BoundaryCondition condition;
  condition.kind = kind_of(section.text("type"));
  condition.is_flux = section.text("type") == "flux";
  if (condition.kind == BoundaryKind::periodic) {
    section.refuse("value",
                   "has no meaning on a periodic face (leave it out, or give gradient, the mean "
                   "gradient along the axis)");
    condition.value = section.number("gradient", 0.0);
  } else {
    section.refuse("gradient", R"(applies only to type = "periodic" (leave it out))");
  }
  ConditionKeys const keys = keys_of(section);
  if (condition.kind == BoundaryKind::periodic) {
    section.refuse(keys.coefficient, R"(applies only to type = "robin" (leave it out))");
    return condition;
  }
  bool const radiates = section.text("type") == "radiation";
  FunctionScope scope_of_value = scope;
  scope_of_value.field = condition.kind == BoundaryKind::robin && !radiates;
  condition.value = section.function(keys.value, 0.0, scope_of_value);
  if (radiates) {
    set_radiation(read_radiation(section, condition.value), condition);
    return condition;
  }
  condition.coefficient = read_coefficient(section, keys.coefficient, condition.kind, scope);
  return condition;
}

/// Reads the condition of a face. The grid is not known yet, so files are not opened; see
/// settle_boundary_data().
BoundaryCondition read_face_condition(CaseSection const& section, Problem const& problem,
                                      CaseDocument const& document) {
  section.require_key(
      "type",
      R"("dirichlet", "neumann", "flux", "robin", "convection", "radiation" or "periodic")");
  FunctionScope scope = document.scope_of_field(problem);
  scope.grid = nullptr;
  return read_condition(section, scope);
}

/// Returns the most specific key that sets the condition of `face`: "x_lower", "x" or "all". An
/// empty text means that there is none. For example, "all" sets every face, "x" overrides it on
/// both x faces, and "x_lower" on one.
std::string deciding_key(CaseSection const& section, Face face) {
  for (std::string const& key : {name(face), axis_name(face.axis), std::string("all")}) {
    if (section.has(key)) {
      return key;
    }
  }
  return "";
}

/// Refuses conditions of the z faces in 2D.
void refuse_z(CaseSection const& section) {
  for (char const* key : {"z", "z_lower", "z_upper"}) {
    section.refuse(key,
                   "is a face of a 3D grid, but this grid is 2D ([grid] points has 2 entries)");
  }
}

/// True if a face needs no condition: it is the lower end of a radius. If that is not 0,
/// read_grid() requires a condition.
bool may_be_centre(CaseDocument const& document, Face face) {
  std::string const cartesian = name(Geometry::cartesian);
  return face == Face{0, false} &&
         document.section("grid").text("geometry", cartesian) != cartesian;
}

/// Reads the condition of one face by its most specific key.
void read_face(CaseSection const& section, Problem& problem, Face face,
               CaseDocument const& document) {
  std::string const key = deciding_key(section, face);
  if (key.empty() && may_be_centre(document, face)) {
    problem.boundary[face].kind = BoundaryKind::neumann;
    return;
  }
  if (key.empty()) {
    section.fail(name(face), "has no boundary condition (needs one, as in " + name(face) +
                                 R"( = { type = "dirichlet", value = 0.0 }, or all = …))");
  }
  problem.boundary[face] = read_face_condition(section.section(key), problem, document);
}

/// Checks general conditions ("all", "x") even if more specific ones override them on every face.
void check_all_conditions(CaseSection const& section, Problem const& problem,
                          CaseDocument const& document) {
  for (char const* key : {"all", "x", "y", "z"}) {
    if (section.has(key)) {
      read_face_condition(section.section(key), problem, document);
    }
  }
}

/// Returns whether a face has a periodic condition.
bool is_periodic(Problem const& problem, Face face) {
  return problem.boundary[face].kind == BoundaryKind::periodic;
}

/// Marks an axis as periodic, and requires that both of its faces agree.
void read_periodic_axis(CaseSection const& section, Problem& problem, int axis) {
  Face const lower{axis, false};
  Face const upper{axis, true};
  if (is_periodic(problem, lower) != is_periodic(problem, upper)) {
    Face const odd = is_periodic(problem, lower) ? lower : upper;
    Face const other = is_periodic(problem, lower) ? upper : lower;
    section.fail(deciding_key(section, odd),
                 "is periodic, but " + name(other) +
                     " is not (both faces of an axis must be periodic: write " + axis_name(axis) +
                     R"( = { type = "periodic" }))");
  }
  problem.grid.periodic[axis] = is_periodic(problem, lower);
  if (!problem.grid.periodic[axis]) return;
  double const gradient = problem.boundary[lower].value.constant;
  double const other = problem.boundary[upper].value.constant;
  if (gradient == other) return;
  section.fail(deciding_key(section, lower),
               "has the gradient " + shortest(gradient) + ", but " + name(upper) + " has " +
                   shortest(other) + " (both ends have the same: write " + axis_name(axis) +
                   R"( = { type = "periodic", gradient = )" +
                   shortest(gradient != 0.0 ? gradient : other) + " })");
}

/// Returns whether [method] selects a method that determines the mean of a solution, explicitly or
/// by default. The section itself is read later.
bool determines_mean(CaseDocument const& document, Problem const& problem) {
  CaseSection const method = document.section("method");
  // A steady case that gives neither iterations nor a tolerance has one by default.
  bool const to_tolerance =
      method.has("tolerance") || method.has("absolute_tolerance") || !method.has("iterations");
  std::string const fitting(default_method(problem.equation, to_tolerance).name);
  std::string const chosen = method.text("name", fitting);
  return chosen == "multigrid" || chosen == "direct";
}

/// Returns the face with a name that the schema has checked.
Face face_named(std::string const& wanted) {
  int index = 0;
  while (name(Face::from_index(index)) != wanted) ++index;
  return Face::from_index(index);
}

/// Reads the face that a patch belongs to. It must exist and must not be periodic.
Face read_patch_face(CaseSection const& section, Problem const& problem) {
  section.require_key("face", R"(the face that the patch belongs to, as in face = "z_lower")");
  Face const face = face_named(section.text("face"));
  if (face.axis >= problem.grid.dimension) {
    section.fail("face",
                 "is " + name(face) +
                     ", a face of a 3D grid, but this grid is 2D ([grid] points has 2 entries)");
  }
  if (is_periodic(problem, face)) {
    section.fail("face", "is " + name(face) +
                             ", which is periodic (patches need a face that is not periodic)");
  }
  if (problem.grid.is_radial(face.axis) && !face.upper && problem.grid.lower[0] == 0.0) {
    section.fail("face", "is " + name(face) +
                             ", the radius 0, which is no face (fix values there by [[fixed]])");
  }
  return face;
}

/// Returns the grid points of a face: a box that is one point thick.
GlobalBox points_on(Grid const& grid, Face face) {
  GlobalBox points = grid.box();
  (face.upper ? points.lower : points.upper)[face.axis] =
      face.upper ? grid.points[face.axis] - 1 : 1;
  return points;
}

/// Adapts a region to the plane of a face. Its bounds across the face then include the plane, which
/// a case can give only up to rounding. With `by_points`, the patch is the set of the points
/// inside.
void settle_patch_region(Region& region, Grid const& grid, Face face, bool by_points) {
  if (by_points) region.at_points = true;
  if (by_points || !region.solid) {
    region.solid.reset();
    return;
  }
  region.solid = including_plane(*region.solid, grid, face);
}

/// Reads a [[boundary.patch]]: a region of a face with a condition of its own.
///
///     [[boundary.patch]]
///     face = "z_lower"
///     ball = { center = [0.5, 0.5, 0.0], radius = 0.1 }
///     type = "dirichlet"
///     value = 100.0
BoundaryPatch read_patch(CaseSection const& section, Problem const& problem,
                         CaseDocument const& document) {
  std::string title = read_region_name(section);
  Face const face = read_patch_face(section, problem);
  CaseRegion region = read_region(section, problem, document, face);
  bool const by_points = !has_exact_shapes(document);
  section.require_key("type",
                      R"("dirichlet", "neumann", "flux", "robin", "convection" or "radiation")");
  // Shares of faces can be smaller than the spacing; an electrode needs a point inside.
  if (!by_points && region.region.solid && section.text("type") != "dirichlet") {
    require_volume(section, region, problem.grid, face);
  } else {
    require_points(section, region, problem.grid, points_on(problem.grid, face),
                   "the points of the face " + name(face));
  }
  settle_patch_region(region.region, problem.grid, face, by_points);
  return {face, region.region, read_condition(section, document.scope_of_field(problem, face)),
          std::move(title)};
}

/// Turns a total power into a flux per area: power / area.
void divide_by_area(CaseSection const& section, double area, ScalarFunction& value) {
  require_power(section, value, "face or patch, or an expression of t");
  if (!(area > 0.0)) {
    section.fail(
        "power",
        "heats nothing (all points of the face or patch have a given value or are insulated)");
  }
  std::string const text =
      "power " + (value.is_constant() ? shortest(value.constant) : value.text) + " / area";
  if (value.is_constant()) {
    value = value.constant / area;
    return;
  }
  value.evaluate = [power = value.evaluate, area](double x, double y, double z, double t) {
    return power(x, y, z, t) / area;
  };
  value.text = text;
}

/// Converts the powers of faces and patches into fluxes. Needs all patches and the medium, which
/// determine the areas.
void settle_powers(CaseDocument const& document, Problem& problem) {
  CaseSection const section = document.section("boundary");
  for (Face const face : faces(problem.grid)) {
    std::string const key = deciding_key(section, face);
    if (key.empty()) continue;  // the centre
    CaseSection const of_face = section.section(key);
    if (!of_face.has("power")) continue;
    if (key != name(face)) {
      of_face.fail("power", "applies to several faces (give each face its own power, as in " +
                                name(face) + R"( = { type = "flux", power = 50.0 }))");
    }
    require_holdable(document, problem.grid);
    double const area = flux_area(problem, face, std::nullopt);
    divide_by_area(of_face, area, problem.boundary[face].value);
  }
  auto const patches = section.sections("patch");
  for (std::size_t i = 0; i < patches.size(); ++i) {
    if (!patches[i].has("power")) continue;
    require_holdable(document, problem.grid);
    BoundaryPatch& patch = problem.patches[i];
    divide_by_area(patches[i], flux_area(problem, patch.face, i), patch.condition.value);
  }
}

/// Refuses radiation, a heat flux, in an equation of a diffusivity, which knows no heat.
void refuse_radiation_without_heat(CaseDocument const& document, Problem const& problem) {
  if (!document.section("equation").has("diffusivity")) return;
  auto const refuse = [](CaseSection const& section) {
    if (section.text("type") != "radiation") return;
    section.fail("type",
                 "is \"radiation\", a heat flux, but a diffusivity has no unit of heat (write "
                 "[equation] conductivity and capacity in place of diffusivity)");
  };
  CaseSection const section = document.section("boundary");
  for (Face const face : faces(problem.grid)) {
    std::string const key = deciding_key(section, face);
    if (!key.empty()) refuse(section.section(key));
  }
  for (CaseSection const& patch : section.sections("patch")) refuse(patch);
}

/// The number of a face's own condition. Patches are numbered from 0.
constexpr int own_condition = -1;
/// The patches of a case, which predicates share. Predicates outlive the functions that make them:
/// they become part of the requirements on values in files.
using SharedPatches = std::shared_ptr<std::vector<BoundaryPatch> const>;

/// Returns a predicate for places on a face: whether the applicable condition is that of patch
/// `number`, or the face's own for own_condition. The last patch that contains a place applies.
Region::Contains holds(SharedPatches patches, Face face, int number) {
  return [patches = std::move(patches), face, number](double x, double y, double z) {
    auto const covers = [&](BoundaryPatch const& patch) {
      return patch.face == face && patch.where.contains(x, y, z);
    };
    auto const later = patches->begin() + (number + 1);
    if (number != own_condition && !covers(*std::prev(later))) return false;
    return std::none_of(later, patches->end(), covers);
  };
}

/// Returns the points of a face at which one condition applies.
WantedValues wanted_of(Problem const& problem, SharedPatches const& patches, Face face,
                       int number) {
  WantedValues wanted;
  wanted.points = points_on(problem.grid, face);
  wanted.holds = holds(patches, face, number);
  return wanted;
}

/// Checks value and coefficient of a condition, at the points where it applies.
void check_condition(CaseSection const& section, Problem const& problem,
                     BoundaryCondition const& condition, WantedValues wanted) {
  ConditionKeys const keys = keys_of(section);
  require_values(section, keys.value, condition.value, problem, wanted);
  wanted.sign = Sign::not_negative;
  require_values(section, keys.coefficient, condition.coefficient, problem, wanted);
}

/// Refuses floating conductors if nothing else has a value.
void check_floating_values(CaseDocument const& document, Problem const& problem) {
  // In time the initial values determine all others.
  if (!has_floating_regions(problem) || problem.equation == Equation::diffusion) return;
  if (has_given_values(without_floating_regions(problem))) return;
  for (CaseSection const& section : CaseSection(document.root, "").sections("fixed")) {
    if (!section.flag("floating", false)) continue;
    section.fail(
        "floating",
        "leaves all values undetermined up to a constant (needs a dirichlet or robin face, "
        "or a [[fixed]] region with a value)");
  }
}

/// Collects the prescribed values of Dirichlet faces, Dirichlet patches and fixed regions.
std::vector<GivenValues> given_values(CaseDocument const& document, Problem const& problem,
                                      SharedPatches const& shared) {
  std::vector<GivenValues> all;
  // Dirichlet faces, at the points that no patch covers.
  CaseSection const section = document.section("boundary");
  for (Face const face : faces(problem.grid)) {
    BoundaryCondition const& condition = problem.boundary[face];
    if (condition.kind != BoundaryKind::dirichlet) continue;
    all.push_back({section.section(deciding_key(section, face)), condition.value,
                   wanted_of(problem, shared, face, own_condition)});
  }
  // Dirichlet patches, at the points that no later patch covers.
  auto const patches = section.sections("patch");
  for (std::size_t i = 0; i < patches.size(); ++i) {
    BoundaryPatch const& patch = problem.patches[i];
    if (patch.condition.kind != BoundaryKind::dirichlet) continue;
    all.push_back({patches[i], patch.condition.value,
                   wanted_of(problem, shared, patch.face, static_cast<int>(i))});
  }
  // Fixed regions, at the points inside.
  auto const regions = CaseSection(document.root, "").sections("fixed");
  for (std::size_t i = 0; i < regions.size(); ++i) {
    FixedRegion const& fixed = problem.medium.fixed[i];
    all.push_back(
        {regions[i], fixed.value, {.points = problem.grid.box(), .holds = fixed.where.contains}});
  }
  return all;
}

}  // namespace

// σ is given if the units of the case are not W, m and K.
Radiation read_radiation(CaseSection const& section, ScalarFunction const& ambient) {
  constexpr double si_stefan_boltzmann = 5.670374419e-8;  // W/(m² K⁴), CODATA 2018
  double const stefan_boltzmann =
      section.has("stefan_boltzmann") ? section.positive("stefan_boltzmann") : si_stefan_boltzmann;
  if (section.is_table("ambient")) {
    section.fail("ambient", "is a file (radiation needs a number or an expression in quotes)");
  }
  double const emissivity = section.positive("emissivity");
  if (emissivity > 1.0) {
    section.fail("emissivity", "is " + shortest(emissivity) + " (needs a number above 0, up to 1)");
  }
  // No default: radiation of a field in °C would be wrong without a word.
  section.require_key("absolute_zero", "0 for kelvin, or -273.15 for degrees Celsius");
  double const zero = section.number("absolute_zero", 0.0);
  if (ambient.is_constant() && ambient.constant < zero) {
    section.fail("ambient",
                 "is " + shortest(ambient.constant) + ", below absolute_zero = " + shortest(zero));
  }
  std::string text = "radiation " + shortest(emissivity) + " from " + shortest(zero);
  if (stefan_boltzmann != si_stefan_boltzmann) text += ", sigma " + shortest(stefan_boltzmann);
  return {emissivity * stefan_boltzmann, zero, std::move(text)};
}

void read_boundary(CaseDocument const& document, Problem& problem) {
  CaseSection const section = document.section("boundary");
  if (problem.grid.dimension == 2) {
    refuse_z(section);
  }
  // General conditions first, so their faults are reported even if every face overrides them.
  check_all_conditions(section, problem, document);
  for (Face const face : faces(problem.grid.dimension)) {
    read_face(section, problem, face, document);
  }
  // Both ends of an axis must be known before its periodicity.
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    read_periodic_axis(section, problem, axis);
  }
}

// The conditions were read before the grid. Now that it is known, their datasets can be opened and
// their shapes compared with the faces.
void settle_boundary_data(CaseDocument const& document, Problem& problem) {
  for (Face const face : faces(problem.grid)) {
    FunctionScope const scope = document.scope(problem, false, face);
    settle_data(problem.boundary[face].value, scope);
    settle_data(problem.boundary[face].coefficient, scope);
  }
}

void read_patches(CaseDocument const& document, Problem& problem) {
  for (CaseSection const& section : document.section("boundary").sections("patch")) {
    problem.patches.push_back(read_patch(section, problem, document));
  }
  refuse_radiation_without_heat(document, problem);
  settle_powers(document, problem);
}

namespace {

/// Returns the fixed regions that contain a point of a plane of the grid, by their numbers.
std::vector<bool> regions_on(Problem const& problem, Face face) {
  std::vector<bool> found(problem.medium.fixed.size(), false);
  GlobalBox const box = points_on(problem.grid, face);
  for (Index3 point = box.lower; point.z < box.upper.z; ++point.z) {
    for (point.y = box.lower.y; point.y < box.upper.y; ++point.y) {
      for (point.x = box.lower.x; point.x < box.upper.x; ++point.x) {
        int const number = constraint_of(problem, point) - constraint::first_region;
        if (number >= 0) found[static_cast<std::size_t>(number)] = true;
      }
    }
  }
  return found;
}

/// Refuses fixed regions that reach across the end of an axis with a gradient. They would have the
/// same value on both sides, although u differs by the gain over the period.
void refuse_regions_across(CaseDocument const& document, Problem const& problem, int axis) {
  if (problem.medium.fixed.empty()) return;
  require_holdable(document, problem.grid);
  auto const lower = regions_on(problem, {axis, false}), upper = regions_on(problem, {axis, true});
  auto const sections = CaseSection(document.root, "").sections("fixed");
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (!lower[i] || !upper[i]) continue;
    sections[i].fail("value", "holds on both sides of the periodic end of the " + axis_name(axis) +
                                  " axis, which has a gradient (move the cell so that the region "
                                  "lies inside it)");
  }
}

/// Returns what makes a problem depend on the level of u, which a gradient does not determine;
/// empty if nothing does.
std::string dependence_on_level(Problem const& problem) {
  if (is_nonlinear(problem)) return "coefficients that depend on u";
  if (!problem.reaction.is_zero()) return "[equation] reaction";
  if (std::ranges::any_of(problem.medium.fixed, &FixedRegion::is_excluded)) return "[[convection]]";
  for (Face const face : faces(problem.grid)) {
    for (BoundaryKind const kind : {BoundaryKind::dirichlet, BoundaryKind::robin}) {
      if (has_anywhere(problem, face, kind)) return std::string(name(kind)) + " faces";
    }
  }
  return {};
}

}  // namespace

void check_gradients(CaseDocument const& document, Problem const& problem) {
  if (!has_mean_gradient(problem)) return;
  CaseSection const section = document.section("boundary");
  std::string const dependence = dependence_on_level(problem);
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (gain_over_period(problem, axis) == 0.0) continue;
    CaseSection const of_axis = section.section(deciding_key(section, {axis, true}));
    if (problem.grid.geometry != Geometry::cartesian) {
      of_axis.fail("gradient", "needs geometry = \"cartesian\" (leave it out)");
    }
    if (problem.grid.points[axis] == 1) {
      of_axis.fail("gradient", "needs two points or more " + on_axis(axis) + ", which has one");
    }
    if (!dependence.empty()) {
      of_axis.fail("gradient",
                   "cannot be combined with " + dependence +
                       ": the cell would not repeat itself (use faces that are periodic, "
                       "neumann or flux, and [[fixed]] regions)");
    }
    refuse_regions_across(document, problem, axis);
  }
}

/// Without a prescribed value or a Robin face, the operator has a null space: the constants.
/// Multigrid and the direct solver project them out, whereas Jacobi iterations do not determine
/// them.
void check_uniqueness(CaseDocument const& document, Problem const& problem) {
  check_floating_values(document, problem);
  if (problem.equation == Equation::diffusion || has_given_values(problem) ||
      determines_mean(document, problem)) {
    return;
  }
  CaseSection const section = document.section("boundary");
  // The lower end of a radius may have no condition.
  std::string const first = deciding_key(section, {0, false});
  section.fail(first.empty() ? deciding_key(section, {0, true}) : first,
               "gives no face a value, so the solution is unique only up to a constant (needs a "
               "dirichlet or robin face, a [[fixed]] region, "
               R"([method] name = "multigrid" with a tolerance, or type = "diffusion"))");
}

/// Values and coefficients must be valid at the points where their condition applies, and
/// prescribed values must not vanish in the problem's precision.
void check_boundary_values(CaseDocument const& document, Problem const& problem) {
  CaseSection const section = document.section("boundary");
  auto const shared = std::make_shared<std::vector<BoundaryPatch> const>(problem.patches);
  for (Face const face : faces(problem.grid)) {
    std::string const key = deciding_key(section, face);
    if (key.empty()) continue;  // the centre
    check_condition(section.section(key), problem, problem.boundary[face],
                    wanted_of(problem, shared, face, own_condition));
  }
  auto const patches = section.sections("patch");
  for (std::size_t i = 0; i < patches.size(); ++i) {
    BoundaryPatch const& patch = problem.patches[i];
    check_condition(patches[i], problem, patch.condition,
                    wanted_of(problem, shared, patch.face, static_cast<int>(i)));
  }
  require_lasting(given_values(document, problem, shared), problem);
}

}  // namespace isotherm
