#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/bench_medium.hpp"
#include "case/case.hpp"
#include "decomposition/ranks/mpi.hpp"

// The parts of `isotherm bench`, which measure the speed of the program on the present machine.
//
// Each part prints a table on rank 0, and writes the same numbers as JSON if asked for. Rates are
// compared with that of a plain copy, measured in the same run: a memory-bound kernel cannot be
// faster. All functions are collective over the ranks and return an exit code.
//
//     SweepBenchOptions sweep;
//     sweep.grid = {512, 512, 512};
//     int const exit_code = bench_sweep(ranks, BenchOptions{}, sweep);

namespace isotherm {

/// Options that all parts of `isotherm bench` have in common.
struct BenchOptions {
  DeviceChoice device = DeviceChoice::automatic;
  /// Number of timed batches. The median is reported.
  int repeat = 5;
  /// File for the numbers as JSON, if any.
  std::optional<std::filesystem::path> json{};
};

/// Options of `isotherm bench sweep`.
///
/// The memory-bound kernels of the program: one Jacobi sweep or one explicit (FTCS) time step.
///
///     isotherm bench sweep --grid 512x512x512 --precision float32 --plan all
///     isotherm bench sweep --equation diffusion --boundary periodic
struct SweepBenchOptions {
  Extent3 grid{};  ///< all 0: 512³ on CUDA, 256³ on the CPU
  std::vector<Precision> precisions{Precision::float32, Precision::float64};
  Equation equation = Equation::laplace;  ///< laplace (Jacobi) or diffusion (FTCS)
  BoundaryKind boundary = BoundaryKind::dirichlet;
  BenchConductivity conductivity = BenchConductivity::constant;
  bool graded = false;  ///< use graded axes
  bool source = false;  ///< add a source term
  /// A name from sweep_plans_for(), "auto" or "all".
  std::string plan = "all";
};

/// Options of `isotherm bench solve`.
///
/// Time to solution of multigrid for Poisson's equation with a constant source.
///
///     isotherm bench solve --grid 256x256x256 --conductivity ball
struct SolveBenchOptions {
  Extent3 grid{};  ///< all 0: 512³ on CUDA, 128³ on the CPU
  std::vector<Precision> precisions{Precision::float64};
  BoundaryKind boundary = BoundaryKind::dirichlet;
  BenchConductivity conductivity = BenchConductivity::constant;
  bool graded = false;  ///< use graded axes
};

/// Options of `isotherm bench scaling`.
///
/// Strong scaling: a fixed grid on p ranks. Weak scaling: a grid that grows in proportion to p.
///
///     mpirun -n 8 isotherm bench scaling --grid 512x512x512 --weak --check-every 100
struct ScalingBenchOptions {
  Extent3 grid{};  ///< all 0: 1024³ on CUDA, 256³ on the CPU
  std::vector<Precision> precisions{Precision::float32};
  Equation equation = Equation::laplace;  ///< laplace (Jacobi) or diffusion (FTCS)
  BoundaryKind boundary = BoundaryKind::dirichlet;
  TransportKind transport = TransportKind::automatic;
  std::string plan = "auto";     ///< or a name from sweep_plans_for()
  bool strong = true;            ///< strong scaling: a fixed grid on more and more ranks
  bool weak = true;              ///< weak scaling: a fixed grid per rank
  std::int64_t check_every = 0;  ///< iterations between residual norms; 0: none
  std::int64_t steps = 0;        ///< number of iterations to time as a whole; 0: none
};

/// Options of `isotherm bench tune`.
///
/// Grids of many sizes, since the fastest plan depends on the size of a subdomain.
///
///     isotherm bench tune --quick --output plans.toml
///     isotherm run case.toml --set run.plan_table=plans.toml
struct TuneOptions {
  std::vector<int> dimensions{2, 3};
  std::vector<Precision> precisions{Precision::float32, Precision::float64};
  bool quick = false;        ///< only two or three grids per dimension
  std::int64_t largest = 0;  ///< maximum number of points per axis; 0: no limit
  std::optional<std::filesystem::path> output{};  ///< file for the plan table, if any
};

/// Measures sweeps, plan by plan. Collective.
///
/// Prints a row per plan: time per iteration, rate, speed relative to a sweep limited by the copy
/// rate, and the largest difference from the plain plan on the same random field. Returns 1 if the
/// field of a plan differs from that of the plain plan, else 0.
int bench_sweep(mpi::Communicator const& ranks, BenchOptions const& options,
                SweepBenchOptions const& sweep);

/// Measures multigrid from a zero field to relative residuals of 1e-8 and 1e-10. Collective.
///
/// Prints a row per tolerance: cycles, final residual, time, unknowns per second, memory traffic
/// relative to the copy rate, and set-up time.
int bench_solve(mpi::Communicator const& ranks, BenchOptions const& options,
                SolveBenchOptions const& solve);

/// Finds the fastest plan for each kind of sweep on grids of many sizes. Collective.
///
/// Prints it together with the default plan, and writes a plan table (app/machine/plan_file.hpp)
/// if asked for. Plans whose field differs from that of the plain plan are excluded. Returns 1 if
/// there is such a plan, else 0.
int bench_tune(mpi::Communicator const& ranks, BenchOptions const& options,
               TuneOptions const& tune);

/// Measures an iteration on the first 1, 2, 4, … and on all ranks. Prints a row per group: time,
/// rate, parallel efficiency, and the share of halo exchanges. Collective.
int bench_scaling(mpi::Communicator const& ranks, BenchOptions const& options,
                  ScalingBenchOptions const& scaling);

}  // namespace isotherm
