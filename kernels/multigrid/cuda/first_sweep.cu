#include "kernels/multigrid/cuda/first_sweep.hpp"
#include "kernels/operators/cuda/operator_columns.cuh"
#include "kernels/operators/cuda/two_operator_steps.cuh"
#include "kernels/updates/updates.hpp"

namespace isotherm::cuda {

namespace {

/// The kernel of the first sweep from zero. A thread marches up a vector of columns. The result
/// needs the source and the inverse diagonal only.
template <class Real, int dimension>
__global__ void __launch_bounds__(block_threads,
                                  operator_blocks<SmoothingConductances<Real, dimension>, false>)
    first_sweep_kernel(SmoothingConductances<Real, dimension> conductances, Real weight,
                       FieldView<Real const> source, FieldView<Real> values, LocalBox box) {
  // The source is passed as u and thereby loaded by vectors; there is no other source.
  for_my_operator_columns(
      conductances, source, {}, values, box,
      [&](std::int64_t, std::int64_t, std::int64_t, auto const& point, auto const& source_at,
          Real) { return weight * point.share_of(source_at(0, 0, 0)); });
}

/// The kernel of both sweeps of a block's tiles: the first from zero, the second an ordinary one.
/// See take_two_steps() for the division of work.
template <class Real>
__global__ void __launch_bounds__(StepTile<Real>::threads, 1)
    first_two_sweeps_kernel(Real first, PartialRelax<Real> second,
                            TwoSteps<SmoothingConductances<Real, 3>> by) {
  take_two_steps<true, true>(
      by,
      [&](auto const& point, auto const& /*at*/, Real source) {
        return first * point.share_of(source);
      },
      [&](auto const& point, auto const& at, Real source) {
        return second.plus(point, second(point, at), source);
      },
      [](Real, Real) {});
}

}  // namespace

template <class Real>
void two_sweeps_from_zero(Queue& queue, SmoothingConductances<Real, 3> const& conductances,
                          Real first, Real second, FieldView<Real const> source,
                          FieldView<Real> values, LocalBox box, LocalBox free) {
  require_vectors(conductances, source, {});
  TwoSteps<SmoothingConductances<Real, 3>> const by(conductances, {}, source, values, box, free);
  Launch const over = two_steps_launch<Real>(box);
  first_two_sweeps_kernel<<<over.grid, over.block, 0, make_current(queue)>>>(
      first, PartialRelax<Real>{Real{1} - second, second}, by);
  check_launch();
}

template <class Real, int dimension>
void sweep_from_zero(Queue& queue, SmoothingConductances<Real, dimension> const& conductances,
                     Real weight, FieldView<Real const> source, FieldView<Real> values,
                     LocalBox box) {
  require_vectors(conductances, source, {});
  Launch const over = operator_launch<Real, dimension>(box);
  first_sweep_kernel<<<over.grid, over.block, 0, make_current(queue)>>>(conductances, weight,
                                                                        source, values, box);
  check_launch();
}

#define ISOTHERM_INSTANTIATE(Real, dimension)                                                \
  template void sweep_from_zero(Queue&, SmoothingConductances<Real, dimension> const&, Real, \
                                FieldView<Real const>, FieldView<Real>, LocalBox);
ISOTHERM_INSTANTIATE(float, 2)
ISOTHERM_INSTANTIATE(float, 3)
ISOTHERM_INSTANTIATE(double, 2)
ISOTHERM_INSTANTIATE(double, 3)
#undef ISOTHERM_INSTANTIATE

template void two_sweeps_from_zero(Queue&, SmoothingConductances<float, 3> const&, float, float,
                                   FieldView<float const>, FieldView<float>, LocalBox, LocalBox);
template void two_sweeps_from_zero(Queue&, SmoothingConductances<double, 3> const&, double, double,
                                   FieldView<double const>, FieldView<double>, LocalBox, LocalBox);

}  // namespace isotherm::cuda
