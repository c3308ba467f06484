#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/bench/bench.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/smooth_measurement.hpp"
#include "app/machine/memory_limits.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"
#include "kernels/filters/smoothing.hpp"

namespace isotherm {

namespace {

using Json = nlohmann::ordered_json;

/// Formats the size of a field.
std::string points_text(SmoothSubject const& subject) {
  return format_extent(subject.points, subject.points.z == 1 ? 2 : 3);
}

/// Returns whether the fields of a subject fit into memory on every rank.
bool fits(mpi::Communicator const& ranks, Device const& device, SmoothSubject const& subject) {
  return fits_on_all(ranks, device, {subject.device_bytes(device.backend), subject.host_bytes()});
}

/// The result of one plan on one subject.
struct Row {
  SmoothSubject subject;
  SmoothMeasurement measured;
  double copy_seconds;
  int ranks;

  /// Returns the memory traffic of all ranks that a time corresponds to.
  [[nodiscard]] double bytes_per_second(double seconds) const {
    return ranks * subject.bytes() / seconds;
  }
  /// Returns the speed relative to plain copies.
  [[nodiscard]] double share() const { return copy_seconds / measured.all_seconds(); }
};

/// Prints the heading of the table.
///
/// - width: standard deviation of the Gaussian in points; weights: length of the stencil
/// - ms x, ms y, ms z: a convolution along each axis; ms: their sum
/// - GB/s: one read and one write of each point per axis
/// - of copy: speed relative to as many plain copies
void print_heading(std::string const& devices) {
  std::cout << fmt::format(
      "{}\n"
      "Smoothing with a Gaussian, one pass per axis. GB/s: one read and one write per pass; of "
      "copy:\nrelative to as many plain copies of the field. The plan with a * is the default.\n"
      "{:<8} {:<18} {:>5} {:>7}  {:<10} {:>10} {:>10} {:>10} {:>10} {:>9} {:>8}\n",
      devices, "numbers", "points", "width", "weights", "plan", "ms x", "ms y", "ms z", "ms",
      "GB/s", "of copy");
}

/// Prints one row.
void print(Row const& row) {
  std::string times;
  std::size_t next = 0;
  for (int axis = 0; axis < 3; ++axis) {
    times += row.subject.points[axis] > 1
                 ? fmt::format(" {:>10.4g}", row.measured.seconds[next++] * 1e3)
                 : fmt::format(" {:>10}", "");
  }
  std::cout << fmt::format("{:<8} {:<18} {:>5} {:>7}  {:<10}{} {:>10.4g} {:>9.1f} {:>8.3f}{}\n",
                           name(row.subject.precision), points_text(row.subject),
                           shortest(row.subject.width), gaussian_weights(row.subject.width).size(),
                           row.measured.plan + (row.measured.is_default ? " *" : ""), times,
                           row.measured.all_seconds() * 1e3,
                           row.bytes_per_second(row.measured.all_seconds()) * 1e-9, row.share(),
                           row.measured.equal ? "" : "  other values!")
            << std::flush;
}

/// Returns one row as JSON.
///
/// `ms_along` has a key for each axis with more than one point. Rates include all ranks.
Json to_json(Row const& row) {
  Json axes = Json::object();
  std::size_t next = 0;
  for (int const axis : row.subject.axes()) {
    axes[std::string(1, "xyz"[axis])] = row.measured.seconds[next++] * 1e3;
  }
  return {{"precision", name(row.subject.precision)},
          {"points", extent_json(row.subject.points)},
          {"width_points", row.subject.width},
          {"weights", gaussian_weights(row.subject.width).size()},
          {"plan", row.measured.plan},
          {"is_default", row.measured.is_default},
          {"ms_along", axes},
          {"ms", row.measured.all_seconds() * 1e3},
          {"bytes_per_second", row.bytes_per_second(row.measured.all_seconds())},
          {"copy_bytes_per_second", row.bytes_per_second(row.copy_seconds)},
          {"share_of_copy", row.share()},
          {"equal_to_first_plan", row.measured.equal}};
}

/// The subjects to measure, and whether the user has chosen their sizes. Only default sizes may be
/// skipped silently if they do not fit.
struct Subjects {
  std::vector<SmoothSubject> all;
  bool asked_for;
};

/// Returns all combinations of precision, size and width.
Subjects subjects_of(SmoothBenchOptions const& smooth) {
  std::vector<Extent3> const grids =
      smooth.points.empty()
          ? std::vector<Extent3>{{512, 512, 1}, {16384, 16384, 1}, {512, 512, 512}}
          : smooth.points;
  Subjects subjects{{}, !smooth.points.empty()};
  for (Precision const precision : smooth.precisions) {
    for (Extent3 const points : grids) {
      for (double const width : smooth.widths) subjects.all.push_back({points, precision, width});
    }
  }
  return subjects;
}

/// @throws InputError  on every rank, if a width is not valid or a requested field does not fit
void check(mpi::Communicator const& ranks, Device const& device, Subjects const& subjects) {
  for (SmoothSubject const& subject : subjects.all) {
    try {
      (void)gaussian_weights(subject.width);
    } catch (InputError const& fault) {
      throw InputError(std::string("--width: ") + fault.what());
    }
    if (subject.axes().empty()) throw InputError("--points 1x1: needs more than one point");
    if (subjects.asked_for && !fits(ranks, device, subject)) {
      throw InputError(fmt::format("--points {} in {} does not fit into memory",
                                   points_text(subject), name(subject.precision)));
    }
  }
}

}  // namespace

// Default sizes that do not fit are skipped with a remark; check() has refused requested ones.
int bench_smooth(mpi::Communicator const& ranks, BenchOptions const& options,
                 SmoothBenchOptions const& smooth) {
  Device const device = choose_device(ranks, options.device);
  Subjects const subjects = subjects_of(smooth);
  check(ranks, device, subjects);
  if (ranks.is_root()) print_heading(bench_heading(ranks, device));
  bool equal = true;
  Json rows = Json::array();
  for (SmoothSubject const& subject : subjects.all) {
    if (!fits(ranks, device, subject)) {
      if (ranks.is_root()) {
        std::cout << fmt::format("{:<8} {:<18} skipped: it does not fit into memory\n",
                                 name(subject.precision), points_text(subject));
      }
      continue;
    }
    auto const measured = measure_smoothing(ranks, device, subject, options.repeat);
    for (SmoothMeasurement const& plan : measured.plans) {
      Row const row{subject, plan, measured.copy_seconds, ranks.size()};
      if (ranks.is_root()) print(row);
      rows.push_back(to_json(row));
      equal = equal && plan.equal;
    }
  }
  Json const all{{"device", device.info.name}, {"ranks", ranks.size()}, {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return equal ? exit_code::done : exit_code::failed;
}

}  // namespace isotherm
