#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/sweep/run_row.hpp"

// Grid studies: runs that differ in the number of grid points only, or in the time step only. Three
// results yield the observed order of convergence and a value without the leading error of
// discretisation (L. F. Richardson, 1911).

namespace isotherm::app {

/// The limit of a fine grid that three results imply.
struct Extrapolation {
  double value = 0.0;             ///< extrapolated to a spacing or time step of 0
  std::optional<double> order{};  ///< observed; none if all results are the same up to rounding
  double used_order = 0.0;        ///< with which the value is extrapolated
  double error_bar = 0.0;         ///< of the finest result
  bool is_regular = true;         ///< false if the observed order is not that of a method
};

/// Extrapolates a result with the error C h^p, where p is unknown. The refinement may differ
/// between the pairs of grids: p then solves a fixed-point equation (I. B. Celik et al., Journal of
/// Fluids Engineering 130, 078001, 2008).
///
/// The error bar is the grid convergence index (P. J. Roache, Journal of Fluids Engineering 116,
/// 405, 1994): 1.25 times the distance of the finest result from the extrapolated one. Methods have
/// the order 1 or 2, and singularities lower ones. If the observed order is above 2.5 or below 0.5,
/// the results are not in the asymptotic range. The value is then extrapolated with the order 2 at
/// most. The bar is three times the larger of two estimates of that order: from the two finest
/// results, and from the finest and the coarsest one.
///
///     extrapolate({1.01, 1.04, 1.16}, 2.0, 2.0);  // 1.0, with the order 2
///
/// @param fine_to_coarse  results on the finest grid and on the two next coarser ones
/// @param ratio           of the spacings of the second and the first grid, above 1
/// @param coarse_ratio    of the third and the second grid, above 1
/// @return  none if the results do not approach a limit monotonically
std::optional<Extrapolation> extrapolate(std::array<double, 3> const& fine_to_coarse, double ratio,
                                         double coarse_ratio);

/// Returns three rows for the table of a grid study: the extrapolated results, the error bars of
/// the finest ones, and the observed orders.
/// The cells of the columns that identify a run name them; all other columns that are not results
/// with fractions are empty.
/// @param[out] remarks  a warning for each column whose order is not that of a method, or that has
///         no order
/// @throws InputError  if there are fewer than three grids or steps, the runs also differ in
///         something else, or the axes are not refined by equal factors
std::vector<RunRow> extrapolated_rows(std::vector<RunRow> const& rows,
                                      std::vector<std::string> const& columns,
                                      std::vector<std::string>& remarks);

}  // namespace isotherm::app
