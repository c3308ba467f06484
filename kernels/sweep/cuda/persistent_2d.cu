#include "kernels/core/cuda/launch.hpp"
#include "kernels/core/error.hpp"
#include "kernels/sweep/cuda/persistent_2d.cuh"
#include "kernels/updates/rules.hpp"

namespace isotherm::cuda {

bool resident_fits(int device, std::size_t element_bytes, Extent3 n, bool has_source) {
  using persistent_2d::choose_cut;
  using persistent_2d::RowChoices;
  return element_bytes == sizeof(float)
             ? choose_cut<float>(device, n, has_source, RowChoices<float>{}).has_value()
             : choose_cut<double>(device, n, has_source, RowChoices<double>{}).has_value();
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
  persistent_2d::Grid<Real> laid = persistent_2d::laid(grid, *cut);
  laid.steps = steps;
  laid.measured = measured;
  persistent_2d::launch_cut(stream_of(queue), rule, laid, cut->rows_per_warp, choices);
}

#define ISOTHERM_INSTANTIATE(Rule)                                                              \
  template void advance_resident(Queue&, Rule const&, ResidentGrid<typename Rule::Real> const&, \
                                 std::int64_t, MeasuredSteps const&);
ISOTHERM_FOR_EACH_RULE_IN_2D(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
