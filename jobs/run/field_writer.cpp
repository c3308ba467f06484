#include "jobs/run/field_writer.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "decomposition/ranks/together.hpp"
#include "io/picture/picture.hpp"
#include "jobs/basics/build_info.hpp"
#include "jobs/basics/text.hpp"
#include "jobs/basics/wording.hpp"
#include "jobs/run/all_finite.hpp"
#include "jobs/run/output_sizes.hpp"
#include "jobs/run/solver_state.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {

namespace {

bool wants_source(Case const& chosen) {
  auto const& fields = chosen.output.fields;
  return std::find(fields.begin(), fields.end(), "source") != fields.end();
}

/// "laplace-classic, iteration 20" or "diffusion-classic, t = 0.001".
std::string picture_title(Case const& chosen, Solver& solver) {
  std::string const title = one_line(chosen.title, 120);
  if (chosen.problem.equation == Equation::diffusion) {
    return fmt::format("{}, t = {:.6g}", title, solver.time_s());
  }
  return fmt::format("{}, iteration {}", title, solver.iteration());
}

std::string out_of_range(OutOfRange const& fault, std::int64_t iteration) {
  return fmt::format(
      "the {} of iteration {} has values up to {}, which float32 cannot hold: leave out "
      "output.precision or set it to \"float64\"",
      fault.field() == "source" ? "source" : "field", iteration, shortest(fault.largest()));
}

std::string not_finite(std::int64_t iteration) {
  return fmt::format(
      "the field is no longer finite: iteration {} holds values that are infinite or not a number",
      iteration);
}

}  // namespace

FieldWriter::FieldWriter(mpi::Communicator const& ranks, Case const& chosen, Solver& solver,
                         RunLog& log)
    : ranks_(ranks), case_(chosen), solver_(solver), log_(log) {
  on_root(ranks_, [&] { files_ = list_snapshots(case_.output.directory, "u"); });
}

void FieldWriter::write_snapshot(bool checkpoint_due) {
  write(Role::snapshot, checkpoint_due ? whole() : reduced());
}

void FieldWriter::write_checkpoint() {
  write(replaces_snapshot() ? Role::snapshot : Role::checkpoint, whole());
}

void FieldWriter::write_final() { write(Role::snapshot, whole()); }

void FieldWriter::write_picture(std::string const& name) {
  if (!case_.output.picture) {
    return;
  }
  Stopwatch const watch(seconds_);
  PictureFormat const format = *case_.output.picture;
  PictureOptions const options{picture_title(case_, solver_), "u", format, case_.output.contours};
  auto const file = case_.output.directory / (name + '.' + isotherm::name(format));
  read_field();
  std::visit(
      [&](auto values) {
        isotherm::write_picture(ranks_, file, solver_.subdomain(), values.data(), options);
      },
      std::as_const(values_).view());
}

void FieldWriter::write(Role role, StorageOptions const& options) {
  Stopwatch const watch(seconds_);
  SnapshotInfo const info = describe(role);
  auto const path = snapshot_path(case_.output.directory, info.field, info.iteration);
  read_field();
  if (options.cut) require_finite();  // also what is not written
  if (wants_source(case_)) read_source();
  try {
    std::visit(
        [&]<class Real>(std::span<Real const> values) {
          std::vector<ExtraField<Real>> extra;
          if (!source_.empty()) extra.push_back({"source", span_of<Real>(source_.view()).data()});
          isotherm::write_snapshot(ranks_, path, info, solver_.subdomain(), values.data(), extra,
                                   options);
        },
        std::as_const(values_).view());
  } catch (OutOfRange const& fault) {  // on every rank
    throw Error(out_of_range(fault, info.iteration), fault.place());
  } catch (NotFinite const& fault) {  // on every rank
    throw Error(not_finite(info.iteration), fault.place());
  }
  on_root(ranks_, [&] { update_series(path); });
}

/// Whether there is a snapshot of this iteration: the file that takes its place has to stay, too.
bool FieldWriter::replaces_snapshot() const {
  std::int64_t const iteration = solver_.iteration();
  bool const found = std::any_of(files_.begin(), files_.end(), [&](SnapshotFile const& file) {
    return file.info.iteration == iteration && !file.info.is_checkpoint;
  });
  return ranks_.any(found);  // the root has the list
}

SnapshotInfo FieldWriter::describe(Role role) {
  SolverState const state = solver_.state();
  SnapshotInfo info;
  info.iteration = state.iteration;
  info.time_s = solver_.time_s();
  info.is_checkpoint = role == Role::checkpoint;
  info.case_text = case_.text;
  info.fingerprint = case_.fingerprint;
  info.state = to_json(state);
  info.version = build_info().version;
  return info;
}

StorageOptions FieldWriter::whole() const {
  StorageOptions options;
  options.deflate_level = case_.output.compression;
  options.must_be_finite = true;
  return options;
}

StorageOptions FieldWriter::reduced() const {
  StorageOptions options = whole();
  options.as_float32 = case_.output.as_float32 && case_.problem.precision == Precision::float64;
  options.cut = case_.output.cut;
  return options;
}

/// Lists what is there after a file was written, then removes checkpoints that are too many; in
/// this order, as a series must not name a file that is missing.
void FieldWriter::update_series(std::filesystem::path const& written) {
  std::erase_if(files_, [&](SnapshotFile const& file) { return file.path == written; });
  // Last, so that it counts as the newest, also where later iterations were there before.
  files_.push_back({written, read_snapshot_info(written)});
  auto const all = std::move(files_);
  files_ = remove_old_checkpoints(all, case_.checkpoint.keep, true);
  isotherm::write_series(case_.output.directory, "u", files_,
                         case_.problem.equation != Equation::diffusion);
  files_ = remove_old_checkpoints(all, case_.checkpoint.keep, false);
  log_.line(fmt::format("wrote {}", written.string()));
}

FieldStatistics FieldWriter::statistics() const { return field_statistics(ranks_, values_.view()); }

/// What breaks down after the last residual, or where none is taken, must not pass for a result,
/// nor take the place of sound checkpoints.
void FieldWriter::require_finite() const {
  require(all_finite(ranks_, values_.view()), not_finite(solver_.iteration()));
}

void FieldWriter::read_field() {
  if (values_.empty()) values_ = host_values();
  solver_.read_field(values_.view());
}

void FieldWriter::read_source() {
  if (source_.empty()) source_ = host_values();
  solver_.read_source(source_.view());
}

HostValues FieldWriter::host_values() const {
  return {case_.problem.precision,
          static_cast<std::size_t>(solver_.subdomain().owned().point_count())};
}

}  // namespace isotherm
