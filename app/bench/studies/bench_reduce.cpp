#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/run_measurement.hpp"
#include "app/bench/studies/studies.hpp"
#include "app/bench/studies/study_field.hpp"
#include "app/machine/copy_rate.hpp"
#include "app/machine/memory_limits.hpp"
#include "case/basics/exit_code.hpp"
#include "kernels/reductions/sum.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

/// The result of one form.
struct Row {
  KernelForm form{};
  double seconds = 0.0;
  double bytes_per_second = 0.0;  ///< read
  double share_of_copy = 0.0;
  double error = 0.0;  ///< of the sum, relative to that in float64
};

/// Returns the sum in float64, whose error is negligible here.
double reference_sum(std::vector<float> const& values) {
  double sum = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (float const value : values) sum += static_cast<double>(value);
  return sum;
}

/// Prints the heading of the table.
///
/// ms: time of a sum. GB/s: what it reads in a second. of copy: relative to what a copy reads and
/// writes. error: of the sum, relative to the sum in float64.
void print_heading(std::string const& devices, std::int64_t points) {
  std::cout << fmt::format("{}\nsum of {} float32 numbers\n{:<18} {:>11} {:>9} {:>8} {:>9}  {}\n",
                           devices, points, "form", "ms", "GB/s", "of copy", "error",
                           "how it adds");
}

/// Prints one row.
void print(Row const& row) {
  std::cout << fmt::format("{:<18} {:>11.4f} {:>9.1f} {:>8.3f} {:>9.1e}  {}", row.form.name,
                           row.seconds * 1e3, row.bytes_per_second * 1e-9, row.share_of_copy,
                           row.error, row.form.description)
            << std::endl;
}

/// Returns one row as JSON.
Json to_json(Row const& row) {
  return {{"form", row.form.name},
          {"description", row.form.description},
          {"ms", row.seconds * 1e3},
          {"bytes_per_second", row.bytes_per_second},
          {"share_of_copy", row.share_of_copy},
          {"relative_error", row.error}};
}

/// Measures each form on the same numbers, and prints its row.
Json measure(mpi::Communicator const& ranks, Queue& queue, std::int64_t points, Batches batches) {
  std::vector<float> const values = random_numbers<float>(points);
  double const reference = reference_sum(values);
  std::size_t const bytes = values.size() * sizeof(float);
  double const copy = copy_rate(ranks, queue, bytes);
  Buffer numbers(queue, Space::device, bytes);
  copy_bytes(queue, numbers.data(), values.data(), bytes);
  Json rows = Json::array();
  for (KernelForm const& form : sum_forms(queue.backend())) {
    Sum sum(queue, form.name, points);
    Row row{form};
    row.seconds = time_work(ranks, queue, batches, 1, [&](std::int64_t count) {
      for (std::int64_t n = 0; n < count; ++n) sum.add_up(numbers.as<float>());
    });
    row.error = std::abs(sum.read() - reference) / reference;
    row.bytes_per_second = static_cast<double>(bytes) / row.seconds;
    row.share_of_copy = row.bytes_per_second / copy;
    print(row);
    rows.push_back(to_json(row));
  }
  return rows;
}

}  // namespace

int bench_reduce(mpi::Communicator const& ranks, BenchOptions const& options,
                 ReduceBenchOptions const& reduce) {
  require_one_rank(ranks, "bench reduce");
  Device const device = choose_device(ranks, options.device);
  bool const on_cuda = device.backend == Backend::cuda;
  std::int64_t const points = reduce.points > 0 ? reduce.points : 1LL << (on_cuda ? 28 : 24);
  std::size_t const bytes = dense_bytes<float>({points, 1, 1});
  MemoryNeed const need{sum_of_bytes(bytes, Sum::footprint(device.backend, points)), bytes};
  require_memory(ranks, device, {need}, "bench reduce", "choose a smaller --points");
  print_heading(bench_heading(ranks, device), points);
  Queue queue(device.backend, device.number);
  Json const rows = measure(ranks, queue, points, options.batches);
  Json const all{{"device", device.info.name}, {"points", points}, {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm::app
