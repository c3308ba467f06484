
#include "jobs/case/case_parts.hpp"
#include "kernels/core/error.hpp"
#include "solver/methods.hpp"

namespace isotherm {
namespace {

BoundaryKind kind_of(std::string const& type) {
  for (BoundaryKind const kind : {BoundaryKind::dirichlet, BoundaryKind::neumann}) {
    if (type == name(kind)) {
      return kind;
    }
  }
  return BoundaryKind::periodic;
}

BoundaryCondition read_condition(CaseSection const& section, Problem const& problem,
                                 Constants const& constants) {
  section.require_key("type", R"("dirichlet", "neumann" or "periodic")");
  BoundaryCondition condition;
  condition.kind = kind_of(section.text("type"));
  if (condition.kind == BoundaryKind::periodic) {
    section.refuse("value", "has no meaning on a periodic face (leave it out)");
  }
  bool const time = problem.equation == Equation::diffusion;
  condition.value = section.function("value", 0.0, {problem.grid.dimension, time, constants});
  return condition;
}

/// The key that decides on `face`, the most special first; "" where none does.
std::string deciding_key(CaseSection const& section, Face face) {
  for (std::string const& key : {name(face), axis_name(face.axis), std::string("all")}) {
    if (section.has(key)) {
      return key;
    }
  }
  return "";
}

void refuse_z(CaseSection const& section) {
  for (char const* key : {"z", "z_lower", "z_upper"}) {
    section.refuse(key, "is a face of a 3D grid ([grid] points has 2 entries)");
  }
}

void read_face(CaseSection const& section, Problem& problem, Face face,
               Constants const& constants) {
  std::string const key = deciding_key(section, face);
  if (key.empty()) {
    section.fail(name(face), "has no condition (needs one, as in " + name(face) +
                                 R"( = { type = "dirichlet", value = 0.0 }, or all = …))");
  }
  problem.boundary[face] = read_condition(section.section(key), problem, constants);
}

/// A wrong condition is wrong, even where more special ones hide it.
void check_all_conditions(CaseSection const& section, Problem const& problem,
                          Constants const& constants) {
  for (char const* key : {"all", "x", "y", "z"}) {
    if (section.has(key)) {
      read_condition(section.section(key), problem, constants);
    }
  }
}

bool is_periodic(Problem const& problem, Face face) {
  return problem.boundary[face].kind == BoundaryKind::periodic;
}

void read_periodic_axis(CaseSection const& section, Problem& problem, int axis) {
  Face const lower{axis, false};
  Face const upper{axis, true};
  if (is_periodic(problem, lower) != is_periodic(problem, upper)) {
    Face const odd = is_periodic(problem, lower) ? lower : upper;
    Face const other = is_periodic(problem, lower) ? upper : lower;
    section.fail(deciding_key(section, odd),
                 "is periodic, but " + name(other) +
                     " is not (an axis is periodic at both ends: write " + axis_name(axis) +
                     R"( = { type = "periodic" }))");
  }
  problem.grid.periodic[axis] = is_periodic(problem, lower);
}

/// Jacobi finds one solution only where there is only one.
void require_unique_solution(CaseSection const& section, Problem const& problem) {
  bool fixed = false;
  for (Face const face : faces(problem.grid.dimension)) {
    fixed = fixed || problem.boundary[face].kind == BoundaryKind::dirichlet;
  }
  if (problem.equation != Equation::diffusion && !fixed) {
    section.fail(
        deciding_key(section, {0, false}),
        "leaves no face with a value, so the solution is known up to a constant only "
        R"((needs a dirichlet face, [method] name = "multigrid" with a tolerance, or type = "diffusion"))");
  }
}

/// What [method] says, or leaves to be said, before it is read.
bool solves_with_multigrid(CaseDocument const& document, Problem const& problem) {
  CaseSection const method = document.section("method");
  bool const to_tolerance = method.has("tolerance") || method.has("absolute_tolerance");
  std::string const fitting(default_method(problem.equation, to_tolerance).name);
  return method.text("name", fitting) == "multigrid";
}

}  // namespace

void read_boundary(CaseDocument const& document, Problem& problem) {
  CaseSection const section = document.section("boundary");
  if (problem.grid.dimension == 2) {
    refuse_z(section);
  }
  check_all_conditions(section, problem, document.constants);
  for (Face const face : faces(problem.grid.dimension)) {
    read_face(section, problem, face, document.constants);
  }
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    read_periodic_axis(section, problem, axis);
  }
  if (!solves_with_multigrid(document, problem)) require_unique_solution(section, problem);
}

void check_boundary_values(CaseDocument const& document, Problem const& problem) {
  CaseSection const section = document.section("boundary");
  for (Face const face : faces(problem.grid)) {
    GlobalBox box = problem.grid.box();
    (face.upper ? box.lower : box.upper)[face.axis] =
        face.upper ? problem.grid.points[face.axis] - 1 : 1;
    require_finite(section.section(deciding_key(section, face)), "value",
                   problem.boundary[face].value, problem, box);
  }
}

}  // namespace isotherm
