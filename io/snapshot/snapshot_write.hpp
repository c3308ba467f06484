#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "io/files/atomic_file.hpp"
#include "io/snapshot/snapshot_info.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

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

/// Writes one VTK HDF file (layout: docs/reference/formats.md). Collective.
///
/// The data go to PATH.tmp, which is synced to the disk and renamed to PATH when it is complete. So
/// PATH is always a complete file. `owned` are this rank's values, dense, x fastest. The function
/// computes info.checksum, info.stored_type, info.can_resume and info.grid from values and options.
///
///     StorageOptions options;
///     options.deflate_level = 4;
///     (void)write_snapshot<double>(ranks, path, info, subdomain, u.data(), {}, options);
///
/// @throws Error  on every rank, if writing fails on any; an older PATH is not touched. OutOfRange
///                on every rank, before anything is written, if rounding to float32 would make a
///                finite value infinite. NotFinite on every rank, if the options ask for it
template <class Real>
SnapshotTimes write_snapshot(mpi::Communicator const& ranks, std::filesystem::path const& path,
                             SnapshotInfo info, Subdomain const& subdomain, Real const* owned,
                             std::vector<ExtraField<Real>> const& extra,
                             StorageOptions const& options);

}  // namespace isotherm
