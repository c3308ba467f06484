#include "kernels/sweep/cuda/temporal/temporal_3d.cuh"
#include "kernels/updates/rules.hpp"

namespace isotherm::cuda {
namespace {

using temporal_3d::Shape;
using temporal_3d::ShapeList;

// Steps, warps, rows per thread, ring, planes per loop iteration, blocks per cluster; tuned on
// sm_90.
using FloatPlans = ShapeList<Shape<2, 12, 4, 4, 1>, Shape<3, 16, 3, 5, 1, 2>, Shape<4, 12, 3, 5, 2>,
                             Shape<4, 12, 3, 5, 2, 2>>;
using DoublePlans = ShapeList<Shape<2, 12, 4, 4, 1>, Shape<3, 12, 4, 5, 1, 2>, Shape<4, 8, 5, 5, 2>,
                              Shape<4, 12, 3, 6, 1, 2>>;
using Plans = std::conditional_t<sizeof(ISOTHERM_REAL) == 4, FloatPlans, DoublePlans>;
using Deepest = std::conditional_t<sizeof(ISOTHERM_REAL) == 4, Shape<4, 12, 3, 5, 2, 2>,
                                   Shape<4, 12, 3, 6, 1, 2>>;

}  // namespace

#define ISOTHERM_INSTANTIATE(Rule)                       \
  template <>                                            \
  std::vector<Variant<Rule>> temporal_variants<Rule>() { \
    return temporal_3d::variants_of<Rule>(Plans{});      \
  }
ISOTHERM_FOR_EACH_RULE_IN_3D_OF(ISOTHERM_REAL, ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

/// Smoothing has the variant of most steps only.
template <>
std::vector<Variant<Smoothing3D<ISOTHERM_REAL>>> temporal_variants() {
  return temporal_3d::variants_of<Smoothing3D<ISOTHERM_REAL>>(ShapeList<Deepest>{});
}

}  // namespace isotherm::cuda
