#pragma once

#include "kernels/operators/cuda/operator_columns.cuh"
#include "kernels/sweep/cuda/change.cuh"
#include "kernels/sweep/sweep.hpp"
#include "kernels/updates/heterogeneous_rules.hpp"

// One step per pass for variable coefficients (kernels/operators/cuda/operator_columns.cuh).

namespace isotherm::cuda {

/// True if an update needs the volumes (1 / (c V)) of the points, which cost registers.
template <class Update>
constexpr bool needs_volumes = false;
template <class Real>
constexpr bool needs_volumes<FiniteVolumeEuler<Real>> = true;

/// The kernel: one step on a thread's columns of points. Each thread marches up a vector of columns
/// and holds its operator and values in registers; see for_my_operator_columns().
template <class Operator, class Update, bool has_source, bool has_change,
          class Real = typename Operator::Real>
__global__ void __launch_bounds__(block_threads, operator_blocks<Operator, needs_volumes<Update>>)
    sweep_columns(Update update, Operator op, Pass<Real> pass) {
  ThreadChange change;
  // Fixed points are copied; their change is not measured.
  for_my_operator_columns(op, pass.in, has_source ? pass.source : FieldView<Real const>{}, pass.out,
                          pass.region,
                          [&](std::int64_t i, std::int64_t j, std::int64_t k, auto const& point,
                              auto const& at, Real source) {
                            Real const before = at(0, 0, 0);
                            if (!pass.free.contains(i, j, k)) return before;
                            Real after = update(point, at);
                            if constexpr (has_source) after = update.plus(point, after, source);
                            if constexpr (has_change) change.add(before, after);
                            return after;
                          });
  if constexpr (has_change) add_to<block_threads>(pass.change, change);
}

/// Checks the alignment of the fields and launches the kernel.
/// @throws Error  if a field cannot be read by vectors
template <bool has_source, bool has_change, class Update, class Operator>
void launch_columns(Queue& queue, StencilRule<Update, Operator> const& rule,
                    Pass<typename Operator::Real> const& pass) {
  using Real = typename Operator::Real;
  Operator const& op = rule;
  require_vectors(op, pass.in, pass.source);
  Update const& all_steps = rule;
  auto const update = all_steps.of_step(0);
  Launch const over = operator_launch<Real, Operator::dimension>(pass.region);
  sweep_columns<Operator, std::remove_const_t<decltype(update)>, has_source, has_change>
      <<<over.grid, over.block, 0, make_current(queue)>>>(update, op, pass);
  check_launch();
}

}  // namespace isotherm::cuda
