#pragma once

#include "kernels/sweep/cuda/columns/columns.cuh"
#include "kernels/sweep/cuda/single/plain.cuh"
#include "kernels/sweep/cuda/single/tile_2d.cuh"
#include "kernels/sweep/cuda/single/tile_3d.cuh"
#include "kernels/sweep/cuda/specialise.cuh"
#include "kernels/sweep/cuda/variant.hpp"

namespace isotherm::cuda {

/// Launches the staged kernel of the rule's dimension.
template <class Rule, bool has_source, bool has_change>
void launch_tile(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  if constexpr (Rule::dimension == 3) {
    launch_tile_3d<Rule, has_source, has_change>(queue, rule, pass);
  } else {
    launch_tile_2d<Rule, has_source, has_change>(queue, rule, pass);
  }
}

/// Enqueues one step by the plain kernel: the plan "plain".
template <class Rule>
void plain_step(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  specialised(pass, [&](auto has_source, auto has_change) {
    launch_plain<Rule, has_source.value, has_change.value>(queue, rule, pass);
  });
}

/// Enqueues one step by the kernel that stages tiles in shared memory: the plan "tile".
template <class Rule>
void tile_step(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  specialised(pass, [&](auto has_source, auto has_change) {
    launch_tile<Rule, has_source.value, has_change.value>(queue, rule, pass);
  });
}

/// Enqueues one step by the kernel for variable coefficients: the plan "columns".
template <class Rule>
void columns_step(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  specialised(pass, [&](auto has_source, auto has_change) {
    launch_columns<has_source.value, has_change.value>(queue, rule, pass);
  });
}

/// Returns the variants of one step: the plain one, and the fast one for the rule's kind of
/// coefficients.
template <class Rule>
std::vector<Variant<Rule>> single_step_variants() {
  using Real = typename Rule::Real;
  bool const in_3d = Rule::dimension == 3;
  Variant<Rule> const plain{"plain", 1, plain_step<Rule>, in_3d ? "32x2x4" : "32x8"};
  if constexpr (differs_between_points<Rule>) {
    return {plain,
            {"columns", 1, columns_step<Rule>, std::to_string(32 * Vector<Real>::width) + "x8"}};
  } else {
    std::string const tile =
        in_3d ? std::to_string(Tile3D<Real>::points_x) + "x" + std::to_string(Tile3D<Real>::rows)
              : std::to_string(Tile2D<Real>::points_x) + " a warp";
    return {plain, {"tile", 1, tile_step<Rule>, tile}};
  }
}

}  // namespace isotherm::cuda
