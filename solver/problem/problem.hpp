#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "kernels/core/precision.hpp"
#include "solver/problem/medium.hpp"
#include "solver/problem/scalar_function.hpp"

namespace isotherm {

/// The equation to solve. The second form of each is that in a heterogeneous medium.
enum class Equation {
  laplace,    ///< −∇²u = 0; −∇·κ∇u = 0
  poisson,    ///< −∇²u = f; −∇·κ∇u = f
  diffusion,  ///< u_t = D ∇²u + f; c u_t = D ∇·κ∇u + f
};
// Each may have a reaction term a u (Problem::reaction), added to the left side.

/// The kind of a boundary condition, see BoundaryCondition.
enum class BoundaryKind { dirichlet, neumann, robin, periodic };
/// The norm of residuals and errors: root mean square, or maximum.
enum class Norm { l2, max };

/// Return the names that the case file uses: "laplace", "dirichlet", "l2" and so forth.
char const* name(Equation);
char const* name(BoundaryKind);
char const* name(Norm);

/// The boundary condition of a face.
///
/// - Dirichlet: u = `value`.
/// - Neumann: the derivative along the outward normal is `value`, discretised to second order with
///   a mirrored point. If `is_flux`, the heat flux density κ ∂u/∂n into the box is `value`,
///   independent of the conductivity.
/// - Robin: the heat flux out through the face is `coefficient` · (u − `value`), so κ ∂u/∂n =
///   coefficient · (value − u).
/// - Periodic: the field gains `value`, a constant mean gradient, times the period over one period:
///   u(x + L) = u(x) + `value` · L. The same on both faces of the axis.
///
/// If two Dirichlet faces meet, the first one in the order x_lower, x_upper, y_lower, …, z_upper
/// gives the value of the edge. A Dirichlet face overrides a Neumann face. If two Neumann faces
/// meet, both conditions hold at the points of the edge.
struct BoundaryCondition {
  BoundaryKind kind = BoundaryKind::dirichlet;
  ScalarFunction value{};
  ScalarFunction coefficient{};  ///< Robin only; not negative
  bool is_flux = false;          ///< Neumann only
  /// Robin only: set if the condition is that of radiation. It is the value of u at the absolute
  /// zero of temperature, below which no iterate may lie.
  std::optional<double> absolute_zero{};
  /// Robin only: ε σ, if the condition is that of radiation to a `value` that may vary in time. The
  /// coefficient is then radiation_coefficient(), and `coefficient` that for time 0.
  std::optional<double> radiation_factor{};
};
/// Returns the coefficient of radiation as a Robin condition, so that coefficient · (there − here)
/// = factor · (there⁴ − here⁴).
/// @param here, there  absolute temperatures of the face and its surroundings
inline double radiation_coefficient(double factor, double here, double there) {
  return factor * (here * here + there * there) * (here + there);
}

/// Another condition on a part of a face that is not periodic. A later patch overrides earlier
/// ones.
struct BoundaryPatch {
  Face face{};
  Region where{};
  BoundaryCondition condition{};  ///< not periodic
  std::string name{};             ///< for tables of fluxes; may be empty
};

/// A part of the source, such as the heat that is put into a region.
struct SourceTerm {
  std::string name{};  ///< for tables of the heat that it puts in; may be empty
  ScalarFunction density{};
};

/// A box of initial values: the points with lower <= coordinate < upper, up to a billionth of a
/// spacing.
struct InitialBox {
  PerAxis<double> lower{};
  PerAxis<double> upper{};
  double value = 0.0;  ///< replaces the field's value there
};

/// A term of the initial field: height · exp(−|r − center|² / (2 width²)).
struct Gaussian {
  PerAxis<double> center{};
  double width = 1.0;  ///< standard deviation
  double height = 1.0;
};

/// The initial field: `value`, then the boxes in order, then the sum of the Gaussians. Dirichlet
/// faces finally assume their boundary values.
struct InitialState {
  ScalarFunction value{};             ///< the field before boxes and Gaussians
  std::vector<InitialBox> boxes{};    ///< each overwrites the earlier ones
  std::vector<Gaussian> gaussians{};  ///< their sum is added
};

/// The mathematical problem: grid, equation, source, boundary and initial conditions. It does not
/// depend on method, ranks or device. A Poisson problem on the unit square:
///
///     Problem problem;
///     problem.equation = Equation::poisson;
///     problem.grid = …;                                // 2D, not periodic
///     problem.source = 1.0;
///     for (Face const face : faces(problem.grid)) problem.boundary[face].value = 0.0;
struct Problem {
  Grid grid{};
  Precision precision = Precision::float64;
  Equation equation = Equation::laplace;
  double diffusivity = 1.0;                ///< D, in length² per time; diffusion only
  ScalarFunction source{};                 ///< f, with all of `source_terms`
  std::vector<SourceTerm> source_terms{};  ///< the parts of f in regions and at places
  /// Reaction coefficient a of −∇·κ∇u + a u = f (screened Poisson equation, fins, leakage), or of
  /// c u_t = D ∇·κ∇u − a u + f; ≥ 0 everywhere, constant in time. In each control volume it is the
  /// value at the point, so insulation has to be taken into account as for `source`.
  ScalarFunction reaction{};
  /// Coefficient σ of (σ − ∇²)u = f, which an implicit time step solves, or a direct solution with
  /// a constant reaction coefficient; 0 in a user's problem.
  double sigma = 0.0;
  /// Mean of the solution of a steady problem without given values, which is unique only up to a
  /// constant.
  double mean = 0.0;
  /// True: if such a problem has no solution, because the source and the boundary fluxes do not
  /// cancel, the source's mean is subtracted. False: the problem is refused.
  bool project = false;
  PerFace<BoundaryCondition> boundary{};  ///< z unused in 2D
  std::vector<BoundaryPatch> patches{};
  Medium medium{};
  InitialState initial{};
  /// The time of the initial field (MethodSettings::start_time_s), at which values that vary in
  /// time are sampled.
  double start_time_s = 0.0;
  /// The problem whose given values decide where links end, see original_of(). Null: this one.
  std::shared_ptr<Problem const> original{};
};

/// Returns the problem that an auxiliary one stands for, with other given values; else the problem
/// itself. Links end at the surface of a region if it has the value of the point. That must not
/// depend on the auxiliary values.
inline Problem const& original_of(Problem const& problem) {
  return problem.original ? *problem.original : problem;
}

/// Returns the name of a fixed region for tables: its number if it has none.
std::string name_of_fixed(Problem const& problem, std::size_t number);
/// Returns the name of a patch for tables: its number if it has none.
std::string name_of_patch(Problem const& problem, std::size_t number);
/// Returns these names, each once. Patches of one name are reported together.
std::vector<std::string> names_of_patches(Problem const& problem);

/// Returns Σ 1 / h² over the axes.
double inverse_spacing_sum(Grid const& grid);

/// Returns the longest stable time step of FTCS for constant coefficients, 1 / (2 D Σ h^-2).
double largest_stable_time_step(Grid const& grid, double diffusivity);

}  // namespace isotherm
