#include "kernels/conduction/cuda/coarsening.hpp"
#include "kernels/conduction/point_coarsening.hpp"
#include "kernels/core/cuda/each_point.cuh"

namespace isotherm::cuda {

namespace {

template <class Real>
struct SetWeight {
  OmissionWeight<Real> of;
  FieldView<Real> weights;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k,
                             std::int64_t /*item*/) const {
    weights(i, j, k) = of(i, j, k);
  }
};

template <class Real>
struct SetFlow {
  SetCoarseFlow<Real> set;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k,
                             std::int64_t /*item*/) const {
    set(i, j, k);
  }
};

}  // namespace

template <class Real>
void set_omission_weights(Queue& queue, AxisCoarsening const& coarsening,
                          FlowFields<Real const> const& fine, FieldView<Real> weights,
                          LocalBox box) {
  for_each_point(queue, box, SetWeight<Real>{{{coarsening, fine, {}}}, weights});
}

template <class Real>
void coarsen_flow(Queue& queue, AxisCoarsening const& coarsening,
                  FlowFields<Real const> const& fine, FieldView<Real const> weights,
                  FlowFields<Real> const& coarse, LocalBox box) {
  for_each_point(queue, box, SetFlow<Real>{{{{coarsening, fine, weights}}, coarse}});
}

#define ISOTHERM_INSTANTIATE(Real)                                                                 \
  template void set_omission_weights(Queue&, AxisCoarsening const&, FlowFields<Real const> const&, \
                                     FieldView<Real>, LocalBox);                                   \
  template void coarsen_flow(Queue&, AxisCoarsening const&, FlowFields<Real const> const&,         \
                             FieldView<Real const>, FlowFields<Real> const&, LocalBox);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
