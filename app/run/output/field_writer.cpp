#include "app/run/output/field_writer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <utility>

#include "app/run/all_finite.hpp"
#include "app/run/output/field_picture.hpp"
#include "app/run/output/output_sizes.hpp"
#include "app/run/resume/solver_state.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/picture/film/film.hpp"
#include "kernels/core/number_text.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/core/timeline/timeline.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/problem/breakdown.hpp"

// Life of a field: write() copies it and passes it to the background thread, where try_writing()
// writes its files. On the main thread, poll() notices that it is done, and conclude() counts it or
// handles its failure. The ranks agree on failures of files, so conclude() takes the same branch on
// all of them.

namespace isotherm::app {

namespace {

/// Returns true if [output] fields includes this field.
bool wants(Case const& chosen, char const* field) {
  auto const& fields = chosen.output.fields;
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

/// Returns the title of a picture: "laplace-classic, iteration 20" or "diffusion-classic, t =
/// 0.001". A steady field that has converged depends on no iteration: "laplace-classic".
std::string picture_title(Case const& chosen, Solver& solver) {
  std::string const title = one_line(chosen.title, 120);
  if (chosen.problem.equation == Equation::diffusion) {
    return title_at_time(title, solver.time_s(), chosen.output.look.time_unit);
  }
  return solver.converged() ? title : fmt::format("{}, iteration {}", title, solver.iteration());
}

/// The message for a value that overflows float32, with advice on which key to change.
std::string out_of_range(OutOfRange const& fault, std::int64_t iteration, Precision precision) {
  return fmt::format(
      "the {} of iteration {} has values up to {}, which exceed the range of float32: {}",
      fault.field() == "u" ? "field" : fault.field(), iteration, six_digits(fault.largest()),
      precision == Precision::float32
          ? fmt::format(R"(leave "{}" out of output.fields or set grid.precision to "float64")",
                        fault.field())
          : R"(leave out output.precision or set it to "float64")");
}

/// The message for a field with values that are infinite or NaN.
std::string not_finite(std::int64_t iteration) {
  return fmt::format(
      "the field is no longer finite: iteration {} has values that are infinite or not a number",
      iteration);
}

/// Returns true if a run can resume from a file with these options.
bool holds_all(StorageOptions const& options) { return !options.cut && !options.as_float32; }

/// Returns a line for the log with the parts of the time that a file took, by the root's clock.
std::string times_line(SnapshotTimes const& times) {
  return fmt::format(
      "{:14}opened in {:.3g} s, checked in {:.3g}, packed in {:.3g}, written in {:.3g}, synced in "
      "{:.3g}, closed in {:.3g}",
      "", times.open_s, times.checksum_s, times.pack_s, times.write_s, times.sync_s, times.close_s);
}

/// Returns the number of threads for writing in the background.
///
/// On the CPU a second thread would occupy a core of the sweeps, which wait for their slowest
/// thread. With a device the main thread only waits, and keeps a core to itself: threads that wait
/// for each other must not wait for a core.
int writing_threads(Backend backend) {
  return backend == Backend::cpu ? 1 : std::max(1, cpu_threads() - 1);
}

}  // namespace

/// Opens the series and, for asynchronous output, allocates the copies and starts the thread.
FieldWriter::FieldWriter(mpi::Communicator const& ranks, Case const& chosen, Solver& solver,
                         RunLog& log, bool in_background, std::filesystem::path const& resumed_from)
    : ranks_(ranks),
      case_(chosen),
      solver_(solver),
      log_(log),
      vectors_(ranks, chosen, solver.subdomain()),
      excluded_(owned_excluded_points(ranks, solver.subdomain(), chosen.problem)),
      series_(chosen) {
  on_root(ranks_, [&] { series_.open(resumed_from); });
  if (!in_background) return;
  // Ranks wait asleep in this communicator: spinning would occupy a core of the solver.
  background_ranks_.emplace(ranks.get(), mpi::WaitStyle::asleep);
  rethrow_on_all_ranks(ranks_, [&] {
    values_ = host_values();
    // Allocates everything now, so a lack of memory is found before the first iteration.
    copy_.emplace(solver_.queue(), values_.bytes().size());
    background_ = std::make_unique<Background>(writing_threads(solver_.queue().backend()));
  });
}

/// The background thread waits for the other ranks, possibly forever if one of them has failed. So
/// the wait here is limited.
OutputCounts FieldWriter::run_fails(std::string const& why) {
  constexpr double max_s = 10.0;
  why_run_fails_ = why;
  // The ranks do not agree on this failure, because the others may have ended.
  if (pending_field_ && background_ && background_->wait(max_s)) {
    pending_field_.reset();
    ++(failure_ ? counts_.failed : counts_.written);
  }
  return counts_;
}

/// background_->busy() can last forever here, since other ranks may no longer take part in writing.
/// Only the whole job can be aborted then.
FieldWriter::~FieldWriter() {
  if (background_ && std::uncaught_exceptions() > 0 && background_->busy()) {
    std::cerr << fmt::format(
                     "isotherm: rank {}: {}; a field that was being written remains incomplete\n",
                     ranks_.rank(), visible(why_run_fails_))
              << std::flush;
    mpi::abort_job(exit_code::failed);
  }
}

void FieldWriter::write_snapshot(bool checkpoint_due) {
  settle();
  write(snapshot_files(checkpoint_due), Place::any);
}

void FieldWriter::write_checkpoint() {
  settle();
  write({checkpoint_file()}, Place::any);
}

void FieldWriter::write_last_checkpoint() {
  settle();
  // After a checkpoint or unreduced snapshot of this iteration nothing is left to write.
  if (whole_at_ != solver_.iteration()) write({checkpoint_file()}, Place::last);
}

void FieldWriter::write_final() {
  settle();
  std::vector<File> files = snapshot_files(true);
  std::ranges::reverse(files);  // the whole field first: the snapshot may replace another file
  write(std::move(files), Place::last);
}

/// @pre [output] picture is set.
std::filesystem::path FieldWriter::picture_path(std::string const& name) const {
  return case_.output.directory / (name + '.' + isotherm::name(*case_.output.picture));
}

/// Reads the field into values_, which is free after settle(), and draws it on the root.
void FieldWriter::write_picture(std::string const& name) {
  if (!case_.output.picture) {
    return;
  }
  settle();  // values_ still belongs to the field being written
  Stopwatch const watch(seconds_);
  TimelineScope const scope("output");
  auto const file = picture_path(name);
  read_field();
  draw_field(ranks_, file, case_, picture_title(case_, solver_), *case_.output.picture,
             solver_.subdomain(), std::as_const(values_).view(), excluded_,
             [this] { series_.require_in_place(); });
}

void FieldWriter::try_picture(std::string const& name) try {
  write_picture(name);
} catch (Breakdown const&) {
  // The field itself is not finite: this is no problem of the picture.
  throw;
} catch (Error const& failure) {  // on every rank, like all failures of files
  log_.warning(std::string("a picture could not be drawn: ") + failure.what());
}

void FieldWriter::try_missing_picture(std::string const& name) {
  if (!case_.output.picture) return;
  // Only the root examines the file system; all ranks follow it.
  std::error_code unknown;
  bool const missing = ranks_.is_root() && !std::filesystem::exists(picture_path(name), unknown);
  if (ranks_.any(missing)) try_picture(name);
}

void FieldWriter::thin_frames(std::int64_t every) {
  if (every == thinned_to_) return;  // since then only multiples were drawn
  thinned_to_ = every;
  try {
    on_root(ranks_, [&] {
      for (auto const& picture : numbered_pictures(case_.output.directory, solver_.iteration())) {
        bool const remains = number_of_picture(picture).value_or(0) % every == 0;
        if (!remains) std::filesystem::remove(picture);
      }
    });
  } catch (std::exception const& failure) {  // on every rank
    log_.warning(std::string("a frame of the film could not be removed: ") + failure.what());
  }
}

void FieldWriter::try_film() {
  if (case_.output.film.empty()) return;
  settle();
  Stopwatch const watch(seconds_);
  TimelineScope const scope("output");
  try {
    on_root(ranks_, [&] {
      auto const& directory = case_.output.directory;
      // Pictures of later iterations belong to an earlier run.
      auto const pictures = numbered_pictures(directory, solver_.iteration());
      (void)write_film(directory / ("film." + case_.output.film), frames_of_pictures(pictures), {},
                       [this] { series_.require_in_place(); });
    });
  } catch (std::exception const& failure) {  // on every rank
    log_.warning(std::string("the film could not be written: ") + failure.what() +
                 "; the pictures remain, and isotherm film joins them");
  }
}

/// An unreduced snapshot can be resumed from, so it needs no separate checkpoint.
std::vector<FieldWriter::File> FieldWriter::snapshot_files(bool checkpoint_due) {
  std::vector<File> files{{describe(Role::snapshot), path(), reduced()}};
  if (checkpoint_due && case_.output.reduces()) files.push_back(checkpoint_file());
  return files;
}

FieldWriter::File FieldWriter::checkpoint_file() {
  // Reduced snapshots and checkpoints have different names, so neither replaces the other.
  if (case_.output.reduces()) {
    return {describe(Role::checkpoint),
            checkpoint_path(case_.output.directory, "u", solver_.iteration()), whole()};
  }
  return {describe(replaces_snapshot() ? Role::snapshot : Role::checkpoint), path(), whole()};
}

std::filesystem::path FieldWriter::path() const {
  return snapshot_path(case_.output.directory, "u", solver_.iteration());
}

void FieldWriter::write(std::vector<File> files, Place place) {
  Stopwatch const watch(seconds_);
  // Source and boundary conditions are read now, at the time of this field.
  if (wants(case_, "source")) read_source();
  if (wants(case_, "material")) evaluate_once(material_, material_number);
  if (wants(case_, "share")) evaluate_once(share_, share_of_point);
  vectors_.set_time(solver_.time_s());
  // The last field is written synchronously: no computation is left to overlap with it.
  bool const in_background = background_ && place != Place::last;
  if (in_background) {
    // Enqueues the copy. The next iterations may change the field as soon as it is done.
    solver_.take_field(*copy_, values_.view());
  } else {
    read_field();
  }
  pending_field_.emplace(PendingField{std::move(files), place});
  if (in_background) {
    background_->start(
        [this] { try_writing(*background_ranks_, [this] { copy_->move_to_host(); }); });
  } else {
    try_writing(ranks_, [] {});
    conclude();
  }
}

/// Writes the current field on the calling thread, and stores the exception if that fails.
/// @param fetch  ensures that the values are in host memory
void FieldWriter::try_writing(mpi::Communicator const& ranks,
                              std::function<void()> const& fetch) try {
  Stopwatch const watch(pending_field_->seconds);
  TimelineScope const scope("output");
  double fetch_s = 0.0;
  {
    Stopwatch const fetching(fetch_s);
    // All ranks learn whether one of them failed, before collective writing begins.
    rethrow_on_all_ranks(ranks, fetch);
  }
  log_.detail(fmt::format("{:14}fetched from the solver in {:.3g} s", "", fetch_s));
  vectors_.make(ranks, std::as_const(values_).view());
  for (File const& file : pending_field_->files) write_file(ranks, file);
} catch (...) {
  failure_ = std::current_exception();
}

/// Writes one file. Steps in an order that keeps the series valid at any time: remove an outdated
/// entry, write the file, add the new entry.
void FieldWriter::write_file(mpi::Communicator const& ranks, File const& file) {
  if (file.options.cut && !all_finite(ranks, std::as_const(values_).view())) {
    throw NotFinite(file.info.field);  // also if only points outside the cut are not finite
  }
  // The series drops the entry of a file that is about to change its layout; restore_entry()
  // restores it.
  std::vector<SnapshotFile> const before = series_.files();
  on_root(ranks,
          [&] { series_.drop_outdated_entry(file.path, points_in(file), stored_type(file)); });
  SnapshotTimes times;
  try {
    times = write_values(ranks, file);
  } catch (...) {
    if (ranks.is_root()) series_.restore_entry(before, file.path);
    throw;
  }
  on_root(ranks, [&] { add_to_series(file.path); });
  log_.detail(times_line(times));
}

Extent3 FieldWriter::points_in(File const& file) const {
  return file.options.cut.value_or(case_.problem.grid.box()).extent();
}

Precision FieldWriter::stored_type(File const& file) const {
  return file.options.as_float32 ? Precision::float32 : case_.problem.precision;
}

/// Writes the field and the additional fields that [output] fields lists. Collective.
SnapshotTimes FieldWriter::write_values(mpi::Communicator const& ranks, File const& file) {
  return std::visit(
      [&]<class Real>(std::span<Real const> values) {
        std::vector<ExtraField<Real>> extra;
        if (!source_.empty()) {
          extra.push_back({"source", span_of<Real const>(std::as_const(source_).view()).data()});
        }
        if (!material_.empty()) {
          extra.push_back(
              {"material", span_of<Real const>(std::as_const(material_).view()).data()});
        }
        if (!share_.empty()) {
          extra.push_back({"share", span_of<Real const>(std::as_const(share_).view()).data()});
        }
        // A checkpoint in addition to a snapshot is not for viewing, so it has no vector fields.
        if (!case_.output.reduces() || !holds_all(file.options)) vectors_.append_to(extra);
        return isotherm::write_snapshot(ranks, file.path, file.info, solver_.subdomain(),
                                        values.data(), extra, file.options);
      },
      std::as_const(values_).view());
}

/// Collective: a field is finished when all ranks have written their parts.
void FieldWriter::poll() {
  if (!pending_field_) return;
  // Finishes only if all ranks are done. If this rank failed while the others hang, its exception
  // ends the run after a while.
  bool const mine = background_->busy();
  if (!ranks_.any(mine)) return conclude();
  if (!mine && failed_here_alone()) std::rethrow_exception(failure_);
}

/// Returns true if only this rank failed, and long enough ago that the others, which are still
/// working, apparently do not know.
bool FieldWriter::failed_here_alone() {
  constexpr double max_s = 120.0;  // removing the remains of a file may take long
  if (!failure_) return false;
  if (!since_own_failure_) since_own_failure_.emplace();
  return since_own_failure_->seconds() > max_s;
}

/// Waits until no field is being written. Polls, since poll() is collective and the thread may fail
/// alone.
void FieldWriter::settle() {
  constexpr double look_every_s = 0.002;
  Stopwatch const watch(seconds_);
  while (pending_field_) {
    (void)background_->wait(look_every_s);
    poll();
  }
}

/// All ranks are here with the same failure, or all without one.
void FieldWriter::conclude() {
  PendingField const field = *std::exchange(pending_field_, std::nullopt);
  longest_write_s_ = std::max(longest_write_s_, field.seconds);
  counts_.write_s += field.seconds;
  since_own_failure_.reset();
  auto const failure = std::exchange(failure_, nullptr);
  std::int64_t const iteration = field.files.front().info.iteration;
  ++(failure ? counts_.failed : counts_.written);
  if (!failure) {
    if (std::ranges::any_of(field.files, [](File const& file) { return holds_all(file.options); }))
      whole_at_ = iteration;
    return;
  }
  try {
    std::rethrow_exception(failure);
  } catch (OutOfRange const& fault) {  // on every rank, like all failures of files
    throw Error(out_of_range(fault, iteration, case_.problem.precision), fault.place());
  } catch (NotFinite const& fault) {
    throw Breakdown(not_finite(iteration), fault.place());
  } catch (std::exception const& fault) {
    // A snapshot or checkpoint may fail; the run continues. The final field must not.
    if (field.place == Place::last) throw;
    report_write_failure(field, fault);
  }
}

/// Reports a failure that does not end the run.
void FieldWriter::report_write_failure(PendingField const& field, std::exception const& failure) {
  log_.warning(
      fmt::format("the field of iteration {} could not be written: {}; the run continues and will "
                  "write the next field",
                  field.files.front().info.iteration, failure.what()));
}

void FieldWriter::skip_checkpoint() {
  ++counts_.skipped;
  log_.line(fmt::format(
      "skipped the checkpoint of iteration {}: the one of iteration {} is still being written",
      solver_.iteration(), pending_field_ ? pending_field_->files.front().info.iteration : 0));
}

/// Returns true if a snapshot of this iteration exists. The file that replaces it must be kept,
/// too.
bool FieldWriter::replaces_snapshot() const {
  bool const found = series_.has_snapshot_of(solver_.iteration());
  return ranks_.any(found);  // the root has the list
}

SnapshotInfo FieldWriter::describe(Role role) {
  SnapshotInfo info = describe_field(case_, solver_);
  info.is_checkpoint = role == Role::checkpoint;
  if (stop_point_) info.state = with_stop_point(info.state, *stop_point_);
  return info;
}

StorageOptions FieldWriter::whole() const {
  StorageOptions options;
  options.deflate_level = case_.output.compression;
  // A file with infinite values or NaN could not be resumed from.
  options.must_be_finite = true;
  // Called before the file gets its final name: the directory may have been replaced while the file
  // was written.
  options.may_replace = [this] { series_.require_in_place(); };
  return options;
}

StorageOptions FieldWriter::reduced() const {
  StorageOptions options = whole();
  options.as_float32 = case_.output.as_float32 && case_.problem.precision == Precision::float64;
  options.cut = case_.output.cut;
  return options;
}

/// Adds a file that was written to the series. If the series cannot be written, the field itself is
/// safe, so only the last one is an error.
void FieldWriter::add_to_series(std::filesystem::path const& written) {
  series_.add(written);
  log_.line(fmt::format("wrote {}", written.string()));
  try {
    series_.update();
  } catch (Error const& failure) {
    if (pending_field_->place == Place::last) throw;
    log_.warning(std::string("could not add the field to the series for ParaView: ") +
                 failure.what() + "; the series will be written with the next field");
  }
}

FieldStatistics FieldWriter::statistics() {
  // After the first write, values_ holds the field that was written last.
  if (values_.empty()) read_field();
  return field_statistics(ranks_, solver_.subdomain(), std::as_const(values_).view(), excluded_);
}

ValueRange FieldWriter::range_at(PointSet const& points) const {
  return range_over(ranks_, solver_.subdomain(), values_.view(), excluded_, points);
}

std::optional<double> FieldWriter::largest_drawn() const {
  Subdomain const& subdomain = solver_.subdomain();
  if (!case_.output.picture || subdomain.grid().dimension == 2) return std::nullopt;
  PictureLook const& look = case_.output.look;
  GlobalBox const window = drawn_points(ranks_, subdomain, look, excluded_);
  return largest_on(ranks_, subdomain, slices_of(subdomain.grid(), look.planes, window),
                    values_.view(), excluded_);
}

void FieldWriter::read_field() {
  if (values_.empty()) values_ = host_values();
  solver_.read_field(values_.view());
}

/// Copies the source into source_, if it is not there or varies in time.
void FieldWriter::read_source() {
  if (!source_.empty() && !varies_in_time(case_.problem)) return;  // a constant source is read once
  if (source_.empty()) source_ = host_values();
  solver_.read_source(source_.view());
}

/// Regions do not vary in time. The numbers of materials are exact in either precision.
template <class Function>
void FieldWriter::evaluate_once(HostValues& field, Function const& function) {
  if (!field.empty()) return;
  // Regions may read files, which can fail on one rank alone.
  rethrow_on_all_ranks(ranks_, [&] {
    HostValues numbers = host_values();
    Subdomain const& subdomain = solver_.subdomain();
    PointFunction const number([&](Index3 local) {
      return static_cast<double>(function(case_.problem, subdomain.to_global(local)));
    });
    std::visit([&](auto values) { (void)evaluate_dense(subdomain.owned(), number, values.data()); },
               numbers.view());
    field = std::move(numbers);
  });
}

HostValues FieldWriter::host_values() const {
  return {case_.problem.precision,
          static_cast<std::size_t>(solver_.subdomain().owned().point_count())};
}

}  // namespace isotherm::app
