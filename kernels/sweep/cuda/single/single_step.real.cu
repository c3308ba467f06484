#include "kernels/sweep/cuda/single/single_step.cuh"
#include "kernels/updates/heterogeneous_rules.hpp"

namespace isotherm::cuda {

#define ISOTHERM_INSTANTIATE(Rule) template std::vector<Variant<Rule>> single_step_variants<Rule>();
ISOTHERM_FOR_EACH_RULE_OF(ISOTHERM_REAL, ISOTHERM_INSTANTIATE)
ISOTHERM_FOR_EACH_SMOOTHING_RULE_OF(ISOTHERM_REAL, ISOTHERM_INSTANTIATE)
ISOTHERM_FOR_EACH_HETEROGENEOUS_RULE_OF(ISOTHERM_REAL, ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
