#include "kernels/multigrid/cuda/first_sweep.hpp"
#include "kernels/operators/cuda/flow_columns.cuh"

namespace isotherm::cuda {

namespace {

template <class Real, int dimension>
__global__ void __launch_bounds__(block_threads, flow_blocks<Conductances<Real, dimension>, false>)
    first_sweep_kernel(Conductances<Real, dimension> of, Real weight, FieldView<Real const> source,
                       FieldView<Real> values, LocalBox box) {
  for_my_flows(
      of, source, {}, values, box,
      [&](std::int64_t, std::int64_t, std::int64_t, auto const& point, auto const& source_at,
          Real) { return weight * point.share_of(source_at(0, 0, 0)); });
}

}  // namespace

template <class Real, int dimension>
void sweep_from_zero(Queue& queue, Conductances<Real, dimension> const& of, Real weight,
                     FieldView<Real const> source, FieldView<Real> values, LocalBox box) {
  require_vectors(of, source, {});
  Launch const over = flow_launch<Real, dimension>(box);
  first_sweep_kernel<<<over.grid, over.block, 0, make_current(queue)>>>(of, weight, source, values,
                                                                        box);
  check_launch();
}

#define ISOTHERM_INSTANTIATE(Real, dimension)                                       \
  template void sweep_from_zero(Queue&, Conductances<Real, dimension> const&, Real, \
                                FieldView<Real const>, FieldView<Real>, LocalBox);
ISOTHERM_INSTANTIATE(float, 2)
ISOTHERM_INSTANTIATE(float, 3)
ISOTHERM_INSTANTIATE(double, 2)
ISOTHERM_INSTANTIATE(double, 3)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
