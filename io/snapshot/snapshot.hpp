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

namespace isotherm {

/// Everything that a snapshot file holds beside the values.
struct SnapshotInfo {
  std::string field = "u";
  Grid grid{};  ///< of the values in the file (a cut has its own)
  Precision stored_type = Precision::float64;
  std::int64_t iteration = 0;
  double time_s = 0.0;
  bool is_checkpoint = false;          ///< may be removed by [checkpoint] keep
  bool can_resume = true;              ///< false for a cut or a float32 copy of a float64 field
  std::string reason_not_resumable{};  ///< one clause, if can_resume is false
  std::string case_text{};             ///< the case as it was run (TOML)
  std::string fingerprint{};           ///< JSON object: what must agree to resume, key by key
  std::string state{};                 ///< JSON object: SolverState
  std::string version{};               ///< of the isotherm that wrote it
  std::int64_t format = 1;             ///< of the file
  std::uint64_t checksum = 0;          ///< of all values, see field_checksum
  bool has_block_checksums = false;    ///< of all fields; older files have the one above only
  std::vector<std::string> extra_fields{};   ///< further fields in the file, by name, of one number
                                             ///< a point
  std::vector<std::string> vector_fields{};  ///< those of vectors, in the order of their bytes
};

/// How the values are stored.
struct StorageOptions {
  int deflate_level = 0;           ///< 0: not compressed; 1 … 9
  bool as_float32 = false;         ///< store float64 values as float32
  std::optional<GlobalBox> cut{};  ///< store these points only
  bool must_be_finite = false;     ///< or no file takes the place of an older one: NotFinite
  MayReplace may_replace{};        ///< asked by the root when all is on the disk
};

/// Σ over points of a 64-bit mix of (global index, bits of the value), modulo 2^64: the same for
/// every decomposition, so it is computed where the values lie and summed over the ranks.
/// Collective.
template <class Real>
std::uint64_t field_checksum(mpi::Communicator const& ranks, Subdomain const& subdomain,
                             Real const* owned);

/// A further field in the same file (not needed to resume), dense, x fastest, owned points.
template <class Real>
struct ExtraField {
  std::string name;
  Real const* owned = nullptr;
  int components = 1;  ///< numbers at each point, beside each other: 1, or 3 of a vector
};

/// Finite values of a field are infinite in the type that they were to be stored in.
class OutOfRange : public Error {
 public:
  /// @param largest_magnitude  of these values
  OutOfRange(std::string field, double largest_magnitude);
  [[nodiscard]] std::string const& field() const { return field_; }
  [[nodiscard]] double largest() const { return largest_; }

