#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/bench/bench.hpp"
#include "kernels/sweep/shaped_plans.hpp"

// The parts of `isotherm bench` that repeat published studies: what a block shape, shared memory,
// the form of a reduction, the memory of a table or of Gaussians, and texture units are worth. Each
// explains one question on a page of docs/studies/.
//
// All functions measure one rank. They print a table, and write its numbers if --json names a file.

namespace isotherm::app {

/// Options of `isotherm bench classic`.
///
///     isotherm bench classic --case laplace-512 --shapes 32x2x4,16x16
struct ClassicBenchOptions {
  /// Cases to run: "laplace-512", "laplace-1024" and "diffusion-960".
  std::vector<std::string> cases{"laplace-512", "laplace-1024", "diffusion-960"};
  std::int64_t points = 0;           ///< points along each axis; 0: the published numbers
  std::vector<BlockShape> shapes{};  ///< of thread blocks; none: the published ones
};

/// Options of `isotherm bench shared`.
///
///     isotherm bench shared --sizes 256,512,1024 --steps 10,1000 --dimension 2
struct SharedBenchOptions {
  std::vector<int> dimensions{2, 3};
  std::vector<std::int64_t> sizes{};  ///< points along each axis; none: a range for each dimension
  std::vector<std::int64_t> steps{100};  ///< steps of a run
  std::vector<Precision> precisions{Precision::float32};
};

/// Options of `isotherm bench reduce`.
///
///     isotherm bench reduce --points 100000000
struct ReduceBenchOptions {
  std::int64_t points = 0;  ///< numbers to add; 0: 2²⁸ on CUDA, 2²⁴ on the CPU
};

/// Options of `isotherm bench smooth`.
///
///     isotherm bench smooth --table 5,9,17 --grid 4096x4096
struct SmoothBenchOptions {
  /// Weights of each table along an axis, odd numbers; none: 3, 9, 17, or 3, 5, 7 in 3D.
  std::vector<int> tables{};
  Extent3 grid{};  ///< all 0: 4096² on CUDA, 1024² on the CPU
};

/// Options of `isotherm bench resample`.
///
///     isotherm bench resample --points 257
struct ResampleBenchOptions {
  std::int64_t points = 0;  ///< along each axis; 0: 257 on CUDA, 65 on the CPU
};

/// Options of `isotherm bench gaussians`.
///
///     isotherm bench gaussians --points 128
struct GaussiansBenchOptions {
  std::int64_t points = 0;  ///< along each axis; 0: 128, as published, on CUDA, 64 on the CPU
};

/// Measures sweeps as bench_sweep() does, and explains each plan: what its kernels occupy, and what
/// bounds its speed. Collective; needs one rank.
/// @throws InputError  as bench_sweep(), and if there are several ranks
int explain_sweep(mpi::Communicator const& ranks, BenchOptions const& options,
                  SweepBenchOptions const& sweep);

/// Runs the published cases by each kernel and block shape. Collective; needs one rank.
///
/// Prints a row per plan: times of the copies and of the iterations, speed-up over the CPU,
/// differences from one core's field, bandwidth by two counts, and the published time.
/// @throws InputError  if there are several ranks, a case is unknown, or a shape cannot be used
int bench_classic(mpi::Communicator const& ranks, BenchOptions const& options,
                  ClassicBenchOptions const& classic);

/// Compares kernels that read neighbours from global and from shared memory. Collective; needs one
/// rank and a GPU.
///
/// Prints a row per grid and number of steps: times of both kernels and the share that shared
/// memory saves.
/// @throws InputError  if there are several ranks or no GPU
int bench_shared(mpi::Communicator const& ranks, BenchOptions const& options,
                 SharedBenchOptions const& shared);

/// Adds up an array by each form of a reduction. Collective; needs one rank.
///
/// Prints a row per form: time, rate, share of the copy rate, and the relative error of the sum.
/// @throws InputError  if there are several ranks or the numbers do not fit into memory
int bench_reduce(mpi::Communicator const& ranks, BenchOptions const& options,
                 ReduceBenchOptions const& reduce);

/// Smooths a field with tables of weights in each memory of a GPU. Collective; needs one rank.
///
/// Prints a row per table and memory: time, rate, and the largest difference from the correlation
/// of `isotherm smooth`; and a row for weights along one axis after the other.
/// @throws InputError  if there are several ranks, a table is not valid, or the field does not fit
int bench_smooth(mpi::Communicator const& ranks, BenchOptions const& options,
                 SmoothBenchOptions const& smooth);

/// Interpolates a rotated field in each way, on CUDA also by texture units. Collective; needs one
/// rank.
///
/// Prints a row per interpolation: time, rate, and the error of texture units.
/// @throws InputError  if there are several ranks or the field does not fit
int bench_resample(mpi::Communicator const& ranks, BenchOptions const& options,
                   ResampleBenchOptions const& resample);

/// Adds the 500 Gaussians of a published study with their terms in each memory of a GPU.
/// Collective; needs one rank.
///
/// Prints a row per memory: time, rate, and the largest difference from the field of a run; and the
/// range of g(x, y) = ∫ exp(u) dz, which was published.
/// @throws InputError  if there are several ranks or the field does not fit
int bench_gaussians(mpi::Communicator const& ranks, BenchOptions const& options,
                    GaussiansBenchOptions const& gaussians);

}  // namespace isotherm::app
