#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/mpi.hpp"
#include "jobs/case.hpp"

namespace isotherm {

/// What all parts of `isotherm bench` are told.
struct BenchOptions {
  DeviceChoice device = DeviceChoice::automatic;
  int repeat = 5;                               ///< timed batches, of which the median counts
  std::optional<std::filesystem::path> json{};  ///< where to write the numbers too
};

/// `isotherm bench sweep`.
struct SweepBenchOptions {
  Extent3 grid{};  ///< all 0: 512³ on CUDA, 256³ on the CPU
  std::vector<Precision> precisions{Precision::float32, Precision::float64};
  Equation equation = Equation::laplace;  ///< or diffusion
  BoundaryKind boundary = BoundaryKind::dirichlet;
  std::string plan = "all";  ///< a name of sweep_plans(), "auto" or "all"
};

/// Times an iteration of each plan and prints a row each: time, rate, share of a sweep that is
/// bound by the copy rate of the same run, largest difference from the plain plan on the same
/// random field. Collective. Returns 1 where a plan's field differs from the plain plan's, else 0.
int bench_sweep(mpi::Communicator const& ranks, BenchOptions const& options,
                SweepBenchOptions const& sweep);

/// Times the two classic cases beside their published times. Collective.
int bench_classic(mpi::Communicator const& ranks, BenchOptions const& options);

/// Measures copies of several sizes. Collective.
int bench_copy(mpi::Communicator const& ranks, BenchOptions const& options);

}  // namespace isotherm
