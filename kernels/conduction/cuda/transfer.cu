#include "kernels/conduction/cuda/transfer.hpp"
#include "kernels/conduction/point_transfer.hpp"
#include "kernels/core/cuda/each_point.cuh"

namespace isotherm::cuda {

namespace {

template <class Real>
struct Gather {
  GatherFlow<Real> of;
  FieldView<Real> coarse;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k,
                             std::int64_t /*item*/) const {
    coarse(i, j, k) = of(i, j, k);
  }
};

template <class Real>
struct Spread {
  SpreadFlow<Real> of;
  FieldView<Real> fine;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k,
                             std::int64_t /*item*/) const {
    fine(i, j, k) += of(i, j, k);
  }
};

}  // namespace

template <class Real>
void gather_flow(Queue& queue, FlowTransfer<Real> const& transfer, FieldView<Real const> fine,
                 FieldView<Real> coarse, LocalBox box) {
  for_each_point(queue, box, Gather<Real>{{transfer, fine}, coarse});
}

template <class Real>
void spread_flow(Queue& queue, FlowTransfer<Real> const& transfer, FieldView<Real const> coarse,
                 FieldView<Real> fine, LocalBox box) {
  for_each_point(queue, box, Spread<Real>{{transfer, coarse}, fine});
}

#define ISOTHERM_INSTANTIATE(Real)                                                    \
  template void gather_flow(Queue&, FlowTransfer<Real> const&, FieldView<Real const>, \
                            FieldView<Real>, LocalBox);                               \
  template void spread_flow(Queue&, FlowTransfer<Real> const&, FieldView<Real const>, \
                            FieldView<Real>, LocalBox);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
