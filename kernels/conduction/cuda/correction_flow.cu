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

template <class From, class To, int dimension>
void set_correction_flow(Queue& queue, SetCorrectionFlow<From, To, dimension> const& set,
                         LocalBox box) {
  for_each_point(queue, box, AtPoint<SetCorrectionFlow<From, To, dimension>>{set});
}

#define ISOTHERM_INSTANTIATE(From, To, dimension)                                          \
  template void set_correction_flow(Queue&, SetCorrectionFlow<From, To, dimension> const&, \
                                    LocalBox);
ISOTHERM_INSTANTIATE(float, float, 2)
ISOTHERM_INSTANTIATE(float, float, 3)
ISOTHERM_INSTANTIATE(double, float, 2)
ISOTHERM_INSTANTIATE(double, float, 3)
ISOTHERM_INSTANTIATE(double, double, 2)
ISOTHERM_INSTANTIATE(double, double, 3)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
