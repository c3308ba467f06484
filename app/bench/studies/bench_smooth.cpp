#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/run_measurement.hpp"
#include "app/bench/studies/studies.hpp"
#include "app/bench/studies/study_field.hpp"
#include "app/machine/copy_rate.hpp"
#include "app/machine/memory_limits.hpp"
#include "case/basics/exit_code.hpp"
#include "kernels/core/error.hpp"
#include "kernels/filters/convolution.hpp"
#include "kernels/memories/table_forms.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

/// The result of one form with one table.
struct Row {
  std::string table{};  ///< "9 x 9", or "9 + 9" for one axis after the other
  std::int64_t weights = 0;
  MemoryForm form{};
  double seconds = 0.0;
  double points_per_second = 0.0;
  double share_of_copy = 0.0;
  double difference = 0.0;  ///< largest, from the program's own correlation
};

/// What all measurements share.
struct Study {
  mpi::Communicator const& ranks;
  Queue& queue;
  Extent3 grid;
  Batches batches;
  double copy_bytes_per_s;
};

/// Returns a table of `width` weights along each axis, a product of binomial-like weights that sum
/// to 1.
WeightTable table_of(int width, Extent3 grid) {
  auto const weight = [&](std::int64_t m) {
    return 1.0 + static_cast<double>(std::min<std::int64_t>(m, width - 1 - m));
  };
  WeightTable table;
  table.extent = {width, width, grid.z > 1 ? width : 1};
  for (std::int64_t k = 0; k < table.extent.z; ++k) {
    for (std::int64_t j = 0; j < width; ++j) {
      for (std::int64_t i = 0; i < width; ++i) {
        table.values.push_back(weight(i) * weight(j) * (table.extent.z > 1 ? weight(k) : 1.0));
      }
    }
  }
  double const sum = std::accumulate(table.values.begin(), table.values.end(), 0.0);
  for (double& value : table.values) value /= sum;
  return table;
}

/// Times an operation on whole fields and completes a row.
template <class Enqueue>
void time_row(Study const& study, Row& row, Enqueue const& enqueue) {
  row.seconds = time_work(study.ranks, study.queue, study.batches, 1, [&](std::int64_t count) {
    for (std::int64_t n = 0; n < count; ++n) enqueue();
  });
  auto const points = static_cast<double>(LocalBox{{}, study.grid}.point_count());
  row.points_per_second = points / row.seconds;
  row.share_of_copy = row.points_per_second * 2.0 * sizeof(float) / study.copy_bytes_per_s;
}

/// Prints one row.
void print(Row const& row) {
  std::cout << fmt::format("{:<12} {:<10} {:>10.4f} {:>9.2f} {:>9.1f} {:>8.3f} {:>8.1g}  {}",
                           row.table, row.form.name, row.seconds * 1e3,
                           row.points_per_second * 1e-9,
                           2e-9 * row.points_per_second * static_cast<double>(row.weights),
                           row.share_of_copy, row.difference, row.form.description)
            << std::endl;
}

/// Returns one row as JSON.
Json to_json(Row const& row) {
  return {{"table", row.table},
          {"weights", row.weights},
          {"memory", row.form.name},
          {"description", row.form.description},
          {"ms", row.seconds * 1e3},
          {"points_per_second", row.points_per_second},
          {"share_of_copy", row.share_of_copy},
          {"largest_difference", row.difference}};
}

/// Measures one table in each memory, and for comparison weights along one axis after the other.
void measure_table(Study const& study, int width, Json& rows) {
  WeightTable const table = table_of(width, study.grid);
  Index3 const reach = table.reach();
  Field<float> const from = random_study_field(study.queue, study.grid, reach);
  Field<float> to(study.queue, study.grid, reach);
  correlate<float>(study.queue, from.view(), to.view(), from.owned(), table);
  std::vector<float> const expected = values_of(study.queue, to);
  Row row;
  row.table =
      study.grid.z > 1 ? fmt::format("{0} x {0} x {0}", width) : fmt::format("{0} x {0}", width);
  row.weights = table.extent.x * table.extent.y * table.extent.z;
  for (MemoryForm const& form : table_forms(study.queue.backend())) {
    row.form = form;
    TableCorrelation const correlation(study.queue, form.name, table);
    time_row(study, row, [&] { correlation.apply(from.view(), to.view(), from.owned()); });
    row.difference = largest_difference(values_of(study.queue, to), expected);
    print(row);
    rows.push_back(to_json(row));
  }
  std::vector<double> const line(static_cast<std::size_t>(width), 1.0 / width);
  row.form = {"by axes", "equal weights along one axis after the other"};
  row.weights = std::int64_t{width} * (study.grid.z > 1 ? 3 : 2);
  row.difference = 0.0;
  time_row(study, row, [&] {
    for (int axis = 0; axis < (study.grid.z > 1 ? 3 : 2); ++axis) {
      convolve<float>(study.queue, from.view(), to.view(), from.owned(), axis, line);
    }
  });
  print(row);
  rows.push_back(to_json(row));
}

/// Checks the widths of tables. @throws InputError  if one is not valid
void check_tables(std::vector<int> const& widths, Extent3 grid) {
  for (int const width : widths) {
    if (is_table({width, width, grid.z > 1 ? width : 1})) continue;
    throw InputError(
        fmt::format("--table: {} is not the width of a table (needs an odd number of at most {})",
                    width, grid.z > 1 ? 15 : WeightTable::maximum));
  }
}

/// Prints the heading of the table.
///
/// ms: time of an application. GPoint/s, Gop/s: points, and multiplications and additions, in a
/// second. of copy: relative to what a copy reads and writes. differs: largest difference from the
/// correlation of `isotherm smooth`.
void print_heading(std::string const& devices, Extent3 grid) {
  std::cout << fmt::format(
      "{}\n{} points, float32\n{:<12} {:<10} {:>10} {:>9} {:>9} {:>8} {:>8}  {}\n", devices,
      format_grid(grid), "table", "memory", "ms", "GPoint/s", "Gop/s", "of copy", "differs",
      "where the weights are");
}

}  // namespace

int bench_smooth(mpi::Communicator const& ranks, BenchOptions const& options,
                 SmoothBenchOptions const& smooth) {
  require_one_rank(ranks, "bench smooth");
  Device const device = choose_device(ranks, options.device);
  std::int64_t const n = device.backend == Backend::cuda ? 4096 : 1024;
  Extent3 const grid = smooth.grid.x > 0 ? smooth.grid : Extent3{n, n, 1};
  check_tables(smooth.tables, grid);
  Index3 const widest{WeightTable::maximum / 2, WeightTable::maximum / 2, grid.z > 1 ? 7 : 0};
  std::size_t const field_bytes = Field<float>::footprint(device.backend, grid, widest);
  MemoryNeed const need{sum_of_bytes(field_bytes, field_bytes), 3 * dense_bytes<float>(grid)};
  require_memory(ranks, device, {need}, "bench smooth", "choose a smaller --grid");
  Queue queue(device.backend, device.number);
  Study const study{ranks, queue, grid, options.batches,
                    copy_rate(ranks, queue, dense_bytes<float>(grid))};
  print_heading(bench_heading(ranks, device), grid);
  Json rows = Json::array();
  for (int const width : smooth.tables) measure_table(study, width, rows);
  Json const all{{"device", device.info.name}, {"points", extent_json(grid)}, {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm::app
