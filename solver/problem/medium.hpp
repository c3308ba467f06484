#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/box.hpp"
#include "solver/problem/scalar_function.hpp"
#include "solver/problem/solid.hpp"

namespace isotherm {

/// A subset of the points of space.
struct Region {
  using Contains = std::function<bool(double x, double y, double z)>;

  Contains contains{};  ///< may be called from several threads at once
  std::string text{};   ///< as the user wrote it
  /// The exact shape of a box, ball or cylinder; none for an expression or a file. `contains`
  /// agrees with it, except for a tolerance at the surface.
  std::optional<Solid> solid{};
  /// True if `contains` is defined at grid points only, as for flags in a file. The surface then
  /// lies midway between two points of which one is inside.
  bool at_points = false;
};

/// One layer of a medium: a material property in a region. Later layers lie on top of earlier ones.
struct MediumLayer {
  Region where{};  ///< without `contains`: everywhere
  PerAxis<ScalarFunction> values{};
  bool at_points = false;  ///< true if the values are defined at grid points only, as in a file
};

/// Points with a given value inside the box, such as those of an electrode or a pipe.
struct FixedRegion {
  Region where{};
  ScalarFunction value{};
  std::string name{};  ///< for tables of the heat flow into it; may be empty
};

/// The medium that fills the box (heterogeneous, with variable coefficients).
///
/// Material functions are evaluated at grid points. The conductivity between two points is the
/// harmonic mean of theirs, so the flux is continuous across a jump midway between them. If
/// `layers` are given, links that a surface cuts elsewhere take the share of each material into
/// account (solver/discretise/shapes/link_conductivity.hpp).
struct Medium {
  /// True for the medium of a multigrid correction, whose operator exists already.
  bool is_correction = false;
  PerAxis<ScalarFunction> conductivity{1.0, 1.0, 1.0};  ///< κ along each axis, > 0, steady
  bool isotropic = false;  ///< all three are the same function; only one is evaluated
  /// The layers that `conductivity` is composed of; null if their surfaces are not known.
  std::shared_ptr<std::vector<MediumLayer> const> layers{};
  /// The regions of all materials, in the order of the case: a later one lies on top. Only material
  /// numbers depend on them.
  std::vector<Region> materials{};
  ScalarFunction capacity{1.0};  ///< c > 0, steady; diffusion only
  /// Regions with given values. A later region overrides earlier ones; Dirichlet faces override
  /// all.
  std::vector<FixedRegion> fixed{};
  /// Points that take no part: nothing flows into them, and their values remain unchanged.
  std::vector<Region> insulated{};
};

}  // namespace isotherm
