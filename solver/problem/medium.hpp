#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/box.hpp"
#include "solver/problem/region_blocks.hpp"
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
  /// Where an expression is certainly true or false; null if nothing is known. `contains` agrees.
  std::shared_ptr<RegionBlocks const> blocks{};

  /// Returns what is known about the region in a box.
  [[nodiscard]] Certainty certainty_in(PerAxis<Interval> const& box) const {
    return blocks ? blocks->in(box) : Certainty::unknown;
  }
  /// False for an axis if `contains` is known not to depend on its coordinate.
  PerAxis<bool> varies_along{true, true, true};
};

/// What find_layers() has found in a medium (solver/level/medium/layered_medium.hpp).
class LayerSearch;

/// One layer of a medium: a material property in a region. Later layers lie on top of earlier ones.
struct MediumLayer {
  Region where{};  ///< without `contains`: everywhere
  PerAxis<ScalarFunction> values{};
  bool at_points = false;  ///< true if the values are defined at grid points only, as in a file
  int number = 0;          ///< of the material in the case, from 1; 0: the background material
};

/// A thermal contact resistance at the surface between two materials.
struct Contact {
  int first = 0;  ///< the materials, by MediumLayer::number
  int second = 0;
  double resistance = 0.0;  ///< per area: temperature jump over heat flux density, ≥ 0
  int table = 0;            ///< number of the case's table that it belongs to

  /// True if the surface between two layers has the resistance.
  [[nodiscard]] bool joins(MediumLayer const* a, MediumLayer const* b) const {
    return (a->number == first && b->number == second) ||
           (a->number == second && b->number == first);
  }
};

/// A law by which a fluid or the surroundings exchange heat with a surface of the value s. The heat
/// flux density into the medium is h (ambient − s), or that of radiation, in absolute temperatures:
/// εσ ((ambient − zero)⁴ − (s − zero)⁴).
struct SurfaceExchange {
  ScalarFunction ambient{};      ///< may depend on the time
  ScalarFunction coefficient{};  ///< h ≥ 0, may depend on s and on the time; not for radiation
  std::optional<double> radiation_factor{};  ///< ε σ, if it is radiation
  double absolute_zero = 0.0;                ///< the value of u there; radiation only

  [[nodiscard]] bool radiates() const { return radiation_factor.has_value(); }
  /// True if h is a number, so that the heat is linear in s.
  [[nodiscard]] bool is_linear() const { return !radiates() && coefficient.is_constant(); }
};

/// A region with a given value inside the box, such as an electrode or a pipe.
///
/// Its surface has the value at the places that cut links between points. If `where.at_points` is
/// set, the points inside have the value instead.
struct FixedRegion {
  Region where{};
  ScalarFunction value{};
  std::string name{};  ///< for tables of the heat flow into it; may be empty
  /// Coefficient h of a film on the surface: the heat flux density is h (value − u). The value is
  /// then that of a fluid. None: the surface itself has the value.
  std::optional<double> film_coefficient{};
  /// True if the region is not a part of the medium, so its points have no values to report.
  bool is_excluded = false;
  /// What acts on the surface of an excluded region, together, if anything of it radiates or
  /// depends on u or t. `film_coefficient` and `value` then have its magnitudes only. Empty: they
  /// act.
  std::vector<SurfaceExchange> exchanges{};
  /// The total heat flow (or charge) from a floating conductor into the medium. If set, the region
  /// has one unknown value, and `value` is not used. In time its points keep their heat capacity
  /// (solver/floating_steps.hpp).
  std::optional<double> floating_flux{};
};

/// A table of a property as a function of u, and where the property follows it. Beyond its rows a
/// property is constant.
struct PropertyTable {
  std::string property{};       ///< "conductivity", "capacity" or "source"
  std::string owner{};          ///< the material, as in " of material 1"; empty: the equation
  double first = 0.0;           ///< the value of u of its first row
  double last = 0.0;            ///< that of its last row
  Region::Contains contains{};  ///< where it applies; none: everywhere
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
  /// Thermal conductivity κ along each axis (for electrostatics: the permittivity), > 0. It may
  /// depend on the time only if time steps are implicit.
  PerAxis<ScalarFunction> conductivity{1.0, 1.0, 1.0};
  bool isotropic = false;  ///< all three are the same function; only one is evaluated
  /// The layers that `conductivity` is composed of; null if their surfaces are not known.
  std::shared_ptr<std::vector<MediumLayer> const> layers{};
  std::vector<Contact> contacts{};  ///< between `layers`
  /// The regions of all materials, in the order of the case: a later one lies on top. Only material
  /// numbers depend on them.
  std::vector<Region> materials{};
  ScalarFunction capacity{1.0};  ///< c > 0, steady; diffusion only
  /// Where find_layers() keeps its result, which copies of the problem share. None: it searches
  /// anew each time. Whoever changes the coefficients of a copy replaces it.
  std::shared_ptr<LayerSearch> layer_search{};
  /// Regions with given values. A later region overrides earlier ones; Dirichlet faces override
  /// all.
  std::vector<FixedRegion> fixed{};
  /// Regions that do not conduct. Points whose volumes are closed take no part: their values remain
  /// unchanged (solver/discretise/shapes/open_shares.hpp).
  std::vector<Region> insulated{};
  /// The tables of conductivities, capacities and the source, for remarks on results.
  std::vector<PropertyTable> tables{};
};

}  // namespace isotherm
