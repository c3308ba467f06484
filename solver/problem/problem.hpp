#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "kernels/core/precision.hpp"

namespace isotherm {

enum class Equation {
  laplace,    ///< −∇·∇u = 0
  poisson,    ///< −∇·∇u = f
  diffusion,  ///< u_t = D ∇·∇u + f
};
enum class BoundaryKind { dirichlet, neumann, periodic };
enum class Norm { l2, max };

/// "laplace", "dirichlet", "l2" …, as the case file writes them.
char const* name(Equation);
char const* name(BoundaryKind);
char const* name(Norm);

/// A constant, or a function of the coordinates and the time.
struct ScalarFunction {
  using Evaluate = std::function<double(double x, double y, double z, double t)>;

  double constant = 0.0;  ///< the value if `evaluate` is empty
  Evaluate evaluate{};    ///< may be called from several threads at once
  bool varies_in_time = false;
  std::string text = "0";  ///< as the user wrote it

  ScalarFunction() = default;
  ScalarFunction(double value);  // NOLINT(google-explicit-constructor): a number is a function
  [[nodiscard]] bool is_constant() const { return !evaluate; }
  [[nodiscard]] bool is_zero() const { return is_constant() && constant == 0.0; }
  [[nodiscard]] double operator()(double x, double y, double z, double t) const {
    return evaluate ? evaluate(x, y, z, t) : constant;
  }
};

/// The condition on one face. Dirichlet: u = value. Neumann: the derivative along the outward
/// normal is `value`, discretised to second order with a mirrored point. Periodic: no value.
///
/// Where two Dirichlet faces meet, the first in the order x_lower, x_upper, y_lower … z_upper
/// gives the value. Where a Dirichlet and a Neumann face meet, the Dirichlet face does. Where two
/// Neumann faces meet, both conditions hold at the point.
struct BoundaryCondition {
  BoundaryKind kind = BoundaryKind::dirichlet;
  ScalarFunction value{};
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
  InitialState initial{};
};

/// Σ over the axes of 1 / h².
double inverse_spacing_sum(Grid const& grid);

/// The largest Δt with which FTCS is stable: 1 / (2 D Σ h^-2).
double largest_stable_time_step(Grid const& grid, double diffusivity);

}  // namespace isotherm
