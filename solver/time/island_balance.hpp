#pragma once

#include <optional>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/conduction/island_sums.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Keeps the heat balance of each island of a heterogeneous medium in implicit steps. An island is
/// the unknowns that flows connect with one another (find_connected_points). Summed over an island,
/// the system (σ c V + L) u = b of a step says
///
///   Σ a u = Σ b,   a = σ c V + what leads to Robin faces and to points that keep their values
///
/// since what flows between two of its points cancels. If σ is small, as in a long step, conjugate
/// gradients tell the mean of such an island by few digits, or by none: A takes constants almost to
/// zero. So the mean is set from the balance, which is exact. Conjugate gradients solve for the
/// rest in the space of fields whose Σ a u is 0 (deflation, R. A. Nicolaides, 1987).
///
/// Balances are kept of islands without points that keep their values; and, if any island is held
/// so weakly that search directions have to be deflated, of all.
///
/// Usage, in each step:
///
///   balance.begin(field, 1.0 or 0.0);   // what Σ b has of the field before the step
///   balance.add_inflow(source);         // and of what flows in
///   balance.settle(field);              // sets the means
template <class Real, int dimension>
class IslandBalance {
 public:
  /// Looks at every point if some keep their values. All that is passed by reference outlives the
  /// object. Collective.
  IslandBalance(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& subdomain,
                Queue& queue);

  /// Bytes that it takes on the device, see Buffer::footprint. Walls between islands may cut rows
  /// into pieces: counted are those of four points each.
  static std::size_t footprint(Problem const& problem, Subdomain const& subdomain, Backend backend);

  /// Whether there may be an island without points that keep their values.
  static bool may_keep_heat(Problem const& problem);

  /// Steps have this operator from now on, of the same problem. Collective; waits.
  /// @param of        conductances; outlive their use
  /// @param shift     σ
  /// @param deflates  search directions are passed to deflate()
  void set_operator(Conductances<Real, dimension> const& of, double shift, bool deflates);

  /// Whether there is any balance to keep. If not, nothing below reads or changes any point.
  [[nodiscard]] bool is_active() const { return active_; }

  /// Begins a balance with Σ σ c V u of the field before the step, less `flows` times what leaves
  /// the islands there. The field has its halo. Collective; waits.
  void begin(FieldView<Real const> field, double flows);
  /// Adds the sum of a field of inflows, as sources hold them. Collective; waits.
  void add_inflow(FieldView<Real const> source);
  /// Adds constants to the islands, so that the field has the balance. The field has its halo,
  /// which does not follow. Collective; waits.
  void settle(FieldView<Real> field);
  /// Takes a constant from each island of a search direction, so that its Σ a d is 0. Collective;
  /// waits.
  void deflate(FieldView<Real> direction);

 private:
  /// The terms' sums over each island, on all ranks. The same bits on every rank.
  std::vector<double> sums(FieldView<Real const> field, IslandTerms const& terms);
  /// Σ a u over each island. @param from_zero  points that keep their values have 0
  std::vector<double> held(FieldView<Real const> field, bool from_zero);
  /// Adds a constant to the points of each island.
  void add(FieldView<Real> field, std::vector<double> const& constants);

  mpi::Communicator const* ranks_;
  Queue* queue_;
  LocalBox grid_;
  std::size_t islands_ = 0;
  std::vector<std::size_t> island_of_part_{};
  std::optional<IslandPoints> points_{};

  Conductances<Real, dimension> of_{};
  double shift_ = 0.0;
  bool deflates_ = false;
  bool active_ = false;
  bool leads_out_ = false;  ///< anything leads to Robin faces or to points that keep their values
  std::vector<double> capacity_{};  ///< Σ c V of each island
  std::vector<double> faces_{};     ///< Σ of conductances to Robin faces
  std::vector<double> links_{};     ///< Σ of conductances to points that keep their values
  std::vector<bool> kept_{};        ///< whether the island's balance is kept
  std::vector<double> wanted_{};    ///< Σ b of the step
};

}  // namespace isotherm
