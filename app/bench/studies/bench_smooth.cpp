#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

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
  std::string table{};  ///< "9 x 9"
  std::int64_t weights = 0;
  KernelForm form{};
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

/// Returns `width` weights along an axis, 1, 2 ... 2, 1, divided by their sum.
std::vector<double> line_of(int width) {
  std::vector<double> line;
  line.reserve(static_cast<std::size_t>(width));
  for (int m = 0; m < width; ++m) line.push_back(1.0 + std::min(m, width - 1 - m));
  double const sum = std::accumulate(line.begin(), line.end(), 0.0);
  for (double& weight : line) weight /= sum;
  return line;
}

/// Returns the table that is the product of a line of weights along each axis of the grid.
WeightTable table_of(std::vector<double> const& line, Extent3 grid) {
  auto const width = static_cast<std::int64_t>(line.size());
  WeightTable table;
  table.extent = {width, width, grid.z > 1 ? width : 1};
  for (std::int64_t k = 0; k < table.extent.z; ++k) {
    double const along_z = grid.z > 1 ? line[static_cast<std::size_t>(k)] : 1.0;
    for (double const along_y : line) {
      for (double const along_x : line) table.values.push_back(along_x * along_y * along_z);
    }
  }
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

/// A field, and those that convolutions write.
struct Fields {
  Field<float> from;
  Field<float> between;  ///< after all axes but the last one
  Field<float> to;
};

/// Enqueues a convolution along one axis after the other. The ones that follow read the halo of
/// each result.
void convolve_by_axes(Study const& study, Fields& fields, std::vector<double> const& line) {
  int const axes = study.grid.z > 1 ? 3 : 2;
  Index3 reach = fields.from.layout().halo;
  FieldView<float const> from = std::as_const(fields.from).view();
  for (int axis = 0; axis < axes; ++axis) {
    Field<float>& to = (axes - axis) % 2 == 1 ? fields.to : fields.between;
    reach[axis] = 0;
    convolve<float>(study.queue, from, to.view(), to.owned().grown(reach), axis, line);
    from = std::as_const(to).view();
  }
}

/// Measures one table in each memory, and the lines of which it is the product along one axis after
/// the other.
void measure_table(Study const& study, int width, Json& rows) {
  std::vector<double> const line = line_of(width);
  WeightTable const table = table_of(line, study.grid);
  Index3 const reach = table.reach();
  Fields fields{random_study_field(study.queue, study.grid, reach),
                Field<float>(study.queue, study.grid, reach),
                Field<float>(study.queue, study.grid, reach)};
  auto const from = std::as_const(fields.from).view();
  LocalBox const box = fields.from.owned();
  correlate<float>(study.queue, from, fields.to.view(), box, table);
  std::vector<float> const expected = values_of(study.queue, fields.to);
  Row row;
  row.table =
      study.grid.z > 1 ? fmt::format("{0} x {0} x {0}", width) : fmt::format("{0} x {0}", width);
  auto const finish = [&] {
    row.difference = differences(values_of(study.queue, fields.to), expected).largest;
    print(row);
    rows.push_back(to_json(row));
  };
  row.weights = table.extent.x * table.extent.y * table.extent.z;
  for (KernelForm const& form : table_forms(study.queue.backend())) {
    row.form = form;
    TableCorrelation const correlation(study.queue, form.name, table);
    time_row(study, row, [&] { correlation.apply(from, fields.to.view(), box); });
    finish();
  }
  row.form = {"by axes", "a line of weights along one axis after the other"};
  row.weights = std::int64_t{width} * (study.grid.z > 1 ? 3 : 2);
  time_row(study, row, [&] { convolve_by_axes(study, fields, line); });
  finish();
}

/// Returns the widths to measure: the given ones, or some that a table of the grid may have.
std::vector<int> widths_of(SmoothBenchOptions const& smooth, Extent3 grid) {
  if (!smooth.tables.empty()) return smooth.tables;
  if (grid.z > 1) return {3, 5, 7};
  return {3, 9, 17};
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
  std::vector<int> const widths = widths_of(smooth, grid);
  check_tables(widths, grid);
  int const in_plane = grid.z > 1 ? 7 : WeightTable::maximum / 2;
  Index3 const widest{in_plane, in_plane, grid.z > 1 ? 7 : 0};
  std::size_t const field_bytes = Field<float>::footprint(device.backend, grid, widest);
  MemoryNeed const need{product_of_bytes(3, field_bytes), 3 * dense_bytes<float>(grid)};
  require_memory(ranks, device, {need}, "bench smooth", "choose a smaller --grid");
  Queue queue(device.backend, device.number);
  Study const study{ranks, queue, grid, options.batches,
                    copy_rate(ranks, queue, dense_bytes<float>(grid))};
  print_heading(bench_heading(ranks, device), grid);
  Json rows = Json::array();
  for (int const width : widths) measure_table(study, width, rows);
  Json const all{{"device", device.info.name}, {"points", extent_json(grid)}, {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm::app
