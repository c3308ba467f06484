#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "jobs/bench/bench_body.hpp"
#include "jobs/case/case.hpp"

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
  BenchConductivity conductivity = BenchConductivity::constant;
  bool graded = false;  ///< axes have gaps of different widths
  bool source = false;
  std::int64_t check_every = 0;  ///< iterations between residuals in a second timing; 0: none
  std::string plan = "all";      ///< a name of sweep_plans_for(), "auto" or "all"
};

/// `isotherm bench solve`.
struct SolveBenchOptions {
  Extent3 grid{};  ///< all 0: 512³ on CUDA, 128³ on the CPU
  std::vector<Precision> precisions{Precision::float64};
  BoundaryKind boundary = BoundaryKind::dirichlet;
  BenchConductivity conductivity = BenchConductivity::constant;
  bool graded = false;  ///< axes have gaps of different widths
  bool levels = false;  ///< also split a cycle by its levels
};

/// `isotherm bench classic`.
struct ClassicBenchOptions {
  std::int64_t points = 0;  ///< on each axis; 0: as the cases were published
};

/// `isotherm bench copy`.
struct CopyBenchOptions {
  std::size_t largest_mib = 4096;  ///< larger copies are left out
};

/// `isotherm bench halo`.
struct HaloBenchOptions {
  std::vector<TransportKind> transports{transport_kinds.begin(), transport_kinds.end()};
  std::size_t largest_bytes = std::size_t{64} << 20;  ///< of the messages in a ring
  Extent3 grid{};                                     ///< all 0: 1024³ on CUDA, 256³ on the CPU
  int depth = 0;  ///< of the grid's halo; 0: the steps of the plan that a run would take
  std::vector<Precision> precisions{Precision::float32};
};

/// `isotherm bench scaling`.
struct ScalingBenchOptions {
  Extent3 grid{};  ///< all 0: 1024³ on CUDA, 256³ on the CPU
  std::vector<Precision> precisions{Precision::float32};
  Equation equation = Equation::laplace;  ///< or diffusion
  BoundaryKind boundary = BoundaryKind::dirichlet;
  TransportKind transport = TransportKind::automatic;
  std::string plan = "auto";     ///< or a name of sweep_plans_for()
  bool strong = true;            ///< the grid on ever more ranks
  bool weak = true;              ///< the grid on each of ever more ranks
  std::int64_t check_every = 0;  ///< iterations between residuals; 0: none
  std::int64_t steps = 0;        ///< iterations to time from first to last; 0: none
};

/// `isotherm bench output`.
struct OutputBenchOptions {
  Extent3 grid{};  ///< all 0: 1024³ on CUDA, 256³ on the CPU
  std::vector<Precision> precisions{Precision::float32};
  std::filesystem::path directory = ".";  ///< where files are made, and removed again
  int compression = 0;                    ///< as [output] compression
};

/// `isotherm bench smooth`.
struct SmoothBenchOptions {
  std::vector<Extent3> points{};  ///< of fields; none: 512², 16384² and 512³ where they fit
  std::vector<double> widths{2, 5, 10};  ///< of a Gaussian, in points
  std::vector<Precision> precisions{Precision::float32};
};

/// `isotherm bench gaussians`.
struct GaussianBenchOptions {
  Extent3 points{128, 128, 128};
  int count = 500;
  std::vector<Precision> precisions{Precision::float32};
};

/// `isotherm bench tune`.
struct TuneOptions {
  std::vector<int> dimensions{2, 3};
  std::vector<Precision> precisions{Precision::float32, Precision::float64};
  bool quick = false;                             ///< two or three grids of each dimension
  std::int64_t largest = 0;                       ///< points per axis at most; 0: no limit
  std::optional<std::filesystem::path> output{};  ///< where to write the plan table
};

/// Times an iteration of each plan and prints a row each: time, rate, share of a sweep that is
/// bound by the copy rate of the same run, largest difference from the plain plan on the same
/// random field, and, where checks are asked for, what they cost. Collective. Returns 1 where a
/// plan's field differs from the plain plan's, else 0.
int bench_sweep(mpi::Communicator const& ranks, BenchOptions const& options,
                SweepBenchOptions const& sweep);

/// Times multigrid from a zero field to 1e-8 and 1e-10 of the right-hand side, and prints a row
/// each: cycles, the residual that was reached, time, unknowns a second, how near the bytes that
/// cycles move come to the rate of copies, the time to set up, and what Jacobi would take;
/// where it is asked for, also how a cycle's time is split by its levels. Collective.
int bench_solve(mpi::Communicator const& ranks, BenchOptions const& options,
                SolveBenchOptions const& solve);

/// Finds the fastest plan for each sort of sweep on grids of many sizes, prints it beside the
/// default one, and writes a plan table (jobs/machine/plan_file.hpp) where one is asked for. Plans
/// whose field differs from the plain plan's do not count. Collective. Returns 1 where there was
/// such a plan, else 0.
int bench_tune(mpi::Communicator const& ranks, BenchOptions const& options,
               TuneOptions const& tune);

/// Times every plan on the classic cases and prints their published times beside. Collective.
int bench_classic(mpi::Communicator const& ranks, BenchOptions const& options,
                  ClassicBenchOptions const& classics);

/// Measures copies of several sizes. Collective.
int bench_copy(mpi::Communicator const& ranks, BenchOptions const& options,
               CopyBenchOptions const& copies);

/// Times each plan for convolutions along each axis of a field, which every rank has one of, and
/// prints a row each: times, rate, and the share of the rate of copies. Collective. Returns 1 where
/// a plan's field differs from the first one's, else 0.
int bench_smooth(mpi::Communicator const& ranks, BenchOptions const& options,
                 SmoothBenchOptions const& smooth);

/// Times each plan for adding Gaussians to a field, which every rank has one of, and prints a row
/// each. Collective. Returns 1 where a plan's field differs from the first one's, else 0.
int bench_gaussians(mpi::Communicator const& ranks, BenchOptions const& options,
                    GaussianBenchOptions const& gaussians);

/// Times each transport: messages of several sizes between the neighbours in a ring of ranks, and
/// the exchange of a grid's halo. One that cannot work here has a row that says why. Collective.
int bench_halo(mpi::Communicator const& ranks, BenchOptions const& options,
               HaloBenchOptions const& halo);

/// Times an iteration on the first 1, 2, 4 … and on all ranks, and prints a row each: time, rate,
/// efficiency, and what is lost in halos. Collective.
int bench_scaling(mpi::Communicator const& ranks, BenchOptions const& options,
                  ScalingBenchOptions const& scaling);

/// Writes a snapshot as a run does, and reads it as one does that goes on from it; beside each the
/// same bytes as a plain file, in the same directory. Prints seconds, rates, and where the time of
/// writing went. Collective.
int bench_output(mpi::Communicator const& ranks, BenchOptions const& options,
                 OutputBenchOptions const& output);

}  // namespace isotherm
