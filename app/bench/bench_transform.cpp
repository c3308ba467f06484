#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/bench/bench.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/studies/study_field.hpp"
#include "app/machine/copy_rate.hpp"
#include "app/machine/memory_limits.hpp"
#include "app/machine/tuning/unit_problem.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/faces/faces.hpp"
#include "kernels/transforms/separable_solve.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

/// The lines of a grid along each axis.
struct Lines {
  AxisEnds ends = AxisEnds::dirichlet;
  PerAxis<std::int64_t> intervals{};  ///< 0 for an axis of one point
  Extent3 extent{1, 1, 1};            ///< numbers of unknown points
};

/// Returns the lines between faces of this kind. @throws InputError  if a line has no unknown point
Lines lines_of(Extent3 grid, BoundaryKind boundary) {
  Lines lines;
  lines.ends = boundary == BoundaryKind::periodic  ? AxisEnds::periodic
               : boundary == BoundaryKind::neumann ? AxisEnds::neumann
                                                   : AxisEnds::dirichlet;
  for (int axis = 0; axis < 3; ++axis) {
    if (grid[axis] == 1) continue;
    lines.intervals[axis] = lines.ends == AxisEnds::periodic ? grid[axis] : grid[axis] - 1;
    lines.extent[axis] = unknown_points(lines.ends, lines.intervals[axis]);
    if (lines.extent[axis] < 1) throw without_unknowns(grid, axis);
  }
  return lines;
}

/// The kinds of transforms. Tridiagonal systems take the place of one of them.
enum class Kind { fft, dense, tridiagonal };

/// Returns the name of a kind, as --kind has it.
std::string_view name(Kind kind) {
  return kind == Kind::fft     ? FftTransform<double>::name()
         : kind == Kind::dense ? DenseTransform<double>::name()
                               : TridiagonalSolve<double>::name();
}

/// Returns true if an axis has this kind of transform.
bool has_transform(Backend backend, Lines const& lines, int axis, Kind kind) {
  if (lines.intervals[axis] == 0) return false;
  if (kind == Kind::fft) {
    return FftTransform<double>::supports(backend, lines.ends, lines.intervals[axis]);
  }
  if (kind == Kind::dense) return lines.extent[axis] <= max_dense_points;
  return lines.ends != AxisEnds::periodic && lines.extent[axis] <= max_tridiagonal_points;
}

/// Returns the kinds to measure on an axis.
std::vector<Kind> kinds_of(Backend backend, Lines const& lines, int axis,
                           TransformBenchOptions const& bench) {
  std::vector<Kind> kinds;
  for (Kind const kind : {Kind::fft, Kind::dense, Kind::tridiagonal}) {
    bool const is_wanted = bench.kind == "all" || bench.kind == name(kind);
    if (is_wanted && has_transform(backend, lines, axis, kind)) kinds.push_back(kind);
  }
  return kinds;
}

/// The speed of a pass, or of a whole solution.
struct Row {
  Precision precision = Precision::float64;
  std::string axis{};  ///< "x", or "all" for a solution
  std::string kind{};
  std::string task{};
  double seconds = 0.0;
  double bytes_per_second = 0.0;  ///< read and written
  double share_of_copy = 0.0;
};

/// Prints one row.
void print(Row const& row) {
  std::cout << fmt::format("{:<8} {:<4} {:<21} {:<9} {:>11.4f} {:>9.1f} {:>7.3f}",
                           name(row.precision), row.axis, row.kind, row.task, row.seconds * 1e3,
                           row.bytes_per_second * 1e-9, row.share_of_copy)
            << std::endl;
}

/// Returns one row as JSON.
Json to_json(Row const& row) {
  return {{"precision", name(row.precision)},
          {"axis", row.axis},
          {"kind", row.kind},
          {"task", row.task},
          {"ms", row.seconds * 1e3},
          {"bytes_per_second", row.bytes_per_second},
          {"share_of_copy", row.share_of_copy}};
}

/// The transforms of one precision. Each rank has fields of its own, with the whole grid.
template <class Real>
class TransformBench {
 public:
  /// Allocates the fields and measures the copy rate. Collective.
  TransformBench(mpi::Communicator const& ranks, Device const& device, Lines const& lines,
                 Batches batches)
      : ranks_(&ranks),
        lines_(lines),
        batches_(batches),
        queue_(device.backend, device.number),
        from_(queue_, lines.extent, Index3{0, 0, 0}),
        to_(queue_, lines.extent, Index3{0, 0, 0}),
        ones_(queue_, {longest(lines), 1, 1}, Index3{0, 0, 0}),
        copy_bytes_per_second_(copy_rate(ranks, queue_, field_bytes())) {
    fill_randomly();
    fill(queue_, ones_.view(), ones_.owned(), Real{1});
  }

