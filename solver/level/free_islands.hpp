#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decomposition/field/means.hpp"
#include "decomposition/field/staging.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/discretise/body_units.hpp"
#include "solver/level/free_points.hpp"

namespace isotherm {

/// What a steady problem with a body needs besides where some of its points are free (FreePoints):
/// that what flows into each island cancels, and a mean of its values.
template <class Real>
class FreeIslands {
 public:
  /// All that is passed by reference outlives the object. Collective.
  FreeIslands(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& subdomain,
              Queue& queue);

  /// Bytes that it takes at most, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, Subdomain const& subdomain, Backend backend);

  /// Takes from a field of what flows into each point (body_inflow) what keeps the problem from
  /// having a solution: rounding, and more where the problem says that it is to be projected.
  /// @param factor  the source that would bring 1 to a volume of 1, in units
  /// @returns  what was taken, in a sentence, where it is more than rounding. Collective; waits.
  /// @throws ValueRefusal  on every rank, where it is more and must not be taken
  std::string make_compatible(FieldView<Real> inflow, double factor);

  /// Adds a constant to the values of each island, so that they have this mean, each point counted
  /// by its volume; but not where anything else has a given value. Collective; waits.
  void set_mean(FieldView<Real> field, double mean);

 private:
  /// Of an island, over all ranks.
  struct Sums {
    double signed_sum = 0.0;
    double absolute_sum = 0.0;
    double volume = 0.0;  ///< in units
  };
  /// Where all points are of one island.
  double mean(FieldView<Real> field);
  /// Of the values, as they are or each multiplied by its volume.
  std::vector<Sums> sums(FieldView<Real const> field, bool by_volume);
  /// To the values of each island, `values[island]` at all its points or per volume.
  void add(FieldView<Real> field, std::vector<double> const& values, bool by_volume);
  [[nodiscard]] std::string where(std::size_t island) const;

  /// Calls visit(island, volume, index in the chunk) for the free points of a chunk.
  template <class Visit>
  void each_free(LocalBox chunk, Visit const& visit) const;

  mpi::Communicator const* ranks_;
  Problem const* problem_;
  Subdomain const* subdomain_;
  Queue* queue_;
  BodyUnits units_;
  FreePoints free_;
  bool gives_mean_;
  PerAxis<std::vector<double>> widths_;  ///< of this rank's points, in units
  Staging<Real> staging_;
  std::optional<FieldMeter<Real>> meter_{};  ///< where volumes are alike
};

}  // namespace isotherm
