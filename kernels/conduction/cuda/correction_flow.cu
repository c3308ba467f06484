#include "kernels/conduction/cuda/correction_flow.hpp"
#include "kernels/core/cuda/each_point.cuh"

namespace isotherm::cuda {

namespace {

template <class Set>
struct AtPoint {
  Set set;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k,
                             std::int64_t /*item*/) const {
    set(i, j, k);
  }
};

}  // namespace

template <class Set>
void set_flow(Queue& queue, Set const& set, LocalBox box) {
  for_each_point(queue, box, AtPoint<Set>{set});
}

#define ISOTHERM_INSTANTIATE(...) template void set_flow(Queue&, __VA_ARGS__ const&, LocalBox);
ISOTHERM_INSTANTIATE(SetCorrectionFlow<float, float, 2>)
ISOTHERM_INSTANTIATE(SetCorrectionFlow<float, float, 3>)
ISOTHERM_INSTANTIATE(SetCorrectionFlow<double, float, 2>)
ISOTHERM_INSTANTIATE(SetCorrectionFlow<double, float, 3>)
ISOTHERM_INSTANTIATE(SetCorrectionFlow<double, double, 2>)
ISOTHERM_INSTANTIATE(SetCorrectionFlow<double, double, 3>)
ISOTHERM_INSTANTIATE(SetPerTotal<float, 2>)
ISOTHERM_INSTANTIATE(SetPerTotal<float, 3>)
ISOTHERM_INSTANTIATE(SetPerTotal<double, 2>)
ISOTHERM_INSTANTIATE(SetPerTotal<double, 3>)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
