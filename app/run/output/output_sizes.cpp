#include "app/run/output/output_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "app/run/schedule/snapshot_schedule.hpp"
#include "case/basics/existing_part.hpp"
#include "io/picture/picture.hpp"
#include "io/snapshot/layout.hpp"
#include "kernels/core/precision.hpp"

// The estimate simulates the sequence of files. At each moment it counts the files that exist
// together, without the old files that have been removed. A run that fits at its start must also
// fit when it is resumed.

namespace isotherm::app {

namespace {

/// Bytes of a file with `numbers` numbers per point. Coordinates are stored once, or once for each
/// of the file's groups if an axis is graded.
double bytes_of_file(Case const& chosen, GlobalBox points, int numbers, double value_bytes) {
  return numbers * value_bytes * static_cast<double>(points.point_count()) +
         (chosen.problem.grid.is_graded() ? 3.0 : 1.0) *
             static_cast<double>(layout::axes_bytes(points.extent()));
}

/// Number of snapshots still to be written: at the start and during the run. The final field adds
/// one if it is written in a reduced form as well.
std::int64_t snapshots_left(Case const& chosen, std::int64_t from) {
  SnapshotSchedule const schedule(chosen);
  return schedule.count(from, chosen.method.iterations) +
         (from == 0 && schedule.at_start() ? 1 : 0) + (chosen.output.reduces() ? 1 : 0);
}

/// Maximum number of new checkpoints that exist together.
std::int64_t checkpoints_kept(Case const& chosen, std::int64_t from) {
  CheckpointSettings const& settings = chosen.checkpoint;
  std::int64_t const keep = settings.keep;
  // The number of checkpoints that are due by time is not known before the run.
  return settings.every_minutes > 0.0
             ? keep
             : std::min(keep, multiples_between(settings.every, from, chosen.method.iterations));
}

/// Maximum number of whole fields that exist together, if there are no old checkpoints: the
/// checkpoints kept, one being written and, for safety, the final field.
std::int64_t max_whole_files(std::int64_t kept) { return kept == 0 ? 1 : kept + 2; }

/// Bytes of the old checkpoints that are removed by the time `written` new ones exist.
double bytes_gone(std::vector<double> const& old, std::int64_t keep, std::int64_t written) {
  auto const count = static_cast<std::int64_t>(old.size());
  std::int64_t const gone = written == 0 ? 0 : std::clamp(count - (keep - written), {}, count);
  return std::accumulate(old.begin(), old.begin() + gone, 0.0);
}

/// Maximum growth of the disk usage, over all moments at which a file is being written. It is the
/// need for new files minus the old checkpoints that have been removed.
double max_disk_growth(std::vector<double> const& old, std::int64_t keep, std::int64_t kept,
                       double file_bytes) {
  double maximum = 0.0;
  for (std::int64_t written = 0; written <= kept; ++written) {
    double const need = file_bytes * static_cast<double>(max_whole_files(written));
    maximum = std::max(maximum, need - bytes_gone(old, keep, written));
  }
  return maximum;
}

/// Bytes by which old checkpoints reduce the need for whole fields.
double freed_by_checkpoints(Case const& chosen, std::int64_t from, double file_bytes,
                            OldFiles const& old) {
  std::vector<double> checkpoints;
  for (OldFiles::Field const& field : old.fields) {
    if (field.is_checkpoint && field.iteration <= from) {  // later ones are not removed for now
      checkpoints.push_back(field.bytes);
    }
  }
  std::int64_t const kept = checkpoints_kept(chosen, from);
  if (checkpoints.empty()) {
    return 0.0;
  }
  return file_bytes * static_cast<double>(max_whole_files(kept)) -
         max_disk_growth(checkpoints, chosen.checkpoint.keep, kept, file_bytes);
}

/// Bytes of old snapshots that are written again and replaced, one at a time. The largest one is
/// not counted, since the old and the new file exist together for a moment.
double freed_by_snapshots(Case const& chosen, std::int64_t from, double snapshot_bytes,
                          OldFiles const& old) {
  SnapshotSchedule const schedule(chosen);
  double sum = 0.0;
  double largest = 0.0;
  for (OldFiles::Field const& field : old.fields) {
    // Only snapshots of later iterations that are due in this run, too.
    bool const again = !field.is_checkpoint && field.iteration > from &&
                       field.iteration < chosen.method.iterations &&
                       schedule.is_due(field.iteration);
    double const bytes = again ? std::min(field.bytes, snapshot_bytes) : 0.0;
    sum += bytes;
    largest = std::max(largest, bytes);
  }
  return sum - largest;
}

/// Number of pictures still to be drawn. The first field has one if it is an initial condition, and
/// the last field always. If pictures are drawn during the run, both fields have another one in
/// that sequence.
std::int64_t pictures_left(Case const& chosen, std::int64_t from) {
  if (!chosen.output.picture) return 0;
  std::int64_t const every = chosen.output.pictures_every(chosen.method.iterations);
  std::int64_t const in_sequence = every > 0 ? 1 : 0;
  bool const has_initial = chosen.problem.equation == Equation::diffusion;
  std::int64_t const first = from == 0 ? (has_initial ? 1 : 0) + in_sequence : 0;
  return first + multiples_between(every, from, chosen.method.iterations) + 1 + in_sequence;
}

}  // namespace

OutputSizes output_sizes(Case const& chosen, std::int64_t from, OldFiles const& old) {
  // Sizes without compression are upper bounds.
  auto const whole = static_cast<double>(value_bytes(chosen.problem.precision));
  double const stored = chosen.output.as_float32 ? sizeof(float) : whole;
  OutputSizes sizes;
  GlobalBox const all = chosen.problem.grid.box();
  sizes.file_bytes =
      bytes_of_file(chosen, all, chosen.output.values_per_point_of_whole_field(), whole);
  sizes.snapshot_bytes = bytes_of_file(chosen, chosen.output.cut.value_or(all),
                                       chosen.output.values_per_point(), stored);
  sizes.snapshots = snapshots_left(chosen, from);
  sizes.whole_files = max_whole_files(checkpoints_kept(chosen, from));
  sizes.total_bytes = sizes.snapshot_bytes * static_cast<double>(sizes.snapshots) +
                      sizes.file_bytes * static_cast<double>(sizes.whole_files);
  sizes.pictures = pictures_left(chosen, from);
  if (sizes.pictures > 0) {
    PictureLook const& look = chosen.output.look;
    double const drawn = max_picture_bytes(*chosen.output.picture, look);
    // The pictures of a film contain their samples, and the film contains all pictures.
    double const of_film = chosen.output.film.empty() ? 0.0 : drawn;
    double const samples =
        chosen.output.film.empty() ? 0.0 : max_frame_bytes(chosen.problem.grid, look);
    sizes.picture_bytes = drawn + samples;
    sizes.total_bytes += (sizes.picture_bytes + of_film) * static_cast<double>(sizes.pictures);
  }
  // The directory may not exist yet, so its existing part is examined.
  auto const space = std::filesystem::space(existing_part(chosen.output.directory));
  sizes.freed_bytes = old.removed_bytes +
                      freed_by_checkpoints(chosen, from, sizes.file_bytes, old) +
                      freed_by_snapshots(chosen, from, sizes.snapshot_bytes, old);
  sizes.free_bytes = static_cast<double>(space.available) + sizes.freed_bytes;
  return sizes;
}

}  // namespace isotherm::app
