#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "io/files/atomic_file.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"

/// Snapshot files: writing, reading, verifying and listing the fields of a run.
///
/// There is one file format, VTK HDF: an HDF5 file whose group /VTKHDF is readable by ParaView. A
/// second group, /isotherm, holds everything that a run needs to resume (docs/formats.md).
/// Snapshots and checkpoints are the same kind of file. All ranks write one file, and any number of
/// ranks can read it.
///
/// The values are protected by checksums that do not depend on the decomposition. Each value
/// contributes h(i, b), where i is its place in the file and b are its bits. A checksum is the sum
/// of these contributions modulo 2^64, so ranks and threads sum their shares independently.
///
///   write_snapshot(ranks, "u_000500.vtkhdf", info, subdomain, owned, {}, StorageOptions{});
///   SnapshotInfo const found = read_snapshot_info("u_000500.vtkhdf");  // serial, no values
///   read_snapshot<double>(ranks, "u_000500.vtkhdf", subdomain, owned);  // throws if damaged

namespace isotherm {

/// The description of a snapshot file: everything that the file holds except the values.
struct SnapshotInfo {
  std::string field = "u";
  Grid grid{};  ///< of the values in the file; a cut has a grid of its own
  Precision stored_type = Precision::float64;
  std::int64_t iteration = 0;
  double time_s = 0.0;
  bool is_checkpoint = false;          ///< true if the rule [checkpoint] keep may remove the file
  bool can_resume = true;              ///< false for a cut or a float32 copy of a float64 field
  std::string reason_not_resumable{};  ///< one clause; empty if can_resume is true
  std::string case_text{};             ///< the case as it was run (TOML)
  std::string fingerprint{};   ///< JSON object: the keys of the case that must agree to resume
  std::string state{};         ///< JSON object: SolverState
  std::string version{};       ///< of the isotherm that wrote the file
  std::int64_t format = 1;     ///< of the file, see layout::format
  std::uint64_t checksum = 0;  ///< of all values of `field`, see field_checksum()
  bool has_block_checksums = false;  ///< of all fields; files of isotherm 0.1 have only `checksum`
  std::vector<std::string> extra_fields{};   ///< names of further scalar fields in the file
  std::vector<std::string> vector_fields{};  ///< names of vector fields, sorted by their bytes
};

/// How the values of a snapshot are stored.
struct StorageOptions {
  int deflate_level = 0;           ///< 0: not compressed; 1 to 9: zlib's level
  bool as_float32 = false;         ///< store float64 values as float32
  std::optional<GlobalBox> cut{};  ///< store only these points of the grid
  bool must_be_finite = false;     ///< throw NotFinite instead of replacing an older file
  MayReplace may_replace{};        ///< called by the root when all data are on the disk
};

/// Returns the checksum of a whole field: Σ over points of a 64-bit mix of (global index, bits of
/// the value), modulo 2^64. Addition commutes, so the checksum is the same for every decomposition.
/// Each rank mixes the values that it owns, and the sum over the ranks follows. Collective.
template <class Real>
std::uint64_t field_checksum(mpi::Communicator const& ranks, Subdomain const& subdomain,
                             Real const* owned);

/// A further field to be written to the same file. Resuming does not need it.
template <class Real>
struct ExtraField {
  std::string name;
  Real const* owned = nullptr;  ///< this rank's owned points, dense, x fastest
  int components = 1;           ///< 1 for a scalar field, 3 for a vector field (x, y, z adjacent)
};

/// Thrown if finite values of a field become infinite in the type that they are to be stored in.
class OutOfRange : public Error {
 public:
  /// @param largest_magnitude  of the values that do not fit
  OutOfRange(std::string field, double largest_magnitude);
  /// Returns the name of the field.
  [[nodiscard]] std::string const& field() const { return field_; }
  /// Returns the largest magnitude of the values that do not fit.
  [[nodiscard]] double largest() const { return largest_; }

