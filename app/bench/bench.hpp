#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/bench_medium.hpp"
#include "case/case.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/sweep/shaped_plans.hpp"

// The parts of `isotherm bench`, which measure the speed of the program on the present machine.
//
// Each part prints a table on rank 0, and writes the same numbers as JSON if --json names a file.
// Rates are compared with the rate of a plain copy, measured in the same run. That rate is the
// roofline of a memory-bound kernel (Williams, Waterman and Patterson, 2009). All functions are
// collective over the ranks and return an exit code.
//
// Units: times in seconds, rates in bytes or points per second. Rates are sums over all ranks, and
// times are those of the slowest rank, unless a comment states otherwise.
//
// Errors in the options throw InputError on every rank before the first measurement.
//
//     SweepBenchOptions sweep;
//     sweep.grid = {512, 512, 512};
//     int const exit_code = bench_sweep(ranks, BenchOptions{}, sweep);

namespace isotherm::app {

/// The batches of operations that time one number. The median of the batches is reported.
struct Batches {
  int repeat = 5;        ///< number of timed batches, at least 1
  double seconds = 0.1;  ///< approximate duration of a batch in s; much longer than a clock's step
};

/// Options that all parts of `isotherm bench` have in common.
///
/// All ranks hold the same options, since each rank parses the same command line.
struct BenchOptions {
  /// The requested backend; see choose_device().
  DeviceChoice device = DeviceChoice::automatic;
  Batches batches{};
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
  /// Precisions of the field, each of which gets rows of its own.
  std::vector<Precision> precisions{Precision::float32, Precision::float64};
  Equation equation = Equation::laplace;  ///< laplace (Jacobi) or diffusion (FTCS)
  /// Condition on all faces; see unit_problem() for the last axis of a steady problem.
  BoundaryKind boundary = BoundaryKind::dirichlet;
  BenchConductivity conductivity = BenchConductivity::constant;
  bool graded = false;  ///< use graded axes
  bool source = false;  ///< add a source term
  /// A name from sweep_plans_for(), "auto" or "all".
  std::string plan = "all";
};

/// Options of `isotherm bench solve`.
///
/// Time to solution of multigrid for Poisson's equation with a constant source. The initial field
/// is zero, and residuals are relative to the norm of the right-hand side.
///
///     isotherm bench solve --grid 256x256x256 --conductivity ball
struct SolveBenchOptions {
  Extent3 grid{};  ///< all 0: 512³ on CUDA, 128³ on the CPU
  std::vector<Precision> precisions{Precision::float64};
  BoundaryKind boundary = BoundaryKind::dirichlet;
  BenchConductivity conductivity = BenchConductivity::constant;
  bool graded = false;         ///< use graded axes
  std::string method = "all";  ///< "multigrid", "direct" or "all"
};

/// Options of `isotherm bench transform`.
///
/// The transforms of direct solutions along each axis, of each kind that the axis has.
///
///     isotherm bench transform --grid 513x513x513 --precision both
struct TransformBenchOptions {
  Extent3 grid{};  ///< all 0: 513³ on CUDA, 129³ on the CPU; of each rank
  std::vector<Precision> precisions{Precision::float64};
  BoundaryKind boundary = BoundaryKind::dirichlet;  ///< on all faces
  std::string kind = "all";                         ///< "fft", "dense", "tridiagonal" or "all"
};

/// Options of `isotherm bench scaling`.
///
/// Strong scaling: a fixed grid on p ranks. Weak scaling: a grid that grows in proportion to p
/// (Gustafson, 1988). Groups of 1, 2, 4, … ranks and the group of all ranks are measured.
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
/// Grids of many sizes, since the fastest plan depends on the size of a subdomain. The result is a
/// plan table, with which later runs choose their kernel variants.
///
///     isotherm bench tune --quick --output plans.toml
///     isotherm run case.toml --set run.plan_table=plans.toml
struct TuneOptions {
  std::vector<int> dimensions{2, 3};
  std::vector<Precision> precisions{Precision::float32, Precision::float64};
  bool quick = false;        ///< only two or three grids per dimension
  std::int64_t largest = 0;  ///< maximum number of points per axis; 0: no limit
  /// Shapes of thread blocks with which the kernels of studies are measured, too. On CUDA, and for
  /// sweeps without a source.
  std::vector<BlockShape> shapes{};
  std::optional<std::filesystem::path> output{};  ///< file for the plan table, if any
};

/// Measures three numbers in less than a minute: the rates of copies and of Jacobi sweeps, and the
/// time of a solution of Poisson's equation. Collective.
///
/// Prints each next to those of machines that were measured before, a sentence that sums them up,
/// and a warning if other programs have disturbed the measurement.
/// @param grid  of both problems; all 0: 256³ (512³ on CUDA) and 257³. Only these are comparable
int bench_machine(mpi::Communicator const& ranks, BenchOptions const& options, Extent3 grid);

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

/// Measures the transforms of direct solutions. Collective.
///
/// Prints a row per precision, axis, kind and task: time of a pass, rate, and the share of the copy
/// rate. A last row measures a whole solution. Each rank transforms a grid of its own.
/// @throws InputError  on every rank, if no axis has a transform of the wanted kind
int bench_transform(mpi::Communicator const& ranks, BenchOptions const& options,
                    TransformBenchOptions const& transform);

/// Finds the fastest plan for each kind of sweep on grids of many sizes. Collective.
///
/// Prints it together with the default plan, and writes a plan table (app/machine/plan_file.hpp)
/// if requested. Plans whose field differs from that of the plain plan are excluded.
/// @returns  exit_code::failed if there is such a plan, else exit_code::done
/// @throws InputError  on every rank, if the file of the table cannot be written
int bench_tune(mpi::Communicator const& ranks, BenchOptions const& options,
               TuneOptions const& tune);

/// Measures an iteration on the first 1, 2, 4, … and on all ranks. Prints a row per group: time,
/// rate, parallel efficiency, and the share of halo exchanges. Collective.
///
/// A group that cannot be measured, for example for lack of memory, gets a row with the reason.
/// @throws InputError  on every rank, if the transport or the plan is not available
int bench_scaling(mpi::Communicator const& ranks, BenchOptions const& options,
                  ScalingBenchOptions const& scaling);

}  // namespace isotherm::app
