#include "solver/level/evaluation_fault.hpp"

#include <cmath>
#include <utility>

#include "decomposition/grid/point_name.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/number_text.hpp"
#include "kernels/core/precision.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/face_shares.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the sentence about a value that is not finite at a point (global indices).
std::string sentence(std::string const& what, Problem const& problem, Index3 global) {
  return what + " is not a finite number in " + name(problem.precision) + " at " +
         point_name(problem.grid, global);
}

/// Returns the key of a face in case files, and the words of messages about its value.
std::string key_of(Face face) { return "boundary." + name(face); }
std::string value_of(Face face) { return "the value of the face " + name(face); }

/// True if a function's value at a point is finite in the field's precision.
bool is_finite(Problem const& problem, ScalarFunction const& function, Index3 global,
               double time_s) {
  auto const [x, y, z] = coordinates(problem.grid, global);
  double const value = function(x, y, z, time_s);
  return with_precision(problem.precision,
                        [&]<class Real>(Real) { return std::isfinite(static_cast<Real>(value)); });
}

}  // namespace

void EvaluationFault::note(std::string what, double time_s) {
  if (!what_.empty()) return;
  what_ = std::move(what);
  time_s_ = time_s;
}

void EvaluationFault::check(mpi::Communicator const& ranks) {
  // Infinity stands for no fault.
  double const earliest = ranks.min(time_s_);
  if (std::isinf(earliest)) return;
  // Several ranks may have faults of the same time; the lowest rank's text is used.
  std::string const text = ranks.first_text(time_s_ == earliest ? what_ : std::string());
  forget();
  throw Error("the field is no longer finite: " + text + ", t = " + six_digits(earliest));
}

ValueFault faulty_initial_value(Problem const& problem, Subdomain const& subdomain, Index3 point) {
  return {"initial.value", sentence("the initial value", problem, subdomain.to_global(point))};
}

ValueFault faulty_boundary(Problem const& problem, Subdomain const& subdomain, Index3 point) {
  ValueFault fault{"", "a fixed value"};
  for (Face const face : faces(problem.grid)) {
    LocalBox const points = dirichlet_points(problem, subdomain, face);
    if (points.contains(point.x, point.y, point.z)) fault = {key_of(face), value_of(face)};
  }
  // A point on no Dirichlet face is fixed by a region or a patch.
  int const constraint =
      is_heterogeneous(problem) ? constraint_of(problem, subdomain.to_global(point)) : -1;
  if (fault.key.empty() && constraint >= constraint::first_region) {
    fault = {"fixed." + std::to_string(constraint - constraint::first_region) + ".value",
             "the value of a fixed region"};
  } else if (fault.key.empty() && constraint >= 0) {
    fault = {key_of(Face::from_index(constraint)), value_of(Face::from_index(constraint))};
  }
  return {fault.key, sentence(fault.text, problem, subdomain.to_global(point))};
}

ValueFault faulty_source(Problem const& problem, Subdomain const& subdomain, Index3 point,
                         double time_s) {
  Index3 const global = subdomain.to_global(point);
  // Evaluate the factors again to find the one that is not finite.
  if (!is_finite(problem, problem.source, global, time_s)) {
    return {"equation.source", sentence("the source", problem, global)};
  }
  std::string last;  // key of a face with a flux at this point
  std::string fault;
  for (Face const face : faces(problem.grid)) {
    LocalBox const points = face_points(subdomain, face);
    if (!has_flux(problem, face) || !points.contains(point.x, point.y, point.z)) continue;
    for_each_condition(problem, face, global, [&](BoundaryCondition const& holds, double, int) {
      // Dirichlet points have no flux, and zero is finite.
      if (!fault.empty() || holds.kind == BoundaryKind::dirichlet || holds.value.is_zero()) return;
      last = key_of(face);
      if (is_finite(problem, holds.value, global, time_s)) return;
      bool const patched = &holds != &condition(problem, face);
      fault =
          (patched ? "the value of a patch of the face " : "the value of the face ") + name(face);
    });
    if (!fault.empty()) return {last, sentence(fault, problem, global)};
  }
  // Each factor is finite, so their product overflows.
  if (last.empty()) {
    return {"equation.source", sentence("the source times the volume of a point", problem, global)};
  }
  return {
      last,
      sentence("the flux through the face (its value times the coefficient or the conductivity)",
               problem, global)};
}

}  // namespace isotherm
