#include "kernels/sweep/cuda/columns/columns_twice.cuh"
#include "kernels/sweep/cuda/specialise.cuh"
#include "kernels/sweep/cuda/variant.hpp"
#include "kernels/updates/heterogeneous_rules.hpp"

namespace isotherm::cuda {

namespace {

/// Two steps in one pass. If the region has no free points, one plain step gives the same result: a
/// copy.
template <class Rule>
void columns_twice(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass) {
  if (intersection(pass.region, pass.free).empty()) {  // one step has the same result as two
    return single_step_variants<Rule>().front().launch(queue, rule, pass);
  }
  specialised(pass, [&](auto has_source, auto has_change) {
    launch_columns_twice<has_source.value, has_change.value>(queue, rule, pass);
  });
}

}  // namespace

/// Variable-coefficient smoothing in 3D has one variant of several steps.
template <>
std::vector<Variant<HeterogeneousSmoothing3D<ISOTHERM_REAL>>> temporal_variants() {
  using Rule = HeterogeneousSmoothing3D<ISOTHERM_REAL>;
  using Tile = StepTile<ISOTHERM_REAL>;
  std::string const shape = std::to_string(Tile::points_x) + "x" + std::to_string(Tile::rows_out);
  return {{"columns t2", 2, columns_twice<Rule>, shape}};
}

}  // namespace isotherm::cuda
