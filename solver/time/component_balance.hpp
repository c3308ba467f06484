#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/conduction/component_sums.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Keeps the heat balance of each component of a heterogeneous medium in implicit steps.
///
/// A component is a connected component of the unknowns (find_connected_components()). A step
/// solves (σ c V + L) u = b. Heat fluxes between two points of a component cancel in the sum over
/// its rows:
///
///   Σ a u = Σ b,   a = σ c V + conductances to Robin faces and to fixed points
///
/// If σ is small, as in a long step, the operator maps constants on a component almost to zero.
/// Conjugate gradients then find the component's mean with few correct digits, or none. Therefore
/// the mean is set from the balance, which is exact. Conjugate gradients solve for the rest in the
/// space of fields with Σ a u = 0 (deflation, R. A. Nicolaides, 1987).
///
/// Each sum is one pass over the points of the components and one reduction over the ranks.
///
/// Balances are kept for the components that touch no fixed point. If any component is so weakly
/// held that search directions must be deflated, they are kept for all components.
///
/// Usage, in each step:
///
///     balance.begin(field, 1.0 or 0.0);   // Σ b: the part from the field before the step
///     balance.add_inflow(source);         // Σ b: the part from sources
///     balance.restore_balance(field);     // sets the means
template <class Real, int dimension>
class ComponentBalance {
 public:
  /// Finds the components; examines every point if there are fixed or insulated ones. `ranks` and
  /// `queue` must outlive the object. Collective.
  ComponentBalance(mpi::Communicator const& ranks, Problem const& problem,
                   Subdomain const& subdomain, Queue& queue);

  /// Returns the bytes that the object allocates on the device, see Buffer::footprint. Insulated
  /// regions may cut rows of points into pieces; the bound assumes pieces of four points.
  static std::size_t footprint(Problem const& problem, Subdomain const& subdomain, Backend backend);

  /// Returns true if there may be a component that touches no fixed point.
  static bool is_needed(Problem const& problem);

  /// Sets the operator of the following steps, of the same problem. Collective; waits.
  /// @param conductances  of the field's grid; the arrays must outlive the object's use of them
  /// @param shift         σ
  /// @param deflates      true if the caller passes its search directions to deflate()
  void set_operator(Conductances<Real, dimension> const& conductances, double shift, bool deflates);

  /// True if there is any balance to keep. If not, the functions below do nothing.
  [[nodiscard]] bool is_active() const { return active_; }

  /// Begins the balance of a step: Σ σ c V u of the field before it, less `flows` times the heat
  /// that leaves the components in that field. Collective; waits.
  /// @param flows  0 for a backward Euler step, 1 for a Crank–Nicolson step
  /// @pre  The field's ghost layers are filled.
  void begin(FieldView<Real const> field, double flows);
  /// Adds the sums of a field of inflows (a source, per point) to the balance; the field may be
  /// none. Collective; waits.
  void add_inflow(FieldView<Real const> source);
  /// Adds a constant to each component such that the field satisfies the balance. Collective;
  /// waits.
  void restore_balance(DistributedField<Real>& field);
  /// Subtracts a constant from a search direction d on each component such that Σ a d = 0.
  /// Collective; waits.
  void deflate(FieldView<Real> direction);

 private:
  /// Returns the sums of the terms over each component, of all ranks, with the same bits on every
  /// rank.
  std::vector<double> sums(FieldView<Real const> field, ComponentTerms const& terms);
  /// Returns Σ a u over each component.
  /// @param from_zero  the values of fixed points are taken as 0
  std::vector<double> balance_sums(FieldView<Real const> field, bool from_zero);
  /// Enqueues adding a constant to the points of each component.
  void add(FieldView<Real> field, std::vector<double> const& constants);

  mpi::Communicator const* ranks_;
  Queue* queue_;
  LocalBox grid_;               ///< points inside the box; what lies beyond belongs to Robin faces
  std::size_t components_ = 0;  ///< number of components, of all ranks
  std::vector<std::size_t> component_of_part_{};  ///< of each part of points_
  std::optional<ComponentPoints> points_{};

  Conductances<Real, dimension> conductances_{};  ///< these three: see set_operator()
  double shift_ = 0.0;
  bool deflates_ = false;
  bool active_ = false;                  ///< any component's balance is kept
  bool leads_out_ = false;               ///< any component has a Robin face or a fixed neighbour
  std::vector<double> capacity_{};       ///< Σ c V of each component
  std::vector<double> reaction_{};       ///< Σ of the reaction term; empty without any
  std::vector<double> faces_{};          ///< Σ of conductances to Robin faces
  std::vector<double> links_{};          ///< Σ of conductances to fixed points
  std::vector<bool> balance_is_kept_{};  ///< true if the component's balance is kept
  std::vector<double> wanted_{};         ///< Σ b of the step
};

}  // namespace isotherm
