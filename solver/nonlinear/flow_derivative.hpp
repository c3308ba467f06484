#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "decomposition/field/values_with_halo.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The derivative of the heat flows between points, whose conductances depend on the values at both
/// ends of a link. A link lets q = g(u, u') (u' − u) into its lower point, with the derivatives
///
///   ∂q/∂u' = g + ∂g/∂u' (u' − u),   −∂q/∂u = g − ∂g/∂u (u' − u)
///
/// If κ is one function of u everywhere, they are κ(u') / h and κ(u) / h up to the error of
/// Simpson's rule, so a scaling of the unknowns makes the matrix symmetric. At the surface between
/// two materials, at a contact resistance, and in an anisotropic medium no scaling does. All values
/// are in host memory, in units of the reference problem. Neither copyable nor movable.
class FlowDerivative {
 public:
  /// @param units  of the reference problem; all references must outlive the object
  FlowDerivative(mpi::Communicator const& ranks, Problem const& problem, MediumUnits const& units,
                 Subdomain const& subdomain);

  /// True if no scaling of the unknowns makes the derivative symmetric.
  static bool is_needed(Problem const& problem);
  /// Returns an upper bound on the bytes that it allocates on this rank.
  static std::size_t footprint(Problem const& problem, Subdomain const& subdomain);

  /// Evaluates the derivatives for these values of this rank's points (dense, x fastest) at a time.
  /// @param frozen  leaves out ∂g/∂u, as in Picard's iteration
  /// Collective.
  void set_values(std::vector<double> const& u, double time_s, bool frozen);
  /// Returns the net heat flow into each point for a change of the values; 0 at fixed points.
  /// Collective.
  [[nodiscard]] std::vector<double> flows_of(std::vector<double> const& change) const;
  /// True if this rank's point, by its dense index, is an unknown.
  [[nodiscard]] bool is_unknown(std::size_t point) const { return unknown_[point]; }

 private:
  /// The derivatives of a link's flow; 0 if there is no link.
  struct Slopes {
    double by_upper = 0.0;  ///< ∂q/∂u'
    double by_lower = 0.0;  ///< −∂q/∂u
  };
  /// Returns the box of the lower points of this rank's links along an axis, in local indices.
  [[nodiscard]] LocalBox lower_points(int axis) const;
  /// Returns the point in global indices, wrapped at periodic ends.
  [[nodiscard]] Index3 on_grid(Index3 local) const;
  [[nodiscard]] bool conducts(Index3 lower, Index3 upper) const;
  [[nodiscard]] Slopes slopes_of(int axis, Index3 lower, ValuesOfLink const& values,
                                 bool frozen) const;

  mpi::Communicator const* ranks_;
  Problem const* problem_;
  MediumUnits units_;
  Subdomain const* subdomain_;
  std::optional<LinkConductivity> links_;
  double scale_ = 1.0;                           ///< magnitude of the given values
  std::array<std::vector<Slopes>, 3> slopes_{};  ///< by axis, dense over lower_points()
  std::vector<bool> unknown_{};                  ///< of this rank's points
};

}  // namespace isotherm