  /// Returns an upper bound on the bytes that the object and its transforms allocate.
  static MemoryNeed need(Backend backend, Lines const& lines) {
    std::size_t bytes = 3 * Field<Real>::footprint(backend, lines.extent, {0, 0, 0}) +
                        Field<Real>::footprint(backend, {longest(lines), 1, 1}, {0, 0, 0});
    for (int axis = 0; axis < 3; ++axis) {
      if (has_transform(backend, lines, axis, Kind::fft)) {
        bytes += FftTransform<Real>::footprint(backend, lines.ends, lines.intervals[axis]);
      }
      if (has_transform(backend, lines, axis, Kind::dense)) {
        bytes += DenseTransform<Real>::footprint(backend, static_cast<int>(lines.extent[axis]));
      }
      bytes += TridiagonalSolve<Real>::footprint(backend, lines.extent[axis]);
    }
    return {bytes, FieldLayout(lines.extent, {0, 0, 0}, sizeof(Real)).elements * sizeof(Real)};
  }

  /// Measures the transforms along an axis. Collective.
  std::vector<Row> measure(int axis, Kind kind) {
    SeparableAxis<Real> const along = make(axis, kind);
    return std::visit([&](auto const& transform) { return passes(axis, transform); },
                      along.transform);
  }

  /// Measures a whole solution with the transforms that the method "direct" chooses; none if an
  /// axis has no transform. Collective.
  std::optional<Row> measure_solution() {
    int const tridiagonal = tridiagonal_axis();
    typename SeparableSolve<Real>::Axes axes;
    int varying = 0;
    for (int axis = 0; axis < 3; ++axis) {
      if (lines_.intervals[axis] == 0) continue;
      Kind const kind = axis == tridiagonal    ? Kind::tridiagonal
                        : has(axis, Kind::fft) ? Kind::fft
                                               : Kind::dense;
      if (!has(axis, kind)) return {};
      axes[axis] = make(axis, kind);
      ++varying;
    }
    SeparableSolve<Real> solution(queue_, std::move(axes), 1.0, false);
    return row("all", solution.name(), "solution", 2 * varying - 1,
               [&] { solution(queue_, source(), to_.view(), box()); });
  }

 private:
  static std::int64_t longest(Lines const& lines) {
    return std::max({lines.extent.x, lines.extent.y, lines.extent.z});
  }
  [[nodiscard]] LocalBox box() const { return {{0, 0, 0}, lines_.extent}; }
  [[nodiscard]] FieldView<Real const> source() const { return from_.view(); }
  [[nodiscard]] std::size_t field_bytes() const {
    return static_cast<std::size_t>(box().point_count()) * sizeof(Real);
  }

  [[nodiscard]] bool has(int axis, Kind kind) const {
    return has_transform(queue_.backend(), lines_, axis, kind);
  }
  /// Returns the longest axis without fast transforms, the last one of equal ones; −1 if there is
  /// none, or if it cannot be tridiagonal.
  [[nodiscard]] int tridiagonal_axis() const {
    int found = -1;
    for (int axis = 0; axis < 3; ++axis) {
      if (has(axis, Kind::fft) || !has(axis, Kind::tridiagonal)) continue;
      if (found < 0 || lines_.extent[axis] >= lines_.extent[found]) found = axis;
    }
    return found;
  }

  /// Makes the transform of an axis.
  SeparableAxis<Real> make(int axis, Kind kind) {
    std::int64_t const intervals = lines_.intervals[axis];
    if (kind == Kind::fft) return {FftTransform<Real>(queue_, lines_.ends, intervals)};
    if (kind == Kind::tridiagonal) {
      auto const n = static_cast<std::size_t>(lines_.extent[axis]);
      TridiagonalRows rows{std::vector<double>(n - 1, 1.0), std::vector<double>(n, 0.0),
                           std::vector<double>(n, 1.0)};
      rows.ground.front() = rows.ground.back() = 1.0;
      return {TridiagonalSolve<Real>(queue_, rows)};
    }
    return {DenseTransform<Real>(queue_, closed_form_modes(lines_.ends, intervals))};
  }

  /// Measures the tasks of a transform: three, or one of tridiagonal systems.
  template <class Transform>
  std::vector<Row> passes(int axis, Transform const& transform) {
    std::string const letter(1, "xyz"[axis]);
    Real const* const one = ones_.view().origin;
    Spectrum<Real> const spectrum{one, one, one, Real{1}, false};
    FieldView<Real> const to = to_.view();
    std::vector<Row> rows;
    if constexpr (!std::is_same_v<Transform, TridiagonalSolve<Real>>) {
      rows.push_back(row(letter, transform.name(), "to_modes", 1,
                         [&] { transform.to_modes(queue_, source(), to, box(), axis); }));
      rows.push_back(row(letter, transform.name(), "to_points", 1,
                         [&] { transform.to_points(queue_, source(), to, box(), axis); }));
    }
    rows.push_back(row(letter, transform.name(), "solve", 1,
                       [&] { transform.solve(queue_, source(), to, box(), axis, spectrum); }));
    return rows;
  }

