#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "decomposition/field/next_planes.hpp"
#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/exact_sum.hpp"
#include "solver/discretise/flux/heat_content.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/problem/problem.hpp"

// The heat content and the energy of a field, as the discrete equation (finite_volumes.hpp) has
// them:
//
//   heat    Σ V H(u)              over points, with control volumes V and H = c u, or ∫ c du from 0
//                                 to u if the heat capacity c depends on u (HeatContent)
//   energy  ½ Σ g (u − u_next)²   over links, with conductances g, and with u_next = v over the
//                                 points that an electrode of value v holds at its rim
//   flux    Σ g (u − u_next) h    over links along a periodic axis of length h, per volume
//
// They approximate ∫ c u dV and ½ ∫ κ |∇u|² dV. Implicit steps conserve the heat of a medium that
// nothing enters, and the energy of a steady solution without source is half of the sum of (given
// value) · (flow into the box). Insulated points and the links to them do not count. Dirichlet
// faces give values to insulated points, too; of a link between two of them, the open share counts.

namespace isotherm {

/// Measures the heat content and the energy of a field. The values pass through host memory, chunk
/// by chunk. Sums are exact before they are rounded once, so results have the same bits on every
/// rank and for every decomposition.
///
///     EnergyMeter<double> meter(ranks, queue, subdomain, problem);
///     double const joules = meter.energy(u.view());        // κ: a permittivity, u: volts
template <class Real>
class EnergyMeter {
 public:
  /// All arguments passed by reference must outlive the object.
  EnergyMeter(mpi::Communicator const& ranks, Queue& queue, Subdomain const& subdomain,
              Problem const& problem);

  /// Returns the heat content, in units of c · u · length^dimension. Collective; waits.
  [[nodiscard]] double heat(FieldView<Real const> field);
  /// Returns the energy, in units of κ · u² · length^(dimension − 2). Conductivities are evaluated
  /// at all points, and the values of electrodes at the time `time_s`. Collective; waits.
  [[nodiscard]] double energy(FieldView<Real const> field, double time_s = 0.0);

  /// Returns the mean heat flux density −κ ∂u/∂x along a periodic axis, over the whole cell: the
  /// flows through all links along it times their lengths, divided by the volume of the box. If
  /// there are fixed regions, which links do not pass through, it is the flow through the links
  /// across the end of the axis, divided by its area; in a steady field without source both are
  /// equal. In units of κ · u / length. Collective; waits.
  /// @pre  the axis is periodic, and conductivities do not depend on the field
  [[nodiscard]] double mean_flux(FieldView<Real const> field, int axis);

  /// Returns an upper bound on the host memory of a meter, in bytes, without its staging.
  static std::size_t footprint(Subdomain const& subdomain);

 private:
  /// A chunk of points in host memory.
  struct Chunk {
    LocalBox points;  ///< those whose terms are added: whole rows
    LocalBox box;     ///< those whose values were read, dense in values_
  };
  /// Adds the terms of the row of points (·, j, k).
  using AddRow =
      std::function<void(Chunk const& chunk, std::int64_t j, std::int64_t k, ExactSum& sum)>;

  /// Returns this rank's points in chunks. @param reach  1 to read the next rows, too; else 0
  static std::vector<Chunk> chunks_of(Subdomain const& subdomain, std::int64_t reach);
  /// Returns the sum of the terms of all rows of all ranks.
  double total(FieldView<Real const> field, std::int64_t reach, AddRow const& add_row);
  void add_heat(Chunk const& chunk, std::int64_t j, std::int64_t k, ExactSum& sum) const;
  void add_energy(Chunk const& chunk, std::int64_t j, std::int64_t k, ExactSum& sum) const;
  /// Adds the energy between electrodes and the points that they hold at their rims.
  void add_energy_of_rims(Chunk const& chunk, std::int64_t j, std::int64_t k, double time_s,
                          ExactSum& sum) const;
  /// Returns the value at a point of a chunk, or behind the part along `axis`.
  [[nodiscard]] double value(Chunk const& chunk, Index3 local, int axis) const;
  /// What a point is to the medium. The volume of a point outside may have a given value.
  enum class Part : std::uint8_t { inside, outside, given_outside };
  /// Returns the parts of consecutive points along x; empty if all are inside.
  [[nodiscard]] std::vector<Part> parts_of(Index3 first, std::size_t count) const;
  /// Returns the parts of the row of points (·, j, k) and of the point behind it.
  [[nodiscard]] std::vector<Part> parts_of_row(Chunk const& chunk, std::int64_t j,
                                               std::int64_t k) const;
  /// Calls visit(conductance, difference, index) for the links along an axis from the row of points
  /// (·, j, k): the value at the first point less that at the next one, and the global index of the
  /// first point along the axis. @param parts  parts_of_row()
  template <class Visit>
  void for_each_link(Chunk const& chunk, int axis, std::int64_t j, std::int64_t k,
                     std::vector<Part> const& parts, Visit const& visit) const;
  /// Returns the conductance of a link between two points with given values outside of the medium.
  [[nodiscard]] double conductance_outside(int axis, Index3 lower, Index3 upper) const;

  mpi::Communicator const& ranks_;
  Queue& queue_;
  Subdomain subdomain_;
  Problem const& problem_;
  HeatContent content_;
  std::optional<LinkConductivity> links_;
  HostStaging<Real> staging_;
  NextPlanes<Real> next_;
  std::vector<Real> values_{};
};

}  // namespace isotherm
