#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "kernels/core/precision.hpp"

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

/// Returns true if a file claims to be one of isotherm's, that is, if it has the group /isotherm.
/// Serial. @throws InputError  if the file cannot be read
bool is_snapshot(std::filesystem::path const& path);

/// Reads and checks the description of a file: everything except the values. Serial. Sizes are
/// bounded before memory is allocated for them. No data outside the file itself are read.
///
///     SnapshotInfo const info = read_snapshot_info("u_000500.vtkhdf");
///     if (!info.can_resume) report(info.reason_not_resumable);
///
/// @throws InputError  if PATH is missing, truncated, damaged, or not one of isotherm's; the
///                     message names it
SnapshotInfo read_snapshot_info(std::filesystem::path const& path);

/// Returns the path of a field's dataset in the file: "/VTKHDF/PointData/u".
std::string dataset_of(SnapshotInfo const& info, std::string const& field);

}  // namespace isotherm
