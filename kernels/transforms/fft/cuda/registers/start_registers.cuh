#pragma once

#include <cstddef>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/transforms/fft/cuda/registers/columns.cuh"
#include "kernels/transforms/fft/cuda/registers/rows.cuh"

namespace isotherm::cuda {

/// Starts a kernel with `places` values of shared memory.
template <class Real>
void start_register_kernel(Queue& queue, void (*kernel)(RegisterTask<Real>),
                           RegisterTask<Real> const& task, std::int64_t blocks, int threads,
                           int places) {
  std::size_t const bytes = static_cast<std::size_t>(places) * sizeof(BundleValue<Real>);
  auto const stream = make_current(queue);
  check(cudaFuncSetAttribute(reinterpret_cast<void const*>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), bytes, stream>>>(task);
  check_launch();
}

template <class Real>
using RegisterKernel = void (*)(RegisterTask<Real>);

// Kernels of sines and of cosines have no others in them, because they are the most frequent ones.

template <int N, class Real>
RegisterKernel<Real> row_kernel(LineForm form) {
  if (form == LineForm::sine) return register_rows<N, Real, LineForm::sine>;
  if (form == LineForm::cosine) return register_rows<N, Real, LineForm::cosine>;
  return register_rows<N, Real, LineForm::quarter_to_modes, LineForm::quarter_to_points,
                       LineForm::periodic_to_modes, LineForm::periodic_to_points>;
}

template <int N, class Real>
RegisterKernel<Real> column_kernel(LineForm form) {
  if (form == LineForm::sine) return register_columns<N, Real, LineForm::sine>;
  if (form == LineForm::cosine) return register_columns<N, Real, LineForm::cosine>;
  return register_columns<N, Real, LineForm::quarter_to_modes, LineForm::quarter_to_points,
                          LineForm::periodic_to_modes, LineForm::periodic_to_points>;
}

template <int N, class Real>
RegisterKernel<Real> solve_kernel(LineForm form) {
  using Sine = FormPair<LineForm::sine, LineForm::sine>;
  using Cosine = FormPair<LineForm::cosine, LineForm::cosine>;
  using Quarter = FormPair<LineForm::quarter_to_modes, LineForm::quarter_to_points>;
  using Periodic = FormPair<LineForm::periodic_to_modes, LineForm::periodic_to_points>;
  if (form == LineForm::sine) return register_solve<N, Real, Sine>;
  if (form == LineForm::cosine) return register_solve<N, Real, Cosine>;
  return register_solve<N, Real, Quarter, Periodic>;
}

template <int N, class Real>
void start_registers(Queue& queue, RegisterTask<Real> task, bool solve) {
  constexpr int threads = RegisterShape<N>::threads;
  LineForm const form = task.steps.form;
  std::int64_t const bundles = tiles(task.lines + task.shift, bundle_lines<Real>);
  if (task.axis == 0) {
    task.tiles = static_cast<int>(bundles);
    std::int64_t const blocks = tiles(bundles * task.planes, row_bundles<N>);
    return start_register_kernel(queue, row_kernel<N, Real>(form), task, blocks,
                                 row_bundles<N> * threads, row_bundles<N> * (N + threads));
  }
  task.tiles = static_cast<int>(tiles(bundles, column_bundles<N>));
  auto const kernel = solve ? solve_kernel<N, Real>(form) : column_kernel<N, Real>(form);
  start_register_kernel(queue, kernel, task, std::int64_t{task.tiles} * task.planes,
                        column_bundles<N> * threads, column_places<N, Real>);
}

}  // namespace isotherm::cuda
