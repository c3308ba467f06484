#pragma once

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
/// rows of the grid are examined first, then all of them, unless the shapes of the materials settle
/// the matter: constants in boxes that span the grid. All points are examined on grids of up to
/// 2^27 points only. Every rank examines the whole grid and finds the same.
///
/// Fixed and insulated regions, patches, and Robin coefficients that vary along a face exclude
/// layers. So do Robin faces along the axis if `across` varies.
std::optional<LayeredMedium> find_layers(Problem const& problem);

}  // namespace isotherm
