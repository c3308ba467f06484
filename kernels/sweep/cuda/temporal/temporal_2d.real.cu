#include "kernels/sweep/cuda/temporal/temporal_2d.cuh"
#include "kernels/updates/rules.hpp"

namespace isotherm::cuda {
namespace {

using temporal_2d::Shape;
using temporal_2d::ShapeList;

// Warps, levels per warp, points per lane, blocks per multiprocessor, sources are staged; tuned on
// sm_90.
using FloatPlans = ShapeList<Shape<1, 2, 12, 5>, Shape<2, 4, 4, 8>, Shape<2, 4, 12, 4>,
                             Shape<4, 3, 12, 2, true>, Shape<4, 4, 12, 2>, Shape<4, 5, 12, 2>>;
using DoublePlans = ShapeList<Shape<1, 2, 10, 4>, Shape<2, 4, 2, 8>, Shape<2, 4, 6, 4>,
                              Shape<4, 3, 6, 2, true>, Shape<4, 3, 10, 2>, Shape<4, 5, 6, 2>>;
using Plans = std::conditional_t<sizeof(ISOTHERM_REAL) == 4, FloatPlans, DoublePlans>;

}  // namespace

#define ISOTHERM_INSTANTIATE(Rule)                       \
  template <>                                            \
  std::vector<Variant<Rule>> temporal_variants<Rule>() { \
    return temporal_2d::variants_of<Rule>(Plans{});      \
  }
ISOTHERM_FOR_EACH_RULE_IN_2D_OF(ISOTHERM_REAL, ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
