#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "decomposition/field/point_mask.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "io/picture/picture.hpp"
#include "io/snapshot/snapshot_info.hpp"

/// A field in a file, and what its case states about its points.
///
///   StoredField const field(ranks, "run/u_000500.vtkhdf");
///   std::vector<double> const u = field.values(ranks, {});

namespace isotherm::app {

/// The description of a stored field, this rank's part of it, and the case that produced it.
///
/// The case is used if the file's points are points of the case's grid: then pictures show
/// materials and insulated points. It is not used if it needs a file that is missing, or functions
/// of a Python program.
class StoredField {
 public:
  /// Reads the description. Collective. @throws InputError  on every rank, if it cannot be read
  StoredField(mpi::Communicator const& ranks, std::filesystem::path path);
  StoredField(StoredField const&) = delete;
  StoredField& operator=(StoredField const&) = delete;

  /// Reads the values of this rank's points. Collective.
  /// @param expression  an expression of u, x, y, z and t to use instead of u
  /// @throws InputError  on every rank, if values are damaged or the expression is not finite
  [[nodiscard]] std::vector<double> values(mpi::Communicator const& ranks,
                                           std::optional<std::string> const& expression) const;

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }
  [[nodiscard]] SnapshotInfo const& info() const { return info_; }
  [[nodiscard]] Subdomain const& subdomain() const { return subdomain_; }
  /// Options with the functions of the case, if it is used, and its [output].
  [[nodiscard]] PictureOptions const& options() const { return options_; }
  [[nodiscard]] PointMask const& excluded() const { return excluded_; }
  /// The title of a picture: "warm-plate, t = 0.5". @param with_state  false: "warm-plate" alone
  [[nodiscard]] std::string title(bool with_state = true) const;

 private:
  /// Reads the case. Collective.
  void read_case(mpi::Communicator const& ranks);
  /// Sets the functions that depend on the problem. Collective.
  void use_problem(mpi::Communicator const& ranks);

  std::filesystem::path path_;
  SnapshotInfo info_;
  Subdomain subdomain_;
  std::unique_ptr<Case const> case_{};  ///< null if it is not known
  /// The index of each of the file's points along an axis in the grid of the case.
  PerAxis<std::vector<std::int64_t>> index_in_case_{};
  PictureOptions options_{};
  PointMask excluded_{};
};

}  // namespace isotherm::app
