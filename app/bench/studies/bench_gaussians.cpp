#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/run_measurement.hpp"
#include "app/bench/studies/studies.hpp"
#include "app/bench/studies/study_field.hpp"
#include "app/machine/memory_limits.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/random_sample.hpp"
#include "kernels/memories/gaussian_forms.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr double half_width = 10.0;  ///< the published cube reaches from -10 to 10

/// Returns the 500 Gaussians of the published study: 0.1 exp(-0.2 r²) at the places of NumPy's
/// RandomState(12072018).uniform(-10, 10, (500, 3)).
std::vector<GaussianTerm> published_terms() {
  constexpr int count = 500;
  std::mt19937 generator(12072018U);
  auto const next = [&] { return -half_width + 2.0 * half_width * random_sample(generator); };
  std::vector<GaussianTerm> terms(count);
  for (GaussianTerm& term : terms) {
    term.x = next();
    term.y = next();
    term.z = next();
    term.width = std::sqrt(2.5);
    term.height = 0.1;
  }
  return terms;
}

/// Returns the smallest and the largest value of g(x, y) = ∫ exp(u) dz, by the trapezoidal rule.
/// @param values  of a cube of n³ points
std::pair<double, double> range_of_integrals(std::vector<float> const& values, std::int64_t n,
                                             double spacing) {
  std::pair<double, double> range{std::numeric_limits<double>::infinity(), 0.0};
  std::int64_t const plane = n * n;
  for (std::int64_t p = 0; p < plane; ++p) {
    double sum = 0.0;
    for (std::int64_t k = 0; k < n; ++k) {
      double const weight = k == 0 || k == n - 1 ? 0.5 : 1.0;
      sum +=
          weight * std::exp(static_cast<double>(values[static_cast<std::size_t>(k * plane + p)]));
    }
    range.first = std::min(range.first, spacing * sum);
    range.second = std::max(range.second, spacing * sum);
  }
  return range;
}

/// The result of one form.
struct Row {
  KernelForm form{};
  double seconds = 0.0;
  double terms_per_second = 0.0;
  double difference = 0.0;  ///< largest, from the field of a run
};

/// Prints one row.
void print(Row const& row) {
  std::cout << fmt::format("{:<10} {:>10.3f} {:>9.2f} {:>8.1g}  {}", row.form.name,
                           row.seconds * 1e3, row.terms_per_second * 1e-9, row.difference,
                           row.form.description)
            << std::endl;
}

/// Returns one row as JSON.
Json to_json(Row const& row) {
  return {{"memory", row.form.name},
          {"description", row.form.description},
          {"ms", row.seconds * 1e3},
          {"terms_per_second", row.terms_per_second},
          {"largest_difference", row.difference}};
}

/// Measures each form on the published cube, with n points along each axis.
Json measure(mpi::Communicator const& ranks, Queue& queue, std::int64_t n, Batches batches) {
  std::vector<GaussianTerm> const terms = published_terms();
  double const spacing = 2.0 * half_width / static_cast<double>(n - 1);
  PointFrame const frame{
      {-half_width, -half_width, -half_width}, {spacing, spacing, spacing}, {0, 0, 0}};
  Field<float> field(queue, {n, n, n}, {});
  add_gaussians<float>(queue, field.view(), field.owned(), frame, 3, terms);
  std::vector<float> const expected = values_of(queue, field);
  Json rows = Json::array();
  for (KernelForm const& form : gaussian_forms(queue.backend())) {
    GaussianSum const sum(queue, form.name, terms, 3);
    Field<float> made(queue, {n, n, n}, {});
    sum.add(made.view(), made.owned(), frame);
    Row row{form};
    row.difference = differences(values_of(queue, made), expected).largest;
    row.seconds = time_work(ranks, queue, batches, 1, [&](std::int64_t count) {
      for (std::int64_t m = 0; m < count; ++m) sum.add(made.view(), made.owned(), frame);
    });
    row.terms_per_second =
        static_cast<double>(terms.size()) * static_cast<double>(n * n * n) / row.seconds;
    print(row);
    rows.push_back(to_json(row));
  }
  auto const [least, largest] = range_of_integrals(expected, n, spacing);
  std::cout << fmt::format(
      "g(x, y), the integral of exp(u) along z, lies between {:.3f} and {:.3f} (published, 128 "
      "points: 20.955 and 33.484)\n",
      least, largest);
  return {{"points", n}, {"g_minimum", least}, {"g_maximum", largest}, {"rows", rows}};
}

}  // namespace

int bench_gaussians(mpi::Communicator const& ranks, BenchOptions const& options,
                    GaussiansBenchOptions const& gaussians) {
  require_one_rank(ranks, "bench gaussians");
  Device const device = choose_device(ranks, options.device);
  // One core takes half a minute for the published cube.
  std::int64_t const usual = device.backend == Backend::cuda ? 128 : 64;
  std::int64_t const n = gaussians.points > 0 ? gaussians.points : usual;
  MemoryNeed const need{product_of_bytes(2, Field<float>::footprint(device.backend, {n, n, n}, {})),
                        3 * dense_bytes<float>({n, n, n})};
  require_memory(ranks, device, {need}, "bench gaussians", "choose a smaller --points");
  // ms: time of the sum. 10^9/s: terms in a second. differs: largest difference from the field of a
  // run.
  std::cout << fmt::format("{}\n500 Gaussians, {} points, float32\n{:<10} {:>10} {:>9} {:>8}  {}\n",
                           bench_heading(ranks, device), format_grid({n, n, n}), "memory", "ms",
                           "10^9/s", "differs", "where the terms are");
  Queue queue(device.backend, device.number);
  Json all{{"device", device.info.name}};
  all.update(measure(ranks, queue, n, options.batches));
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm::app
