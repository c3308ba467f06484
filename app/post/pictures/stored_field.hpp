#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/post/fields/derivation.hpp"
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
/// If the file's points are points of the case's grid, pictures show materials and insulated
/// points. On other grids they do so if the surfaces of all regions are known, such as those of
/// boxes. A field that was moved or projected has none of these. The case is not used if it needs a
/// file that is missing, or functions of a Python program.
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
  /// Sets what the case states about the picture and the medium. Collective.
  void use_problem(mpi::Communicator const& ranks);
  /// Sets the indices of the file's points in the case's grid, if they are points of it.
  bool find_points();
  /// Uses the medium at the points of the case. Collective.
  void use_points(mpi::Communicator const& ranks);
  /// Uses the surfaces of the medium, if they are known. Collective.
  void use_surfaces(mpi::Communicator const& ranks);

  std::filesystem::path path_;
  SnapshotInfo info_;
  Derivation derivation_;
  Subdomain subdomain_;
  std::unique_ptr<Case const> case_{};  ///< null if it is not known
  /// The index of each of the file's points along an axis in the grid of the case.
  PerAxis<std::vector<std::int64_t>> index_in_case_{};
  PictureOptions options_{};
  PointMask excluded_{};
};

}  // namespace isotherm::app
