#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

enum class NumberType { float32, float64 };

/// "float32" or "float64".
inline char const* name(NumberType type) {
  return type == NumberType::float32 ? "float32" : "float64";
}

/// What a snapshot file says about itself, beside the values.
struct SnapshotInfo {
  std::string field = "u";
  Grid grid{};  ///< of the values in the file (a cut has its own)
  NumberType stored_type = NumberType::float64;
  std::int64_t iteration = 0;
  double time_s = 0.0;
  bool is_checkpoint = false;          ///< may be removed by [checkpoint] keep
  bool can_resume = true;              ///< false for a cut or a float32 copy of a float64 field
  std::string reason_not_resumable{};  ///< one clause, where can_resume is false
  std::string case_text{};             ///< the case as it was run (TOML)
  std::string fingerprint{};           ///< JSON object: what must agree to resume, key by key
  std::string state{};                 ///< JSON object: SolverState
  std::string version{};               ///< isotherm's version that wrote it
  std::uint64_t checksum = 0;          ///< of all values, see field_checksum
  std::vector<std::string> extra_fields{};  ///< further fields in the file, by name
};

/// How the values are stored.
struct StorageOptions {
  int deflate_level = 0;           ///< 0: not compressed; 1 … 9
  bool as_float32 = false;         ///< store float64 values as float32
  std::optional<GlobalBox> cut{};  ///< store these points only
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
};

/// Writes one VTK HDF file (layout: docs/formats.md), collectively, to PATH.tmp, which is flushed,
/// synced and renamed to PATH when it is whole. `owned`: this rank's values, dense, x fastest.
/// Fills info.checksum, info.stored_type, info.can_resume and info.grid from values and options.
/// @throws Error  on every rank, where writing fails; an older PATH stays as it was
template <class Real>
void write_snapshot(mpi::Communicator const& ranks, std::filesystem::path const& path,
                    SnapshotInfo info, Subdomain const& subdomain, Real const* owned,
                    std::vector<ExtraField<Real>> const& extra, StorageOptions const& options);

/// Reads what a file says about itself, and makes sure that it can be so; serial. Sizes are bounded
/// before memory is taken for them, and nothing is read that is not in the file itself.
/// @throws InputError  where PATH is missing, truncated, damaged, or not one of isotherm's (says
///                     which)
SnapshotInfo read_snapshot_info(std::filesystem::path const& path);

/// Reads this rank's share of the field, collectively, whatever number of ranks wrote it, and
/// checks the checksum over all ranks.
/// @throws InputError  on every rank, where the values are damaged or of another type or shape
template <class Real>
void read_snapshot(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Subdomain const& subdomain, Real* owned);

/// Reads all values that a file holds, whole chunks at a time, and looks whether they are those
/// that were written, and finite where a run may go on from them. Serial.
/// @param info  what read_snapshot_info said about the file
/// @throws InputError  where they are damaged
void verify_snapshot(std::filesystem::path const& path, SnapshotInfo const& info);

/// Looks whether read_dataset would take a dataset; serial, reads no values. @throws InputError
void check_dataset(std::filesystem::path const& path, std::string const& dataset, Grid const& grid);

/// Reads this rank's share of a dataset of any HDF5 file: shape (z, y, x), or (y, x) in 2D, any
/// real number type, converted; by symbolic links that stay in the file, too. Collective.
/// @throws InputError  on every rank, naming file, dataset and both shapes, where it is missing, of
///                     another shape, or its values are not in this file
template <class Real>
void read_dataset(mpi::Communicator const& ranks, std::filesystem::path const& path,
                  std::string const& dataset, Subdomain const& subdomain, Real* owned);

/// "DIRECTORY/u_000500.vtkhdf": six digits, more where the iteration needs them.
std::filesystem::path snapshot_path(std::filesystem::path const& directory,
                                    std::string const& field, std::int64_t iteration);

/// True of the names that snapshot_path() gives: "u_000500.vtkhdf" where `field` is "u", but not
/// "u_best.vtkhdf", which is somebody's.
bool is_snapshot_name(std::string_view name, std::string_view field);

/// A snapshot file of a directory.
struct SnapshotFile {
  std::filesystem::path path;
  SnapshotInfo info;
};

/// One under the name of a snapshot that cannot be read, or is none.
struct RejectedFile {
  std::filesystem::path path;
  std::string reason;  ///< names the file
};

/// All readable snapshots of `field` in `directory` by iteration, oldest first; unreadable and
/// foreign files are left out, and appended to `rejected` if given. Serial.
std::vector<SnapshotFile> list_snapshots(std::filesystem::path const& directory,
                                         std::string const& field,
                                         std::vector<RejectedFile>* rejected = nullptr);

/// Removes all but the last `keep` checkpoints of the list; never a snapshot. The series is to be
/// written without the removed files first: returns what remains when `dry_run`. Serial (root
/// only).
std::vector<SnapshotFile> remove_old_checkpoints(std::vector<SnapshotFile> files, int keep,
                                                 bool dry_run);

/// Writes NAME.xmf and NAME.vtkhdf.series, which open all `files` in ParaView as a series in time
/// (in iterations for a steady problem). Atomically, after the files are in place. Serial.
void write_series(std::filesystem::path const& directory, std::string const& field,
                  std::vector<SnapshotFile> const& files, bool steady);

}  // namespace isotherm
