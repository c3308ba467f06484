#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/distributed_field.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/conduction/island_sums.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Keeps the heat balance of each island of a heterogeneous medium in implicit steps.
///
/// An island is a connected component of the unknowns (find_connected_points()). A step solves
/// (σ c V + L) u = b. Heat fluxes between two points of an island cancel in the sum over its rows:
///
///   Σ a u = Σ b,   a = σ c V + conductances to Robin faces and to fixed points
///
/// If σ is small, as in a long step, the operator maps constants on an island almost to zero.
/// Conjugate gradients then find the island's mean with few correct digits, or none. So the mean is
/// set from the balance, which is exact. Conjugate gradients solve for the rest in the space of
/// fields with Σ a u = 0 (deflation, R. A. Nicolaides, 1987).
///
/// Balances are kept for the islands that touch no fixed point. If any island is so weakly held
/// that search directions must be deflated, they are kept for all islands.
///
/// Usage, in each step:
///
///   balance.begin(field, 1.0 or 0.0);   // Σ b: the part from the field before the step
///   balance.add_inflow(source);         // Σ b: the part from sources
///   balance.settle(field);              // sets the means
template <class Real, int dimension>
class IslandBalance {
 public:
  /// Finds the islands; examines every point if there are fixed or insulated ones. `ranks` and
  /// `queue` must outlive the object. Collective.
  IslandBalance(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& subdomain,
                Queue& queue);

  /// Returns the bytes that the object allocates on the device, see Buffer::footprint. Insulated
  /// regions may cut rows of points into pieces; the bound assumes pieces of four points.
  static std::size_t footprint(Problem const& problem, Subdomain const& subdomain, Backend backend);

  /// Returns true if there may be an island that touches no fixed point.
  static bool may_keep_heat(Problem const& problem);

  /// Sets the operator of the following steps, of the same problem. Collective; waits.
  /// @param of        conductances; the arrays must outlive their use
  /// @param shift     σ
  /// @param deflates  true if the caller passes its search directions to deflate()
  void set_operator(Conductances<Real, dimension> const& of, double shift, bool deflates);

  /// True if there is any balance to keep. If not, the functions below do nothing.
  [[nodiscard]] bool is_active() const { return active_; }

  /// Begins the balance of a step: Σ σ c V u of the field before it, less `flows` times the heat
  /// that leaves the islands in that field. Collective; waits.
  /// @param flows  0 for a backward Euler step, 1 for a Crank–Nicolson step
  /// @pre  The field's ghost layers are filled.
  void begin(FieldView<Real const> field, double flows);
  /// Adds the sums of a field of inflows (a source, per point) to the balance; the field may be
  /// none. Collective; waits.
  void add_inflow(FieldView<Real const> source);
  /// Adds a constant to each island such that the field satisfies the balance. Collective; waits.
  void settle(DistributedField<Real>& field);
  /// Subtracts a constant from a search direction d on each island such that Σ a d = 0. Collective;
  /// waits.
  void deflate(FieldView<Real> direction);

 private:
  /// Returns the sums of the terms over each island, of all ranks, with the same bits on every
  /// rank.
  std::vector<double> sums(FieldView<Real const> field, IslandTerms const& terms);
  /// Returns Σ a u over each island.
  /// @param from_zero  the values of fixed points are taken as 0
  std::vector<double> held(FieldView<Real const> field, bool from_zero);
  /// Enqueues adding a constant to the points of each island.
  void add(FieldView<Real> field, std::vector<double> const& constants);

  mpi::Communicator const* ranks_;
  Queue* queue_;
  LocalBox grid_;            ///< points inside the box; what lies beyond belongs to Robin faces
  std::size_t islands_ = 0;  ///< number of islands, of all ranks
  std::vector<std::size_t> island_of_part_{};  ///< of each part of points_
  std::optional<IslandPoints> points_{};

  Conductances<Real, dimension> of_{};
  double shift_ = 0.0;
  bool deflates_ = false;
  bool active_ = false;
  bool leads_out_ = false;          ///< any island has a Robin face or a fixed neighbour
  std::vector<double> capacity_{};  ///< Σ c V of each island
  std::vector<double> faces_{};     ///< Σ of conductances to Robin faces
  std::vector<double> links_{};     ///< Σ of conductances to fixed points
  std::vector<bool> kept_{};        ///< whether the island's balance is kept
  std::vector<double> wanted_{};    ///< Σ b of the step
};

}  // namespace isotherm
