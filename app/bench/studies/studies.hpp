#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/bench/bench.hpp"
#include "kernels/sweep/shaped_plans.hpp"

// The parts of `isotherm bench` that repeat published studies: what a block shape, shared memory
// and the form of a reduction are worth. Each explains one question on a page of docs/studies/.
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

}  // namespace isotherm::app
