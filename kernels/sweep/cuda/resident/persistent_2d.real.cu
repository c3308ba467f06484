#include "kernels/core/error.hpp"
#include "kernels/sweep/cuda/resident/persistent_2d.cuh"
#include "kernels/updates/rules.hpp"

namespace isotherm::cuda {

template <class Real>
bool resident_fits(int device, Extent3 n, bool has_source) {
  return persistent_2d::choose_cut<Real>(device, n, has_source, persistent_2d::RowChoices<Real>{})
      .has_value();
}

template <class Rule>
void advance_resident(Queue& queue, Rule const& rule, ResidentGrid<typename Rule::Real> const& grid,
                      std::int64_t steps, MeasuredSteps const& measured) {
  using Real = typename Rule::Real;
  persistent_2d::RowChoices<Real> constexpr choices{};
  auto const cut = persistent_2d::choose_cut<Real>(queue.device(), grid.points.extent(),
                                                   static_cast<bool>(grid.source), choices);
  require(cut.has_value(), "the grid does not fit the registers of the device");
  if (steps == 0) return;
  persistent_2d::Grid<Real> make_grid = persistent_2d::make_grid(grid, *cut);
  make_grid.steps = steps;
  make_grid.measured = measured;
  persistent_2d::launch_cut(queue, rule, make_grid, cut->rows_per_warp, choices);
}

template bool resident_fits<ISOTHERM_REAL>(int, Extent3, bool);
#define ISOTHERM_INSTANTIATE(Rule)                                                              \
  template void advance_resident(Queue&, Rule const&, ResidentGrid<typename Rule::Real> const&, \
                                 std::int64_t, MeasuredSteps const&);
ISOTHERM_FOR_EACH_RULE_IN_2D_OF(ISOTHERM_REAL, ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
