#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "app/bench/bench.hpp"
#include "app/bench/bench_directory.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/output_measurement.hpp"
#include "app/machine/memory_limits.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"
#include "kernels/core/byte_count.hpp"

namespace isotherm {

namespace {

using Json = nlohmann::ordered_json;

/// A field to write and read.
struct Subject {
  Problem problem;
  double bytes;  ///< size of all values
};

/// Returns the subject for a grid and a precision.
Subject subject_of(Extent3 grid, Precision precision) {
  Problem problem =
      unit_problem(grid, precision, Equation::laplace, BoundaryKind::dirichlet, false);
  double const bytes = static_cast<double>(value_bytes(precision)) * static_cast<double>(grid.x) *
                       static_cast<double>(grid.y) * static_cast<double>(grid.z);
  return {std::move(problem), bytes};
}

/// Formats the size of a subject.
std::string text_of(Subject const& of) {
  Grid const& grid = of.problem.grid;
  return fmt::format("{} in {}", format_extent(grid.points, grid.dimension),
                     name(of.problem.precision));
}

/// Returns the values of a smooth field without zeros. Compression then behaves as for solutions.
/// Each factor is 2 + sin(π (i + phase) / n), between 2 and 3, with another phase on each axis.
HostValues smooth_field(Subdomain const& subdomain, Precision precision) {
  GlobalBox const box = subdomain.owned_global();
  Extent3 const n = box.extent();
  // The field is a product of one factor per axis.
  PerAxis<std::vector<double>> waves;
  for (int axis = 0; axis < 3; ++axis) {
    auto const points = static_cast<double>(subdomain.grid().points[axis]);
    for (std::int64_t i = box.lower[axis]; i < box.upper[axis]; ++i) {
      waves[axis].push_back(
          2.0 + std::sin(std::numbers::pi * (static_cast<double>(i) + 0.25 * axis) / points));
    }
  }
  HostValues values(precision, static_cast<std::size_t>(box.point_count()));
  std::visit(
      [&]<class Real>(std::span<Real> numbers) {
#pragma omp parallel for schedule(static)
        for (std::int64_t row = 0; row < n.y * n.z; ++row) {
          double const factor = waves[1][static_cast<std::size_t>(row % n.y)] *
                                waves[2][static_cast<std::size_t>(row / n.y)];
          Real* const to = numbers.data() + row * n.x;
          for (std::int64_t i = 0; i < n.x; ++i) {
            to[i] = static_cast<Real>(factor * waves[0][static_cast<std::size_t>(i)]);
          }
        }
      },
      values.view());
  return values;
}

/// @throws InputError  on every rank, if the benchmark does not fit into memory
void require_memory(mpi::Communicator const& ranks, Device const& device, Subject const& subject,
                    std::filesystem::path const& directory) {
  Problem const& problem = subject.problem;
  Execution const execution = default_execution(ranks, device, problem.grid);
  MethodSettings const method = endless_method(problem);
  SolverPlan const plan = plan_solver(ranks, problem, method, execution);
  Subdomain const subdomain(problem.grid, execution.parts, ranks.rank());
  bool const countable = !exceeds_any_memory(subdomain.owned());
  // A copy of the field on the host. If the directory is in memory, the file needs as much again.
  std::size_t const copies = is_memory(directory) ? 2 : 1;
  std::size_t const host =
      countable ? bytes_in_all(static_cast<std::size_t>(subdomain.owned().point_count()),
                               copies * value_bytes(problem.precision))
                : uncountable_bytes;
  if (fits_on_all(ranks, device, {solver_bytes(problem, method, plan), host})) return;
  throw InputError(fmt::format("--grid {} does not fit into memory", text_of(subject)));
}

/// Returns an upper bound on the size of a file with `bytes` bytes of values: metadata is small,
/// and incompressible values grow slightly.
double room_for(double bytes) { return 1.01 * bytes + 1e6; }

/// Measures one subject. All files are in a temporary directory. The solver is needed for its field
/// and decomposition only. It never iterates.
OutputMeasurement measure(mpi::Communicator const& ranks, Device const& device,
                          Subject const& subject, BenchOptions const& options,
                          OutputBenchOptions const& output) {
  Problem const& problem = subject.problem;
  auto const solver = make_solver(ranks, problem, endless_method(problem),
                                  default_execution(ranks, device, problem.grid));
  HostValues const field = smooth_field(solver->subdomain(), problem.precision);
  solver->set_initial(field.view());
  BenchDirectory const directory(ranks, output.directory);
  return measure_output(ranks, *solver, problem.precision, directory.path(), output.compression,
                        options.repeat);
}

/// Prints a row of the table. @param share  relative to the plain file; 0 for the plain file itself
void print_row(std::string const& what, double seconds, double bytes, double share,
               std::string const& remark) {
  std::cout << fmt::format("{:<24} {:>9.3f} {:>8.2f} {:>9}{}\n", what, seconds,
                           bytes / seconds * 1e-9,
                           share > 0.0 ? fmt::format("{:.0f} %", 100.0 * share) : "", remark);
}

/// Prints an indented row for a part of the row above.
void print_part(std::string const& what, double seconds) {
  std::cout << fmt::format("  {:<22} {:>9.3f}\n", what, seconds);
}

/// Returns a remark if the page cache has served part of a read, which makes it faster than the
/// disk.
std::string memory_remark(double share) {
  return share > 0.0 ? fmt::format("  {:.0f} % of it cached in memory", 100.0 * share) : "";
}

/// Prints the table of one subject. The rows "plain write" and "plain read" are the reference: the
/// same bytes without format, checksums or compression. The indented rows are the parts of the
/// snapshot's time. Work that several threads perform concurrently counts by its share of their
/// time.
void print(Subject const& subject, OutputMeasurement const& of, OutputBenchOptions const& output) {
  std::cout << fmt::format(
      "\n{}, {} of values, {}into {}\n{:<24} {:>9} {:>8} {:>9}\n", text_of(subject),
      format_bytes(subject.bytes),
      output.compression > 0
          ? fmt::format("{} compressed ({}) ", format_bytes(of.file_bytes), output.compression)
          : "",
      output.directory.string(), "", "s", "GB/s", "of plain");
  print_row("plain write", of.plain_write_s, subject.bytes, 0.0, "");
  print_row("snapshot", of.snapshot_s, subject.bytes, of.write_share, "");
  print_part("copy of the field", of.copy_s);
  print_part("open, reserve space", of.split.open_s);
  print_part("checksum, finite check", of.split.checksum_s);
  if (output.compression > 0) print_part("gather and compress", of.split.pack_s);
  print_part("write", of.split.write_s);
  print_part("sync", of.split.sync_s);
  print_part("describe, check, rename", of.split.close_s);
  print_row("plain read", of.plain_read_s, subject.bytes, 0.0, memory_remark(of.plain_in_memory));
  print_row("read to resume", of.resume_s, subject.bytes, of.read_share,
            memory_remark(of.snapshot_in_memory));
  std::cout << std::flush;
}

/// Returns the measurements of one subject as JSON.
///
/// Rates count the values' bytes, even if the file is smaller because of compression. Shares
/// compare times with those of a plain file: 1 means as fast. `parts_ms` are the parts of
/// `snapshot_ms`. `…_in_memory` are shares of a file that the page cache served, from 0 to 1.
Json row_of(Subject const& subject, OutputMeasurement const& of) {
  auto const rate = [&](double seconds) { return subject.bytes / seconds; };
  return {{"precision", name(subject.problem.precision)},
          {"bytes", subject.bytes},
          {"file_bytes", of.file_bytes},
          {"plain_write_ms", of.plain_write_s * 1e3},
          {"plain_write_bytes_per_second", rate(of.plain_write_s)},
          {"snapshot_ms", of.snapshot_s * 1e3},
          {"snapshot_bytes_per_second", rate(of.snapshot_s)},
          {"share_of_plain_write", of.write_share},
          {"parts_ms",
           {{"copy", of.copy_s * 1e3},
            {"open", of.split.open_s * 1e3},
            {"checksum", of.split.checksum_s * 1e3},
            {"pack", of.split.pack_s * 1e3},
            {"write", of.split.write_s * 1e3},
            {"sync", of.split.sync_s * 1e3},
            {"close", of.split.close_s * 1e3}}},
          {"plain_read_ms", of.plain_read_s * 1e3},
          {"plain_read_bytes_per_second", rate(of.plain_read_s)},
          {"resume_ms", of.resume_s * 1e3},
          {"resume_bytes_per_second", rate(of.resume_s)},
          {"share_of_plain_read", of.read_share},
          {"plain_in_memory", of.plain_in_memory},
          {"snapshot_in_memory", of.snapshot_in_memory}};
}

}  // namespace

// All subjects are checked before the first one is measured.
int bench_output(mpi::Communicator const& ranks, BenchOptions const& options,
                 OutputBenchOptions const& output) {
  Device const device = choose_device(ranks, options.device);
  Extent3 const grid = grid_or_default(device, output.grid);
  std::vector<Subject> subjects;
  for (Precision const precision : output.precisions) {
    subjects.push_back(subject_of(grid, precision));
    check_room(ranks, "--directory", output.directory, room_for(subjects.back().bytes));
    require_memory(ranks, device, subjects.back(), output.directory);
  }
  std::string const devices = bench_heading(ranks, device);
  if (ranks.is_root()) std::cout << devices << '\n';
  Json rows = Json::array();
  for (Subject const& subject : subjects) {
    OutputMeasurement const row = measure(ranks, device, subject, options, output);
    if (ranks.is_root()) print(subject, row, output);
    rows.push_back(row_of(subject, row));
  }
  Json const all{{"device", device.info.name},
                 {"ranks", ranks.size()},
                 {"directory", output.directory.string()},
                 {"compression", output.compression},
                 {"points", extent_json(grid)},
                 {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm
