#include "app/bench/measure/output_measurement.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "app/bench/measure/plain_file.hpp"
#include "case/basics/elapsed.hpp"
#include "decomposition/ranks/together.hpp"

namespace isotherm {

namespace {

/// Returns the time of `work` on the slowest rank. All ranks start together.
double seconds_of(mpi::Communicator const& ranks, std::function<void()> const& work) {
  ranks.barrier();
  Elapsed const clock;
  work();
  return ranks.max(clock.seconds());
}

/// Returns the maximum of each part over the ranks.
SnapshotTimes slowest(mpi::Communicator const& ranks, SnapshotTimes const& mine) {
  return {ranks.max(mine.open_s),  ranks.max(mine.checksum_s), ranks.max(mine.pack_s),
          ranks.max(mine.write_s), ranks.max(mine.sync_s),     ranks.max(mine.close_s)};
}

/// Drops a file from the page cache, so it must be read from the disk. Returns the share that
/// remains in memory. The root performs both.
double drop(mpi::Communicator const& ranks, std::filesystem::path const& path) {
  double share = 0.0;
  on_root(ranks, [&] {
    drop_from_memory(path);
    share = share_in_memory(path);
  });
  return ranks.max(share);
}

/// Performs the repetitions, with the same memory for all of them.
class OutputBench {
 public:
  OutputBench(mpi::Communicator const& ranks, Solver& solver, Precision precision,
              std::filesystem::path const& directory, int compression)
      : ranks_(ranks),
        solver_(solver),
        compression_(compression),
        plain_path_(directory / "plain"),
        snapshot_path_(directory / "u_000000.vtkhdf"),
        values_(precision, static_cast<std::size_t>(solver.subdomain().owned().point_count())),
        plain_(ranks, plain_path_, values_.bytes().size()) {
    solver_.read_field(values_.view());
  }

  /// Measures both kinds of files once. @param snapshot_first  alternates between repetitions,
  /// since the order may matter
  OutputMeasurement measure(bool snapshot_first) {
    OutputMeasurement one;
    if (!snapshot_first) measure_plain(one);
    measure_snapshot(one);
    if (snapshot_first) measure_plain(one);
    one.write_share = one.plain_write_s / one.snapshot_s;
    one.read_share = one.plain_read_s / one.resume_s;
    return one;
  }

 private:
  /// Writes, drops, reads and removes the plain file.
  ///
  /// Without dropping the page cache, the read would measure memory instead of the disk. If the
  /// kernel refuses, the share in memory documents that.
  void measure_plain(OutputMeasurement& one) {
    one.plain_write_s = seconds_of(ranks_, [&] { plain_.write(values_.bytes()); });
    one.plain_in_memory = drop(ranks_, plain_path_);
    one.plain_read_s = seconds_of(ranks_, [&] { plain_.read(values_.bytes()); });
    remove(plain_path_);
  }

  /// Writes, drops, reads and removes the snapshot.
  void measure_snapshot(OutputMeasurement& one) {
    one.snapshot_s = seconds_of(ranks_, [&] { write_snapshot(one); });
    one.split = slowest(ranks_, one.split);
    one.copy_s = ranks_.max(one.copy_s);
    on_root(ranks_, [&] {
      one.file_bytes = static_cast<double>(std::filesystem::file_size(snapshot_path_));
    });
    one.snapshot_in_memory = drop(ranks_, snapshot_path_);
    one.resume_s = seconds_of(ranks_, [&] { read_snapshot(); });
    remove(snapshot_path_);
  }

  /// Writes a snapshot in the way of a run's FieldWriter.
  ///
  /// The copy of the field is timed separately: a run waits for it, whereas a background thread can
  /// perform the write.
  void write_snapshot(OutputMeasurement& one) {
    Elapsed const copying;
    solver_.read_field(values_.view());
    one.copy_s = copying.seconds();
    SnapshotInfo info;
    info.version = "bench";
    StorageOptions options;
    options.deflate_level = compression_;
    options.must_be_finite = true;
    std::visit(
        [&](auto values) {
          one.split = isotherm::write_snapshot(ranks_, snapshot_path_, info, solver_.subdomain(),
                                               values.data(), {}, options);
        },
        std::as_const(values_).view());
  }

  /// Reads the snapshot in the way of a resumed run.
  void read_snapshot() {
    std::visit(
        [&](auto values) {
          isotherm::read_snapshot(ranks_, snapshot_path_, solver_.subdomain(), values.data());
        },
        values_.view());
  }

  /// Removes a file on the root.
  void remove(std::filesystem::path const& path) {
    on_root(ranks_, [&] { std::filesystem::remove(path); });
  }

  mpi::Communicator const& ranks_;
  Solver& solver_;
  int compression_;
  std::filesystem::path plain_path_;
  std::filesystem::path snapshot_path_;
  HostValues values_;
  PlainFile plain_;
};

/// Returns the median of a number that `of` extracts from each measurement.
template <class Of>
double median(std::vector<OutputMeasurement> const& all, Of const& of) {
  std::vector<double> values;
  values.reserve(all.size());
  for (OutputMeasurement const& one : all) values.push_back(of(one));
  std::ranges::sort(values);
  std::size_t const middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

}  // namespace

// Medians are taken of each number separately. Ratios are those of single repetitions, hence the
// median of ratios rather than a ratio of medians.
OutputMeasurement measure_output(mpi::Communicator const& ranks, Solver& solver,
                                 Precision precision, std::filesystem::path const& directory,
                                 int compression, int repeat) {
  OutputBench bench(ranks, solver, precision, directory, compression);
  std::vector<OutputMeasurement> all;
  // The order of plain file and snapshot alternates.
  for (int i = 0; i < repeat; ++i) all.push_back(bench.measure(i % 2 == 1));
  OutputMeasurement result = all.front();
  for (double OutputMeasurement::*const part :
       {&OutputMeasurement::plain_write_s, &OutputMeasurement::snapshot_s,
        &OutputMeasurement::copy_s, &OutputMeasurement::write_share,
        &OutputMeasurement::plain_read_s, &OutputMeasurement::resume_s,
        &OutputMeasurement::read_share, &OutputMeasurement::plain_in_memory,
        &OutputMeasurement::snapshot_in_memory}) {
    result.*part = median(all, [&](OutputMeasurement const& one) { return one.*part; });
  }
  for (double SnapshotTimes::*const part :
       {&SnapshotTimes::open_s, &SnapshotTimes::checksum_s, &SnapshotTimes::pack_s,
        &SnapshotTimes::write_s, &SnapshotTimes::sync_s, &SnapshotTimes::close_s}) {
    result.split.*part = median(all, [&](OutputMeasurement const& one) { return one.split.*part; });
  }
  return result;
}

}  // namespace isotherm
