#include "kernels/conduction/cuda/transfer.hpp"
#include "kernels/conduction/point_transfer.hpp"
#include "kernels/core/cuda/columns.cuh"

namespace isotherm::cuda {

namespace {

template <class Real>
__global__ void __launch_bounds__(block_threads)
    gather_kernel(GatherFlow<Real> of, FieldView<Real> coarse, LocalBox box) {
  for_my_columns(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    for (; k < end; ++k) coarse(i, j, k) = of(i, j, k);
  });
}

template <class Real>
__global__ void __launch_bounds__(block_threads)
    spread_kernel(SpreadFlow<Real> of, FieldView<Real> fine, LocalBox box) {
  for_my_columns(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    for (; k < end; ++k) fine(i, j, k) += of(i, j, k);
  });
}

}  // namespace

template <class Real>
void gather_flow(Queue& queue, FlowTransfer<Real> const& transfer, FieldView<Real const> fine,
                 FieldView<Real> coarse, LocalBox box) {
  Launch const over = launch_over(box);
  gather_kernel<<<over.grid, over.block, 0, make_current(queue)>>>(GatherFlow<Real>{transfer, fine},
                                                                   coarse, box);
  check_launch();
}

template <class Real>
void spread_flow(Queue& queue, FlowTransfer<Real> const& transfer, FieldView<Real const> coarse,
                 FieldView<Real> fine, LocalBox box) {
  Launch const over = launch_over(box);
  spread_kernel<<<over.grid, over.block, 0, make_current(queue)>>>(
      SpreadFlow<Real>{transfer, coarse}, fine, box);
  check_launch();
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
