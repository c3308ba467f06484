#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/core/box.hpp"
#include "solver/problem/scalar_function.hpp"

namespace isotherm {

/// A subset of the points of space.
struct Region {
  using Contains = std::function<bool(double x, double y, double z)>;

  Contains contains{};  ///< may be called from several threads at once
  std::string text{};   ///< as the user wrote it
};

/// Points with a given value inside the box, such as those of an electrode or a pipe.
struct FixedRegion {
  Region where{};
  ScalarFunction value{};
  std::string name{};  ///< for tables of the heat flow into it; may be empty
};

/// The medium that fills the box (heterogeneous, with variable coefficients). Material functions
/// are evaluated at grid points. The conductivity between two points is the harmonic mean of
/// theirs, so the flux is continuous across a jump midway between them.
struct Body {
  /// True for the medium of a multigrid correction, whose operator exists already.
  bool is_correction = false;
  PerAxis<ScalarFunction> conductivity{1.0, 1.0, 1.0};  ///< κ along each axis, > 0, steady
  bool isotropic = false;        ///< all three are the same function; only one is evaluated
  ScalarFunction capacity{1.0};  ///< c > 0, steady; diffusion only
  /// Regions with given values. A later region overrides earlier ones; Dirichlet faces override
  /// all.
  std::vector<FixedRegion> fixed{};
  /// Points that take no part: nothing flows into them, and their values remain unchanged.
  std::vector<Region> insulated{};
};

}  // namespace isotherm
