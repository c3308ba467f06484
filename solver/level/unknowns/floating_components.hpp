#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decomposition/field/means.hpp"
#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/level/unknowns/connected_components.hpp"

namespace isotherm {

/// Treats the null space of a steady heterogeneous problem (ConnectedComponents): makes the heat
/// flow into each floating component cancel, and sets the mean of its values.
template <class Real>
class FloatingComponents {
 public:
  /// Finds the components. Collective. All arguments passed by reference must outlive the object.
  FloatingComponents(mpi::Communicator const& ranks, Problem const& problem,
                     Subdomain const& subdomain, Queue& queue);

  /// Returns an upper bound on the bytes that the object allocates, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, Subdomain const& subdomain, Backend backend);

  /// Makes a field of heat flows into the points (finite_volume_source) compatible: subtracts each
  /// component's mean flow per volume. That is rounding, or more if the problem asks for a
  /// projection. Collective; waits.
  /// @param factor  the source that brings a flow of 1 into a volume of 1, in units
  /// @returns  a sentence about what was subtracted if it exceeds rounding, else an empty string
  /// @throws ValueRefusal  on every rank, if the flow does not cancel and must not be projected
  std::string make_compatible(FieldView<Real> inflow, double factor);

  /// Adds a constant to the values of each component, so their volume-weighted mean becomes `mean`.
  /// Does nothing if the problem has given values elsewhere. Collective; waits.
  void set_mean(FieldView<Real> field, double mean);

 private:
  /// Sums over the points of a component and over all ranks.
  struct Sums {
    double signed_sum = 0.0;
    double absolute_sum = 0.0;
    double volume = 0.0;  ///< in units
  };
  /// Returns the volume-weighted mean of the values. @pre  All points belong to one component.
  double mean(FieldView<Real> field);
  /// Returns the sums of the values, each multiplied by its point's volume if `by_volume`.
  /// Collective.
  std::vector<Sums> sums(FieldView<Real const> field, bool by_volume);
  /// Adds values[component] to the values of each component, multiplied by the point's volume if
  /// `by_volume`.
  void add(FieldView<Real> field, std::vector<double> const& values, bool by_volume);
  /// Returns a phrase for messages about a component.
  [[nodiscard]] std::string where(std::size_t component) const;

  /// Calls visit(component, volume, index in the chunk) for the floating points of a chunk.
  template <class Visit>
  void each_floating(LocalBox chunk, Visit const& visit) const;

  mpi::Communicator const* ranks_;
  Problem const* problem_;
  Subdomain const* subdomain_;
  Queue* queue_;
  MediumUnits units_;
  ConnectedComponents components_;  ///< the floating components
  /// True if no value is given anywhere, so the problem's mean determines the solution.
  bool gives_mean_;
  PerAxis<std::vector<double>> widths_;  ///< widths of this rank's volumes, in units
  HostStaging<Real> staging_;
  std::optional<FieldMeter<Real>> meter_{};  ///< only if all volumes are equal
};

}  // namespace isotherm
