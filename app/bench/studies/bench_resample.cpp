#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/run_measurement.hpp"
#include "app/bench/studies/studies.hpp"
#include "app/bench/studies/study_field.hpp"
#include "app/machine/copy_rate.hpp"
#include "app/machine/memory_limits.hpp"
#include "case/basics/exit_code.hpp"
#include "decomposition/field/regrid/resampling.hpp"
#include "kernels/memories/texture_sampling.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

/// A way of interpolating.
struct Interpolation {
  std::string name;
  std::string description;
  Curve curve;
  bool by_texture = false;
};

/// Returns the ways that a backend has.
std::vector<Interpolation> interpolations(Backend backend) {
  std::vector<Interpolation> all{
      {"nearest", "the nearest point", Curve::nearest},
      {"linear", "polynomials of degree 1, in float64", Curve::linear},
      {"cubic", "polynomials of degree 3, in float64", Curve::cubic},
      {"spline", "cubic splines, with their coefficients, in float64", Curve::spline}};
  if (backend == Backend::cuda) {
    all.push_back({"texture nearest", "the nearest point by texture units", Curve::nearest, true});
    all.push_back({"texture linear", "texture units, weights of 9 bits", Curve::linear, true});
  }
  return all;
}

/// The result of one way.
struct Row {
  Interpolation way{};
  double seconds = 0.0;
  double points_per_second = 0.0;
  double share_of_copy = 0.0;
  /// Largest difference from the same interpolation in float64, relative to the range; none for
  /// these themselves.
  std::optional<double> error{};
};

/// What all measurements share: a field on a cube that is rotated by 30 degrees and shifted.
struct Study {
  mpi::Communicator const& ranks;
  Queue& queue;
  Grid grid;
  Motion motion;
  Batches batches;
  double copy_bytes_per_s;
  Field<float> from;
  Field<float> to;

  /// Returns the interpolation by a curve.
  [[nodiscard]] Resampling plan(Curve curve) const {
    return plan_resampling(grid, grid, curve, EdgeMode::clamp, motion);
  }
  /// Returns the field as interpolated in float64.
  std::vector<float> exact(Curve curve) {
    resample_box<float>(queue, plan(curve), grid.box(), std::as_const(from).view(), to.view());
    return values_of(queue, to);
  }
};

/// Times one way.
double seconds_of(Study& study, Interpolation const& way) {
  Resampling plan = study.plan(way.curve);
  auto const time = [&](auto const& enqueue) {
    return time_work(study.ranks, study.queue, study.batches, 1, [&](std::int64_t count) {
      for (std::int64_t n = 0; n < count; ++n) enqueue();
    });
  };
  auto const from = std::as_const(study.from).view();
  if (!way.by_texture) {
    return time(
        [&] { resample_box<float>(study.queue, plan, study.grid.box(), from, study.to.view()); });
  }
  // The field is copied to the texture once, before the clock starts.
  TextureSampler const sampler(
      study.queue, from, plan.between,
      way.curve == Curve::nearest ? TextureFilter::nearest : TextureFilter::linear);
  double const seconds =
      time([&] { sampler.sample(study.to.view(), study.to.owned(), plan.place); });
  study.queue.wait();  // before the texture is freed
  return seconds;
}

/// Measures one way.
Row measure(Study& study, Interpolation const& way) {
  Row row{way};
  row.seconds = seconds_of(study, way);
  auto const points = static_cast<double>(study.grid.point_count());
  row.points_per_second = points / row.seconds;
  row.share_of_copy = row.points_per_second * 2.0 * sizeof(float) / study.copy_bytes_per_s;
  if (way.by_texture) {
    std::vector<float> const found = values_of(study.queue, study.to);
    row.error = differences(found, study.exact(way.curve)).largest;  // the range is 1
  }
  return row;
}

/// Prints one row.
void print(Row const& row) {
  std::cout << fmt::format("{:<16} {:>10.4f} {:>9.2f} {:>8.3f} {:>9}  {}", row.way.name,
                           row.seconds * 1e3, row.points_per_second * 1e-9, row.share_of_copy,
                           row.error ? fmt::format("{:.1e}", *row.error) : "-", row.way.description)
            << std::endl;
}

/// Returns one row as JSON.
Json to_json(Row const& row) {
  return {{"interpolation", row.way.name},
          {"description", row.way.description},
          {"ms", row.seconds * 1e3},
          {"points_per_second", row.points_per_second},
          {"share_of_copy", row.share_of_copy},
          {"largest_error", row.error ? Json(*row.error) : Json()}};
}

/// Prints the heading of the table.
///
/// ms: time of an interpolation. GPoint/s: points in a second. of copy: relative to what a copy
/// reads and writes. error: largest difference from the same interpolation in float64, relative to
/// the range of the random field.
void print_heading(std::string const& devices, Grid const& grid) {
  std::cout << fmt::format(
      "{}\n{} points, float32, rotated by 30 degrees and shifted\n{:<16} {:>10} {:>9} {:>8} {:>9}  "
      "{}\n",
      devices, format_grid(grid.points), "interpolation", "ms", "GPoint/s", "of copy", "error",
      "how");
}

}  // namespace

int bench_resample(mpi::Communicator const& ranks, BenchOptions const& options,
                   ResampleBenchOptions const& resample) {
  require_one_rank(ranks, "bench resample");
  Device const device = choose_device(ranks, options.device);
  std::int64_t const n = resample.points > 0               ? resample.points
                         : device.backend == Backend::cuda ? 257
                                                           : 65;
  Grid const grid = make_grid(3, {n, n, n}, {0, 0, 0}, {1, 1, 1}, {});
  Motion const motion{{0.3 / static_cast<double>(n), 0.0, 0.2 / static_cast<double>(n)}, 30.0};
  Resampling const spline = plan_resampling(grid, grid, Curve::spline, EdgeMode::clamp, motion);
  std::size_t const fields =
      product_of_bytes(2, Field<float>::footprint(device.backend, grid.points, {}));
  MemoryNeed const need{sum_of_bytes(sum_of_bytes(fields, Texture::footprint(grid.points)),
                                     resampling_footprint(device.backend, spline, grid.box())),
                        3 * dense_bytes<float>(grid.points)};
  require_memory(ranks, device, {need}, "bench resample", "choose a smaller --points");
  Queue queue(device.backend, device.number);
  Study study{ranks,
              queue,
              grid,
              motion,
              options.batches,
              copy_rate(ranks, queue, dense_bytes<float>(grid.points)),
              random_study_field(queue, grid.points, {}),
              Field<float>(queue, grid.points, {})};
  print_heading(bench_heading(ranks, device), grid);
  Json rows = Json::array();
  for (Interpolation const& way : interpolations(device.backend)) {
    Row const row = measure(study, way);
    print(row);
    rows.push_back(to_json(row));
  }
  Json const all{
      {"device", device.info.name}, {"points", extent_json(grid.points)}, {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm::app
