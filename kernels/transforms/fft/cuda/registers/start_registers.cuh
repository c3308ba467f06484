#pragma once

#include <cstddef>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/device/device_attribute.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/transforms/fft/cuda/registers/columns.cuh"
#include "kernels/transforms/fft/cuda/registers/rows.cuh"

namespace isotherm::cuda {

template <class Real>
using RegisterKernel = void (*)(RegisterTask<Real>);

/// How a kernel is started.
struct RegisterLaunch {
  std::int64_t blocks;
  int threads;
  int places;       ///< of bundles in shared memory
  int cluster = 1;  ///< blocks of a cluster
};

/// @returns  false if the device cannot run it; then nothing was enqueued
template <class Real>
bool start_register_kernel(Queue& queue, RegisterKernel<Real> kernel,
                           RegisterTask<Real> const& task, RegisterLaunch const& launch) {
  std::size_t const bytes = static_cast<std::size_t>(launch.places) * sizeof(BundleValue<Real>);
  cudaLaunchConfig_t config{};
  config.stream = make_current(queue);
  if (max_shared_bytes(queue.device()) < static_cast<int>(bytes)) return false;
  if (launch.cluster > 1 &&
      device_attribute(queue.device(), cudaDevAttrComputeCapabilityMajor) < 9) {
    return false;
  }
  config.gridDim = dim3(static_cast<unsigned>(launch.blocks));
  config.blockDim = dim3(static_cast<unsigned>(launch.threads));
  config.dynamicSmemBytes = bytes;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(launch.cluster), 1, 1};
  config.attrs = &cluster;
  config.numAttrs = launch.cluster > 1 ? 1 : 0;
  check(cudaFuncSetAttribute(reinterpret_cast<void const*>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  check(cudaLaunchKernelEx(&config, kernel, task));
  return true;
}

/// Transforms of all forms are one kernel: each of its own would be 1 % faster, and the program
/// much larger.
template <int N, class Real>
constexpr RegisterKernel<Real> row_kernel =
    register_rows<N, Real, LineForm::sine, LineForm::cosine, LineForm::quarter_to_modes,
                  LineForm::quarter_to_points, LineForm::periodic_to_modes,
                  LineForm::periodic_to_points>;

template <int N, class Real>
constexpr RegisterKernel<Real> column_kernel =
    register_columns<N, Real, LineForm::sine, LineForm::cosine, LineForm::quarter_to_modes,
                     LineForm::quarter_to_points, LineForm::periodic_to_modes,
                     LineForm::periodic_to_points>;

template <int N, class Real>
constexpr RegisterKernel<Real> solve_kernel =
    register_solve<N, Real, FormPair<LineForm::sine, LineForm::sine>,
                   FormPair<LineForm::cosine, LineForm::cosine>,
                   FormPair<LineForm::quarter_to_modes, LineForm::quarter_to_points>,
                   FormPair<LineForm::periodic_to_modes, LineForm::periodic_to_points>>;

template <int N, class Real>
bool start_registers(Queue& queue, RegisterTask<Real> task, bool solve) {
  std::int64_t const bundles = tiles(task.lines + task.shift, bundle_lines<Real>);
  if (task.axis == 0) {
    task.tiles = static_cast<int>(bundles);
    std::int64_t const blocks = tiles(bundles * task.planes, row_bundles<N>);
    return start_register_kernel(queue, row_kernel<N, Real>, task,
                                 {blocks, row_threads<N>, row_bundles<N> * row_places<N>});
  }
  constexpr int cluster = cluster_blocks<N>;
  task.tiles = cluster * static_cast<int>(tiles(bundles, cluster * column_bundles<N>));
  auto const kernel = solve ? solve_kernel<N, Real> : column_kernel<N, Real>;
  return start_register_kernel(
      queue, kernel, task,
      {std::int64_t{task.tiles} * task.planes, column_threads<N>, column_places<N, Real>, cluster});
}

}  // namespace isotherm::cuda