 private:
  std::string field_;
  double largest_;
};

/// Thrown if a field has to be finite, but contains infinities or NaN.
class NotFinite : public Error {
 public:
  explicit NotFinite(std::string const& field);
};

/// Where the time of writing a snapshot went, in seconds by this rank's clock. If threads work in
/// parallel on several things, the elapsed time is divided among these in proportion.
struct SnapshotTimes {
  double open_s = 0.0;      ///< creating the file and reserving its space
  double checksum_s = 0.0;  ///< computing checksums and finding values that cannot be stored
  double pack_s = 0.0;      ///< gathering and compressing chunks, while other chunks are written
  double write_s = 0.0;     ///< passing the values to the system
  double sync_s = 0.0;      ///< waiting until the values are on the disk
  double close_s = 0.0;     ///< writing the description, a check by reading it, renaming
};

/// Writes one VTK HDF file (layout: docs/formats.md). Collective.
///
/// The data go to PATH.tmp, which is synced to the disk and renamed to PATH when it is complete. So
/// PATH is always a complete file. `owned` are this rank's values, dense, x fastest. The function
/// computes info.checksum, info.stored_type, info.can_resume and info.grid from values and options.
/// @throws Error  on every rank, if writing fails on any; an older PATH is not touched. OutOfRange
///                on every rank, before anything is written, if rounding to float32 would make a
///                finite value infinite. NotFinite on every rank, if the options ask for it
template <class Real>
SnapshotTimes write_snapshot(mpi::Communicator const& ranks, std::filesystem::path const& path,
                             SnapshotInfo info, Subdomain const& subdomain, Real const* owned,
                             std::vector<ExtraField<Real>> const& extra,
                             StorageOptions const& options);

/// Returns true if a file claims to be one of isotherm's, that is, if it has the group /isotherm.
/// Serial. @throws InputError  if the file cannot be read
bool is_snapshot(std::filesystem::path const& path);

/// Reads and checks the description of a file: everything except the values. Serial. Sizes are
/// bounded before memory is allocated for them. No data outside the file itself are read.
/// @throws InputError  if PATH is missing, truncated, damaged, or not one of isotherm's; the
///                     message says which
SnapshotInfo read_snapshot_info(std::filesystem::path const& path);

/// Reads this rank's part of the field, on any number of ranks, and compares the checksums of all
/// blocks, and so of all values. Collective.
/// @pre the owned points of all ranks cover the grid once
/// @throws InputError  on every rank, if the values are damaged or of another type or shape, or not
///                     finite in a file that can be resumed
template <class Real>
void read_snapshot(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Subdomain const& subdomain, Real* owned);

/// Reads a box of a field and converts its values to Real; each rank may read another box.
/// Collective.
///
/// Before that, the ranks share the work of reading all values of the field. They compare the
/// checksums and, if a run can resume from the file, check that the values are finite.
/// @param info   as read_snapshot_info returned it
/// @param field  info.field, or one of info.extra_fields
/// @throws InputError  on every rank, if the values are damaged
template <class Real>
void read_snapshot_box(mpi::Communicator const& ranks, std::filesystem::path const& path,
                       SnapshotInfo const& info, std::string const& field, GlobalBox box,
                       Real* values);

/// Reads several boxes, any number on each rank. Their values are stored one box after another in
/// `values`. Otherwise like read_snapshot_box().
template <class Real>
void read_snapshot_boxes(mpi::Communicator const& ranks, std::filesystem::path const& path,
                         SnapshotInfo const& info, std::string const& field,
                         std::span<GlobalBox const> boxes, Real* values);

/// Returns the path of a field's dataset in the file: "/VTKHDF/PointData/u".
std::string dataset_of(SnapshotInfo const& info, std::string const& field);

/// Reads all values in a file, of all fields, and checks them: their checksums, the coordinates of
/// the axes and, if a run may resume from the file, that its field is finite. Serial.
/// @param info  as read_snapshot_info returned it
/// @throws InputError  if they are damaged
void verify_snapshot(std::filesystem::path const& path, SnapshotInfo const& info);

/// Thrown if a dataset has another number of points than the grid.
class OtherShape : public InputError {
 public:
  using InputError::InputError;
};

/// Checks that read_dataset() would accept a dataset. Reads no values. Serial. @throws InputError
void check_dataset(std::filesystem::path const& path, std::string const& dataset, Grid const& grid);

/// Returns the points of a dataset whose shape is (z, y, x), or in 2D (y, x). Reads no values.
/// Serial.
/// @throws InputError  if the dataset is missing, has other axes, holds no real numbers or none at
///                     all, or if its values are not in this file
Extent3 dataset_points(std::filesystem::path const& path, std::string const& dataset,
                       int dimension);

/// Returns the values of a one-dimensional dataset of any HDF5 file and real number type; at most
/// 2^22 values. Serial. @throws InputError  if it is missing, of another shape, or its values are
/// not in this file
std::vector<double> read_list(std::filesystem::path const& path, std::string const& dataset);

/// Reads this rank's part of a dataset of any HDF5 file and converts it to Real. The shape must be
/// (z, y, x), or in 2D also (y, x); any real number type is accepted. Symbolic links within the
/// file are followed. Collective.
/// @throws InputError  on every rank, naming file, dataset and both shapes, if it is missing, of
///                     another shape (OtherShape), or its values are not in this file
template <class Real>
void read_dataset(mpi::Communicator const& ranks, std::filesystem::path const& path,
                  std::string const& dataset, Subdomain const& subdomain, Real* owned);
/// Reads any box of a grid's points, each rank another one; otherwise like the function above.
template <class Real>
void read_dataset(mpi::Communicator const& ranks, std::filesystem::path const& path,
                  std::string const& dataset, Grid const& grid, GlobalBox box, Real* values);

/// The file name extension of snapshots.
inline constexpr std::string_view snapshot_ending = ".vtkhdf";

/// Returns "DIRECTORY/u_000500.vtkhdf": six digits, or more if the iteration needs them.
std::filesystem::path snapshot_path(std::filesystem::path const& directory,
                                    std::string const& field, std::int64_t iteration);

/// Returns "DIRECTORY/u_000500.checkpoint.vtkhdf": the checkpoint of an iteration whose snapshot
/// does not hold the whole field.
std::filesystem::path checkpoint_path(std::filesystem::path const& directory,
                                      std::string const& field, std::int64_t iteration);

/// Returns true for the names that snapshot_path() and checkpoint_path() give: "u_000500.vtkhdf" if
/// `field` is "u". "u_best.vtkhdf" is not one of them: it belongs to the user.
bool is_snapshot_name(std::string_view name, std::string_view field);

/// Returns the paths in a directory that have the name of a snapshot of `field`, the lowest
/// iteration first; none if there is no such directory. @throws InputError  if the directory cannot
/// be listed
std::vector<std::filesystem::path> snapshot_paths(std::filesystem::path const& directory,
                                                  std::string const& field);

/// A snapshot file in a directory, with its description.
struct SnapshotFile {
  std::filesystem::path path;
  SnapshotInfo info;
};

/// A file that has the name of a snapshot, but cannot be read or is no snapshot.
struct RejectedFile {
  std::filesystem::path path;
  std::string reason;  ///< why; includes the name of the file
};

/// Returns all readable snapshots of `field` in `directory`, the lowest iteration first. Files that
/// cannot be read, or are not isotherm's, are skipped. If `rejected` is given, they are appended to
/// it with the reasons. Serial.
std::vector<SnapshotFile> list_snapshots(std::filesystem::path const& directory,
                                         std::string const& field,
                                         std::vector<RejectedFile>* rejected = nullptr);

/// Removes all but the last `keep` checkpoints of the list, and returns the remaining files. Serial
/// (root only).
///
/// Snapshots are never removed. Neither are checkpoints of a later iteration than the last file's:
/// they belong to another continuation from the same field. If `dry_run` is true, nothing is
/// removed. Then the series can first be written without the files that are about to disappear.
std::vector<SnapshotFile> remove_old_checkpoints(std::vector<SnapshotFile> files, int keep,
                                                 bool dry_run);

/// Returns true if two files hold the same fields of one type at the same points. Only such files
/// can be shown as one series.
bool same_kind(SnapshotInfo const& a, SnapshotInfo const& b);

/// Writes FIELD.xmf and FIELD.vtkhdf.series, which open `files` in ParaView as a series in time, or
/// in iterations for a steady problem. Serial.
///
/// A series names the files that exist and are of the same kind as the last snapshot. If there are
/// only checkpoints, the last file determines the kind. Of several files of one time it names the
/// last one. If there are snapshots, FIELD_snapshots.xmf and FIELD_snapshots.vtkhdf.series name
/// only these: checkpoints add frames at irregular times, above all after an interruption. Each
/// file is replaced atomically, after the files that it names are complete.
///
///   auto files = list_snapshots(directory, "u");
///   auto const kept = remove_old_checkpoints(files, keep, true);  // dry run
///   write_series(directory, "u", kept, steady);
///   (void)remove_old_checkpoints(files, keep, false);
/// @param files        in the order in which they were written
/// @param may_replace  called before each of the series is replaced
void write_series(std::filesystem::path const& directory, std::string const& field,
                  std::vector<SnapshotFile> const& files, bool steady,
                  MayReplace const& may_replace = {});

/// Returns the name of the series that has only snapshots, without its extension: "u_snapshots".
std::string name_of_snapshots(std::string const& field);

}  // namespace isotherm
