#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "kernels/core/precision.hpp"
#include "solver/problem/body.hpp"
#include "solver/problem/scalar_function.hpp"

namespace isotherm {

enum class Equation {
  laplace,    ///< −∇·∇u = 0; with a body −∇·κ∇u = 0
  poisson,    ///< −∇·∇u = f; −∇·κ∇u = f
  diffusion,  ///< u_t = D ∇·∇u + f; c u_t = D ∇·κ∇u + f
};
enum class BoundaryKind { dirichlet, neumann, robin, periodic };
enum class Norm { l2, max };

/// "laplace", "dirichlet", "l2" …, as the case file writes them.
char const* name(Equation);
char const* name(BoundaryKind);
char const* name(Norm);

/// The condition on one face. Dirichlet: u = value. Neumann: the derivative along the outward
/// normal is `value`, discretised to second order with a mirrored point. Robin: what flows out
/// through the face is `coefficient` · (u − value): κ times the derivative along the outward normal
/// is coefficient · (value − u). Periodic: no value.
///
/// Where two Dirichlet faces meet, the first in the order x_lower, x_upper, y_lower … z_upper
/// gives the value. Where a Dirichlet and a Neumann face meet, the Dirichlet face does. Where two
/// Neumann faces meet, both conditions hold at the point.
struct BoundaryCondition {
  BoundaryKind kind = BoundaryKind::dirichlet;
  ScalarFunction value{};
  ScalarFunction coefficient{};  ///< Robin only; not negative, the same at all times
};

/// Another condition in a part of a face, which is not periodic. Of several the last one that
/// contains a point holds there.
struct BoundaryPatch {
  Face face{};
  Region where{};
  BoundaryCondition condition{};  ///< not periodic
};

/// Sets the points with lower <= coordinate < upper (within a billionth of a spacing).
struct InitialBox {
  PerAxis<double> lower{};
  PerAxis<double> upper{};
  double value = 0.0;
};

/// Adds height · exp(−|r − center|² / (2 width²)).
struct Gaussian {
  PerAxis<double> center{};
  double width = 1.0;
  double height = 1.0;
};

/// The field at the start: `value`, then the boxes in order, then the sum of the Gaussians; then
/// Dirichlet faces take their boundary value.
struct InitialState {
  ScalarFunction value{};
  std::vector<InitialBox> boxes{};
  std::vector<Gaussian> gaussians{};
};

/// The mathematical problem: grid, equation, source, boundary and initial conditions. It is
/// independent of method, ranks and device.
struct Problem {
  Grid grid{};
  Precision precision = Precision::float64;
  Equation equation = Equation::laplace;
  double diffusivity = 1.0;  ///< D, in length² per time; diffusion only
  ScalarFunction source{};   ///< f
  double sigma = 0.0;  ///< σ of (σ − ∇·∇)u = f, which an implicit step in time solves; 0 in a
                       ///< problem of a case
  double mean = 0.0;     ///< of the solution of a steady problem without a Dirichlet face, which is
                         ///< unique but for a constant
  bool project = false;  ///< where such a problem has no solution, as what the source and the faces
                         ///< bring in does not cancel, solve it with the source's mean taken away
  PerFace<BoundaryCondition> boundary{};  ///< z unused in 2D
  std::vector<BoundaryPatch> patches{};
  Body body{};
  InitialState initial{};
};

/// Σ over the axes of 1 / h².
double inverse_spacing_sum(Grid const& grid);

/// The largest Δt with which FTCS is stable: 1 / (2 D Σ h^-2).
double largest_stable_time_step(Grid const& grid, double diffusivity);

}  // namespace isotherm
