#pragma once

#include "kernels/operators/cuda/two_operator_steps.cuh"
#include "kernels/sweep/cuda/change.cuh"
#include "kernels/sweep/sweep.hpp"
#include "kernels/updates/heterogeneous_rules.hpp"

// Two steps per pass for variable coefficients, in 3D
// (kernels/operators/cuda/two_operator_steps.cuh).

namespace isotherm::cuda {

/// A step of an update at a point, with the source if there is one.
template <class Step, bool has_source>
struct SweptPoint {
  Step update;

  template <class Point, class At, class Real>
  __device__ __forceinline__ Real operator()(Point const& point, At const& at, Real source) const {
    Real const after = update(point, at);
    return has_source ? update.plus(point, after, source) : after;
  }
};

/// The kernel: both steps on the tiles of a block. The change is that of the second step.
template <class Operator, class Step, bool has_source, bool has_change>
__global__ void __launch_bounds__(StepTile<typename Operator::Real>::threads, 1)
    sweep_columns_twice(Step first, Step second, TwoSteps<Operator> by, Change* change) {
  using Real = typename Operator::Real;
  ThreadChange mine;
  take_two_steps<has_source, false>(by, SweptPoint<Step, has_source>{first},
                                    SweptPoint<Step, has_source>{second},
                                    [&](Real before, Real after) {
                                      if constexpr (has_change) mine.add(before, after);
                                    });
  if constexpr (has_change) add_to<StepTile<Real>::threads>(change, mine);
}

/// Checks the alignment of the fields and launches the kernel.
/// @throws Error  if a field cannot be read by vectors, or the input lacks points that the steps
///   read
/// @pre Some points of the region are free.
template <bool has_source, bool has_change, class Update, class Operator>
void launch_columns_twice(Queue& queue, StencilRule<Update, Operator> const& rule,
                          Pass<typename Operator::Real> const& pass) {
  using Real = typename Operator::Real;
  Operator const& op = rule;
  require_vectors(op, pass.in, pass.source);
  Update const& update = rule;
  // The two steps may have different relaxation factors.
  auto const first = update.of_step(0);
  auto const second = update.of_step(1);
  TwoSteps<Operator> const by(op, pass.in, pass.source, pass.out, pass.region, pass.free);
  require(pass.in.box.contains(by.first.grown({1, 1, 1})),
          "two steps in one pass reach past their input (which needs a halo of two)");
  Launch const over = two_steps_launch<Real>(pass.region);
  sweep_columns_twice<Operator, std::remove_const_t<decltype(first)>, has_source, has_change>
      <<<over.grid, over.block, 0, make_current(queue)>>>(first, second, by, pass.change);
  check_launch();
}

}  // namespace isotherm::cuda