 private:
  std::string field_;
  double largest_;
};

/// Values of a field that had to be finite are not.
class NotFinite : public Error {
 public:
  explicit NotFinite(std::string const& field);
};

/// Where the time of writing a snapshot went: seconds by this rank's clock. What several threads do
/// side by side counts by its share of the time that they take together.
struct SnapshotTimes {
  double open_s = 0.0;      ///< creating the file and reserving its space
  double checksum_s = 0.0;  ///< of the values, and looking for those that cannot be stored
  double pack_s = 0.0;      ///< gathering chunks and compressing them, while others are written
  double write_s = 0.0;     ///< handing the values to the system
  double sync_s = 0.0;      ///< until they are on the disk
  double close_s = 0.0;     ///< the description, opening what was written, and renaming it
};

/// Writes one VTK HDF file (layout: docs/formats.md), collectively: to PATH.tmp, which is synced to
/// the disk and renamed to PATH when it is complete. `owned`: this rank's values, dense, x fastest.
/// Computes info.checksum, info.stored_type, info.can_resume and info.grid from values and options.
/// @throws Error  on every rank, if writing fails on any; an older PATH is not touched. OutOfRange
///                on every rank, before anything is written, where rounding to float32 would make
///                a finite value infinite. NotFinite on every rank, where options ask for it
template <class Real>
SnapshotTimes write_snapshot(mpi::Communicator const& ranks, std::filesystem::path const& path,
                             SnapshotInfo info, Subdomain const& subdomain, Real const* owned,
                             std::vector<ExtraField<Real>> const& extra,
                             StorageOptions const& options);

/// Whether a file says that it is one of isotherm's; serial. @throws InputError  if it cannot be
/// read
bool is_snapshot(std::filesystem::path const& path);

/// Reads and checks everything in a file but the values; serial. Sizes are bounded before memory is
/// allocated for them, and nothing is read that is not in the file itself.
/// @throws InputError  if PATH is missing, truncated, damaged, or not one of isotherm's (says
/// which)
SnapshotInfo read_snapshot_info(std::filesystem::path const& path);

/// Reads this rank's part of the field, collectively, on any number of ranks, and compares the
/// checksums of all blocks, and so of all values.
/// @throws InputError  on every rank, if the values are damaged or of another type or shape, or not
///                     finite in a file to resume from
template <class Real>
void read_snapshot(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Subdomain const& subdomain, Real* owned);

/// Reads a box of a field of the file, each rank another one, and converts it; between them the
/// ranks read all values, and make sure that they are those that were written, and finite in a file
/// to resume from. Collective.
/// @param info   as read_snapshot_info returned it
/// @param field  info.field, or one of info.extra_fields
/// @throws InputError  on every rank, if they are not
template <class Real>
void read_snapshot_box(mpi::Communicator const& ranks, std::filesystem::path const& path,
                       SnapshotInfo const& info, std::string const& field, GlobalBox box,
                       Real* values);

/// The same of several boxes, any number on each rank, whose values follow one another.
template <class Real>
void read_snapshot_boxes(mpi::Communicator const& ranks, std::filesystem::path const& path,
                         SnapshotInfo const& info, std::string const& field,
                         std::span<GlobalBox const> boxes, Real* values);

/// Where the values of a field are in the file: "/VTKHDF/PointData/u".
std::string dataset_of(SnapshotInfo const& info, std::string const& field);

/// Reads all values that a file holds, and checks that they are those that were written, and that
/// they are finite if a run may resume from them. Serial.
/// @param info  as read_snapshot_info returned it
/// @throws InputError  if they are damaged
void verify_snapshot(std::filesystem::path const& path, SnapshotInfo const& info);

/// A dataset that holds values of another number of points than are wanted.
class OtherShape : public InputError {
 public:
  using InputError::InputError;
};

/// Checks that read_dataset would accept a dataset; serial, reads no values. @throws InputError
void check_dataset(std::filesystem::path const& path, std::string const& dataset, Grid const& grid);

/// The points of a dataset whose shape is (z, y, x), or in 2D (y, x); serial, reads no values.
/// @throws InputError  if it is missing, has other axes, holds no real numbers or none at all, or
/// its
///                     values are not in this file
Extent3 dataset_points(std::filesystem::path const& path, std::string const& dataset,
                       int dimension);

/// The values of a dataset of one axis, of any HDF5 file and real number type; at most 2^22 of
/// them. Serial. @throws InputError  if it is missing, of another shape, or its values are not in
/// this file
std::vector<double> read_list(std::filesystem::path const& path, std::string const& dataset);

/// Reads this rank's part of a dataset of any HDF5 file and converts it: shape (z, y, x), or (y, x)
/// in 2D, any real number type. Symbolic links within the file are followed. Collective.
/// @throws InputError  on every rank, naming file, dataset and both shapes, if it is missing, of
///                     another shape (OtherShape), or its values are not in this file
template <class Real>
void read_dataset(mpi::Communicator const& ranks, std::filesystem::path const& path,
                  std::string const& dataset, Subdomain const& subdomain, Real* owned);
/// The same of any box of a grid's points, each rank another one.
template <class Real>
void read_dataset(mpi::Communicator const& ranks, std::filesystem::path const& path,
                  std::string const& dataset, Grid const& grid, GlobalBox box, Real* values);

/// How the names of such files end.
inline constexpr std::string_view snapshot_ending = ".vtkhdf";

/// "DIRECTORY/u_000500.vtkhdf": six digits, more where the iteration needs them.
std::filesystem::path snapshot_path(std::filesystem::path const& directory,
                                    std::string const& field, std::int64_t iteration);

/// "DIRECTORY/u_000500.checkpoint.vtkhdf": a checkpoint beside a snapshot that holds less.
std::filesystem::path checkpoint_path(std::filesystem::path const& directory,
                                      std::string const& field, std::int64_t iteration);

/// True of the names that these two give: "u_000500.vtkhdf" where `field` is "u", but not
/// "u_best.vtkhdf", which is somebody's.
bool is_snapshot_name(std::string_view name, std::string_view field);

/// What has the name of a snapshot of `field` in a directory, the lowest iteration first; none
/// where there is no such directory. @throws InputError  where it cannot be listed
std::vector<std::filesystem::path> snapshot_paths(std::filesystem::path const& directory,
                                                  std::string const& field);

/// A snapshot file in a directory.
struct SnapshotFile {
  std::filesystem::path path;
  SnapshotInfo info;
};

/// One under the name of a snapshot that cannot be read, or is none.
struct RejectedFile {
  std::filesystem::path path;
  std::string reason;  ///< names the file
};

/// All readable snapshots of `field` in `directory`, the lowest iteration first. Files that cannot
/// be read, or are not isotherm's, are left out, and the reasons appended to `rejected` if given.
/// Serial.
std::vector<SnapshotFile> list_snapshots(std::filesystem::path const& directory,
                                         std::string const& field,
                                         std::vector<RejectedFile>* rejected = nullptr);

/// Removes all but the last `keep` checkpoints of the list, and never a snapshot, nor a checkpoint
/// of a later iteration than the last file's: of another way on from the same field. Returns what
/// remains; with `dry_run` removes nothing, so that the series can first be written without those
/// files. Serial (root only).
std::vector<SnapshotFile> remove_old_checkpoints(std::vector<SnapshotFile> files, int keep,
                                                 bool dry_run);

/// Whether two files hold values of one type at the same points, of the same fields: what a series
/// has to hold to be shown as one.
bool same_kind(SnapshotInfo const& a, SnapshotInfo const& b);

/// Writes FIELD.xmf and FIELD.vtkhdf.series, which open `files` in ParaView as a series in time (in
/// iterations for a steady problem): those that are there and of the kind of the last one, of
/// snapshots if there are any; of several of one time the last one. If there are snapshots, writes
/// FIELD_snapshots.xmf and so on as well, which name these alone, since checkpoints, after an
/// interruption above all, are frames at odd times. Atomically, after the files are in place.
/// Serial.
/// @param files        in the order in which they were written
/// @param may_replace  asked for each of the series
void write_series(std::filesystem::path const& directory, std::string const& field,
                  std::vector<SnapshotFile> const& files, bool steady,
                  MayReplace const& may_replace = {});

/// The name of the series of snapshots alone, without its ending: "u_snapshots".
std::string name_of_snapshots(std::string const& field);

}  // namespace isotherm
