#include "kernels/core/error.hpp"
#include "kernels/sweep/cuda/shaped/march.cuh"
#include "kernels/sweep/cuda/shaped/points.cuh"
#include "kernels/sweep/cuda/shaped/shaped.hpp"
#include "kernels/sweep/cuda/shaped/shared.cuh"

namespace isotherm::cuda {

template <class Rule>
void shaped_step(Queue& queue, Rule const& rule, Pass<typename Rule::Real> const& pass,
                 std::string_view kernel, BlockShape shape) {
  dim3 const block(static_cast<unsigned>(shape.x), static_cast<unsigned>(shape.y),
                   static_cast<unsigned>(shape.z));
  if (kernel == "plain") {
    launch_points(queue, rule, pass, block);
  } else if (kernel == "march") {
    launch_march(queue, rule, pass, block);
  } else if (kernel == "shared") {
    launch_shared(queue, rule, pass, block);
  } else {
    throw Error("the CUDA backend has no kernel \"" + std::string(kernel) + "\" with a shape");
  }
}

#define ISOTHERM_INSTANTIATE(Rule)                                                          \
  template void shaped_step(Queue&, Rule const&, Pass<Rule::Real> const&, std::string_view, \
                            BlockShape);
ISOTHERM_FOR_EACH_RULE_OF(ISOTHERM_REAL, ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
