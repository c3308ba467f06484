#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/bench/bench.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/first_result.hpp"
#include "app/machine/memory_limits.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/gaussians/gaussians.hpp"

namespace isotherm {

namespace {

using Json = nlohmann::ordered_json;

/// The result of one plan.
struct Row {
  Precision precision;
  std::string plan;
  double seconds, terms_per_second;
  bool equal;  ///< the field has the same bits as with the first plan
};

/// Returns Gaussians 0.1 exp(-0.2 r²) in a box of side 20, as in the case gaussians-500 but at
/// other places.
std::vector<GaussianTerm> some_terms(int count) {
  constexpr double side = 20.0;
  constexpr double width = 1.5811388300841898;  // sqrt(2.5)
  std::vector<GaussianTerm> terms;
  for (std::uint64_t n = 0; n < static_cast<std::uint64_t>(count); ++n) {
    auto const coordinate = [&](std::uint64_t axis) {
      return side * (random_value(3 * n + axis) - 0.5);
    };
    terms.push_back({coordinate(0), coordinate(1), coordinate(2), width, 0.1});
  }
  return terms;
}

/// Returns the coordinates of the points: a box of side 20 around the origin.
PointFrame frame_of(Extent3 points) {
  PointFrame frame{};
  for (int axis = 0; axis < 3; ++axis) {
    frame.lower[axis] = -10.0;
    frame.spacing[axis] = 20.0 / static_cast<double>(std::max<std::int64_t>(points[axis] - 1, 1));
  }
  return frame;
}

/// Measures all plans in one precision. The rate counts one term per point and Gaussian, summed
/// over all ranks. The first call of each plan serves the comparison and warms up.
template <class Real>
std::vector<Row> measure(mpi::Communicator const& ranks, Device const& device, int repeat,
                         GaussianBenchOptions const& gaussians) {
  Queue queue(device.backend, device.number);
  int const dimension = gaussians.points.z == 1 ? 2 : 3;
  auto const terms = some_terms(gaussians.count);
  Field<Real> field(queue, gaussians.points, {});
  auto const add = [&](std::string const& plan) {
    add_gaussians<Real>(queue, field.view(), field.owned(), frame_of(gaussians.points), dimension,
                        terms, plan);
  };
  std::vector<Row> rows;
  FirstResult first;
  for (std::string const& plan : gaussian_plans(device.backend)) {
    // Each plan adds to a zero field: results are comparable.
    fill_bytes(queue, memory_of(field), 0, field.bytes());
    add(plan);
    bool const equal = !ranks.any(!first.is_equal_to(queue, field));
    double const seconds = time_work(ranks, queue, repeat, 1, [&](std::int64_t count) {
      for (std::int64_t n = 0; n < count; ++n) add(plan);
    });
    double const terms_in_all =
        static_cast<double>(field.owned().point_count()) * gaussians.count * ranks.size();
    rows.push_back({precision_of<Real>, plan, seconds, terms_in_all / seconds, equal});
  }
  return rows;
}

/// Prints one row.
void print(Row const& row) {
  std::cout << fmt::format("{:<8} {:<10} {:>10.4g} {:>11.2f}{}\n", name(row.precision), row.plan,
                           row.seconds * 1e3, row.terms_per_second * 1e-9,
                           row.equal ? "" : "  other values!")
            << std::flush;
}

/// Returns one row as JSON.
///
/// `gaussians_per_second` counts terms, that is points times Gaussians, on all ranks.
Json to_json(Row const& row) {
  return {{"precision", name(row.precision)},
          {"plan", row.plan},
          {"ms", row.seconds * 1e3},
          {"gaussians_per_second", row.terms_per_second},
          {"equal_to_first_plan", row.equal}};
}

/// @throws InputError  on every rank, if the fields do not fit into memory
void require_memory(mpi::Communicator const& ranks, Device const& device,
                    GaussianBenchOptions const& gaussians, Precision precision) {
  Extent3 const points = gaussians.points;
  bool const fits = with_precision(precision, [&]<class Real>(Real) {
    // The host holds two copies for the comparison. Sums over several batches are in float64.
    std::size_t const on_host = Field<Real>::footprint(Backend::cpu, points, {});
    std::size_t const field = Field<Real>::footprint(device.backend, points, {});
    std::size_t const sums = Field<double>::footprint(device.backend, points, {});
    return fits_on_all(ranks, device, {sum_of_bytes(field, sums), bytes_in_all(2, on_host)});
  });
  if (fits) return;
  throw InputError(fmt::format("--points {} in {} does not fit into memory",
                               format_extent(points, points.z == 1 ? 2 : 3), name(precision)));
}

}  // namespace

// Memory is checked for all precisions before the first measurement.
int bench_gaussians(mpi::Communicator const& ranks, BenchOptions const& options,
                    GaussianBenchOptions const& gaussians) {
  Device const device = choose_device(ranks, options.device);
  for (Precision const precision : gaussians.precisions) {
    require_memory(ranks, device, gaussians, precision);
  }
  if (ranks.is_root()) {
    std::cout << fmt::format(
        "{}\n{} at {} points; Gaussians/s: 10^9 evaluations per second\n"
        "{:<8} {:<10} {:>10} {:>11}\n",
        bench_heading(ranks, device), format_count(gaussians.count, "Gaussian"),
        format_extent(gaussians.points, gaussians.points.z == 1 ? 2 : 3), "numbers", "plan", "ms",
        "Gaussians/s");
  }
  bool equal = true;
  Json rows = Json::array();
  for (Precision const precision : gaussians.precisions) {
    auto const measured = with_precision(precision, [&]<class Real>(Real) {
      return measure<Real>(ranks, device, options.repeat, gaussians);
    });
    for (Row const& row : measured) {
      if (ranks.is_root()) print(row);
      rows.push_back(to_json(row));
      equal = equal && row.equal;
    }
  }
  Json const all{{"device", device.info.name},
                 {"ranks", ranks.size()},
                 {"points", extent_json(gaussians.points)},
                 {"gaussians", gaussians.count},
                 {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return equal ? exit_code::done : exit_code::failed;
}

}  // namespace isotherm
