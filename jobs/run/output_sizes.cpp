#include "jobs/run/output_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "io/picture/picture.hpp"
#include "io/snapshot/layout.hpp"
#include "jobs/basics/existing_part.hpp"
#include "jobs/run/snapshot_schedule.hpp"
#include "kernels/core/precision.hpp"

namespace isotherm {

namespace {

/// A file with some fields, of so many numbers a point: their values, and the coordinates of their
/// points, which are there once for each group of the file where an axis is graded.
double bytes_of_file(Case const& chosen, GlobalBox points, int numbers, double value_bytes) {
  return numbers * value_bytes * static_cast<double>(points.point_count()) +
         (chosen.problem.grid.is_graded() ? 3.0 : 1.0) *
             static_cast<double>(layout::axes_bytes(points.extent()));
}

/// Snapshots come at the start of a run, and while it is under way; the final field follows, and
/// is one more where it is written beside the whole one.
std::int64_t snapshots_left(Case const& chosen, std::int64_t from) {
  SnapshotSchedule const schedule(chosen);
  return schedule.count(from, chosen.method.iterations) +
         (from == 0 && schedule.at_start() ? 1 : 0) + (chosen.output.reduces() ? 1 : 0);
}

/// Checkpoints that will be there at once, beside old ones: at most those that are kept.
std::int64_t checkpoints_kept(Case const& chosen, std::int64_t from) {
  CheckpointSettings const& settings = chosen.checkpoint;
  std::int64_t const keep = settings.keep;
  return settings.every_minutes > 0.0
             ? keep
             : std::min(keep, multiples_between(settings.every, from, chosen.method.iterations));
}

/// Whole fields that are there at once, of a run that finds no old checkpoints: the checkpoints
/// kept, one being written and, to be on the safe side, the final field.
std::int64_t most_whole_files(std::int64_t kept) { return kept == 0 ? 1 : kept + 2; }

/// Bytes of the old checkpoints that are gone when `written` new ones are there.
double bytes_gone(std::vector<double> const& old, std::int64_t keep, std::int64_t written) {
  auto const count = static_cast<std::int64_t>(old.size());
  std::int64_t const gone = written == 0 ? 0 : std::clamp(count - (keep - written), {}, count);
  return std::accumulate(old.begin(), old.begin() + gone, 0.0);
}

/// What the old checkpoints leave of the need for whole fields: the most that the disk holds more
/// than at the start, over all moments at which a file is being written.
double need_beside(std::vector<double> const& old, std::int64_t keep, std::int64_t kept,
                   double file_bytes) {
  double most = 0.0;
  for (std::int64_t written = 0; written <= kept; ++written) {
    double const need = file_bytes * static_cast<double>(most_whole_files(written));
    most = std::max(most, need - bytes_gone(old, keep, written));
  }
  return most;
}

double freed_by_checkpoints(Case const& chosen, std::int64_t from, double file_bytes,
                            OldFiles const& old) {
  std::vector<double> checkpoints;
  for (OldFiles::Field const& field : old.fields) {
    if (field.is_checkpoint && field.iteration <= from) {  // later ones stay for now
      checkpoints.push_back(field.bytes);
    }
  }
  std::int64_t const kept = checkpoints_kept(chosen, from);
  if (checkpoints.empty()) {
    return 0.0;
  }
  return file_bytes * static_cast<double>(most_whole_files(kept)) -
         need_beside(checkpoints, chosen.checkpoint.keep, kept, file_bytes);
}

/// Snapshots that are written once more take the place of the old ones, one after the other.
double freed_by_snapshots(Case const& chosen, std::int64_t from, double snapshot_bytes,
                          OldFiles const& old) {
  SnapshotSchedule const schedule(chosen);
  double sum = 0.0;
  double largest = 0.0;
  for (OldFiles::Field const& field : old.fields) {
    bool const again = !field.is_checkpoint && field.iteration > from &&
                       field.iteration < chosen.method.iterations &&
                       schedule.is_due(field.iteration);
    double const bytes = again ? std::min(field.bytes, snapshot_bytes) : 0.0;
    sum += bytes;
    largest = std::max(largest, bytes);
  }
  return sum - largest;
}

/// The first field has a picture if it is an initial condition, and the last one always. If
/// pictures are drawn on the way, these two fields have one in that sequence, too.
std::int64_t pictures_left(Case const& chosen, std::int64_t from) {
  if (!chosen.output.picture) return 0;
  std::int64_t const every = chosen.output.picture_every;
  std::int64_t const in_sequence = every > 0 ? 1 : 0;
  bool const has_initial = chosen.problem.equation == Equation::diffusion;
  std::int64_t const first = from == 0 ? (has_initial ? 1 : 0) + in_sequence : 0;
  return first + multiples_between(every, from, chosen.method.iterations) + 1 + in_sequence;
}

}  // namespace

OutputSizes output_sizes(Case const& chosen, std::int64_t from, OldFiles const& old) {
  auto const whole = static_cast<double>(value_bytes(chosen.problem.precision));
  double const stored = chosen.output.as_float32 ? sizeof(float) : whole;
  OutputSizes sizes;
  GlobalBox const all = chosen.problem.grid.box();
  sizes.file_bytes = bytes_of_file(chosen, all, chosen.output.numbers_a_point_of_whole(), whole);
  sizes.snapshot_bytes = bytes_of_file(chosen, chosen.output.cut.value_or(all),
                                       chosen.output.numbers_a_point(), stored);
  sizes.snapshots = snapshots_left(chosen, from);
  sizes.whole_files = most_whole_files(checkpoints_kept(chosen, from));
  sizes.total_bytes = sizes.snapshot_bytes * static_cast<double>(sizes.snapshots) +
                      sizes.file_bytes * static_cast<double>(sizes.whole_files);
  sizes.pictures = pictures_left(chosen, from);
  if (sizes.pictures > 0) {
    sizes.picture_bytes =
        most_picture_bytes(*chosen.output.picture, chosen.output.look.contours.has_value());
    sizes.total_bytes += sizes.picture_bytes * static_cast<double>(sizes.pictures);
  }
  auto const space = std::filesystem::space(existing_part(chosen.output.directory));
  sizes.freed_bytes = old.removed_bytes +
                      freed_by_checkpoints(chosen, from, sizes.file_bytes, old) +
                      freed_by_snapshots(chosen, from, sizes.snapshot_bytes, old);
  sizes.free_bytes = static_cast<double>(space.available) + sizes.freed_bytes;
  return sizes;
}

}  // namespace isotherm
