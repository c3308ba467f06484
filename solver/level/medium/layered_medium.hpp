#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "solver/discretise/medium_units.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// A medium whose coefficients vary along one axis only: layers, or coefficients that change
/// gradually along it. Its conductances are products of numbers along the axes. All numbers are in
/// medium_units().
struct LayeredMedium {
  int axis = 0;  ///< not periodic
  /// Between a point and the next one along `axis`, per area; one value less than points.
  std::vector<double> conductance{};
  /// Conductivity across `axis`, at each point.
  std::vector<double> across{};
  /// The conductivity along another axis is factor[other] · across.
  PerAxis<double> factor{1.0, 1.0, 1.0};
  std::vector<double> capacity{};  ///< at each point
};

/// Returns the layers of a medium; none if its coefficients vary along several axes, or are
/// constant (is_separable()).
///
/// The conductances of the discrete problem decide, up to rounding, not the text of the case. Some
/// rows of the grid are examined first. Then all of them are, unless the description of the medium
/// settles the matter: boxes that span the grid, and expressions in one coordinate
/// (solver/problem/variation.hpp). Every rank examines the whole grid and finds the same. If
/// Medium::layer_search is set, that happens once.
///
/// Fixed and insulated regions, patches, and Robin coefficients that vary along a face exclude
/// layers. So do Robin faces along the axis if `across` varies.
std::optional<LayeredMedium> find_layers(Problem const& problem);

/// Keeps the layers of a medium, so that its points are examined once. Copies of a problem share
/// it; see Medium::layer_search. May be used by several threads at once.
class LayerSearch {
 public:
  /// Returns the layers that the coefficients of a problem have, whatever its faces are. Examines
  /// them in the first call, and if the grid differs from that of the last one.
  /// @pre  the medium is that of earlier calls
  std::optional<LayeredMedium> find(Problem const& problem);

 private:
  std::mutex mutex_;
  std::optional<Grid> grid_{};  ///< none: nothing is known yet
  double diffusivity_ = 1.0;
  std::optional<LayeredMedium> layers_{};
};

}  // namespace isotherm