  /// Measures work that reads and writes the field `passes` times.
  template <class Work>
  Row row(std::string const& axis, std::string const& kind, std::string const& task, int passes,
          Work const& work) {
    double const seconds = time_work(*ranks_, queue_, batches_, 1, [&](std::int64_t count) {
      for (std::int64_t n = 0; n < count; ++n) work();
    });
    double const bytes = 2.0 * passes * static_cast<double>(field_bytes());
    double const rate = bytes / seconds * ranks_->size();
    return {precision_of<Real>, axis, kind, task, seconds, rate, rate / copy_bytes_per_second_};
  }

  /// Fills the field with pseudo-random values, since the power of a GPU depends on the values.
  void fill_randomly() {
    FieldLayout const& layout = from_.layout();
    auto const values = random_numbers<Real>(static_cast<std::int64_t>(layout.elements));
    copy_bytes(queue_, from_.view().origin - layout.origin, values.data(),
               values.size() * sizeof(Real));
    queue_.wait();
  }

  mpi::Communicator const* ranks_;
  Lines lines_;
  Batches batches_;
  Queue queue_;
  Field<Real> from_;
  Field<Real> to_;
  Field<Real> ones_;  ///< eigenvalues
  double copy_bytes_per_second_;
};

/// Measures all transforms of one precision and prints their rows. Collective.
template <class Real>
std::vector<Row> measure(mpi::Communicator const& ranks, Device const& device, Lines const& lines,
                         Batches batches, TransformBenchOptions const& bench) {
  TransformBench<Real> transforms(ranks, device, lines, batches);
  std::vector<Row> rows;
  auto const add = [&](Row const& row) {
    if (ranks.is_root()) print(row);
    rows.push_back(row);
  };
  for (int axis = 0; axis < 3; ++axis) {
    for (Kind const kind : kinds_of(device.backend, lines, axis, bench)) {
      for (Row const& row : transforms.measure(axis, kind)) add(row);
    }
  }
  if (auto const solution = transforms.measure_solution()) add(*solution);
  return rows;
}

/// Prints the heading of the table.
///
/// task: a transform to modes, or back to points; solve: both in one pass, with the division by
/// eigenvalues between them. ms: time of a pass. GB/s: what it reads and writes in a second. of
/// copy: relative to a plain copy.
void print_heading(std::string const& devices, TransformBenchOptions const& bench, Extent3 grid) {
  std::cout << fmt::format(
      "{}\ntransforms of lines, {} boundaries, {} points per rank\n"
      "{:<8} {:<4} {:<21} {:<9} {:>11} {:>9} {:>7}\n",
      devices, name(bench.boundary), format_grid(grid), "numbers", "axis", "kind", "task", "ms",
      "GB/s", "of copy");
}

/// @throws InputError  on every rank, if the fields do not fit into memory, or no axis has a
/// transform of the wanted kind
void check(mpi::Communicator const& ranks, Device const& device, Lines const& lines,
           TransformBenchOptions const& bench) {
  for (Precision const precision : bench.precisions) {
    MemoryNeed const need = with_precision(precision, [&]<class Real>(Real) {
      return TransformBench<Real>::need(device.backend, lines);
    });
    require_memory(ranks, device, {need}, "bench transform", "choose a smaller --grid");
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (!kinds_of(device.backend, lines, axis, bench).empty()) return;
  }
  throw InputError("--kind " + bench.kind + ": no axis of --grid has such a transform");
}

}  // namespace

int bench_transform(mpi::Communicator const& ranks, BenchOptions const& options,
                    TransformBenchOptions const& bench) {
  Device const device = choose_device(ranks, options.device);
  Extent3 const grid = cube_unless_given(device, {513, 129}, bench.grid);
  Lines const lines = lines_of(grid, bench.boundary);
  check(ranks, device, lines, bench);
  std::string const devices = bench_heading(ranks, device);
  if (ranks.is_root()) print_heading(devices, bench, grid);
  Json rows = Json::array();
  for (Precision const precision : bench.precisions) {
    auto const measured = with_precision(precision, [&]<class Real>(Real) {
      return measure<Real>(ranks, device, lines, options.batches, bench);
    });
    for (Row const& row : measured) rows.push_back(to_json(row));
  }
  Json const all{{"device", device.info.name},
                 {"ranks", ranks.size()},
                 {"boundary", name(bench.boundary)},
                 {"points", extent_json(grid)},
                 {"rows", rows}};
  write_bench_file(ranks, options, all.dump(2) + "\n");
  return exit_code::done;
}

}  // namespace isotherm::app
