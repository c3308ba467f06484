#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "decomposition/field/point_sampler.hpp"
#include "decomposition/field/staging.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/discretise/flow_ledger.hpp"
#include "solver/discretise/keepers.hpp"
#include "solver/problem/problem.hpp"

// What flows into the box, as the discrete equation has it (finite_volumes.hpp). At a point whose
// value is unknown, the sum of all that flows into its volume is what the volume holds more a
// moment later, and nothing in a steady solution. At a point that keeps its value the sum is what
// whoever gives that value takes away: so much comes in with the other sign. Then all that comes in
// together is what the unknown points hold more, or nothing, whatever the grid is.
//
// A Robin face conducts with r = coefficient · area to the value v beyond it, so r (v − u) comes
// in. Where r is large, u is nearly v, and the difference has no digits. What comes in there is
// what leaves the point otherwise: for its neighbours, less its source and what Neumann faces
// bring. In a solution both are the same. The second form is taken where the Robin faces of a point
// conduct better than all that leads to its neighbours: then its difference u(neighbour) − u is the
// larger. It leaves out what the point itself holds more, which is nothing in a steady solution. In
// diffusion it is therefore taken only from a ratio of 1e6 on: such a point follows v a million
// times faster than its neighbours follow it, so it is counted as if its value was given.
//
// Where a point of a Robin face keeps its value, as at an edge of a Dirichlet face, two given
// values meet. A large r would make any difference of them, if only of rounding, a huge flux that
// no grid resolves. So no more is counted than the medium lets through over one gap.

namespace isotherm {

/// What comes in at a moment, in units of κ · u · length^(dimension − 2).
struct Flows {
  PerFace<double> faces{};      ///< 0 of faces that the grid does not have
  std::vector<double> fixed{};  ///< from each fixed region
  double source = 0.0;          ///< ∫f
  double balance = 0.0;         ///< the sum of them all

  // Point by point, so that what comes in through one part of a face and goes out through another
  // does not cancel:
  double in = 0.0;   ///< the flows into unknown points
  double out = 0.0;  ///< the flows out of them, positive: in − out = balance, but for rounding
  /// How `balance` depends on the values of unknown points. `rounding` is the largest balance that
  /// rounding of the field to its precision explains: the sum of each conductance times one unit in
  /// the last place of the values at both ends. Storing a value rounds by half a unit; iterations
  /// that have come to their end leave about twice that.
  FlowSlopes slopes{};
};

/// The largest balance that an error e of the field explains, without what rounding adds.
///
/// In a solution u the residuals r = b − A u of all unknown points vanish, and their sum is the
/// balance. Of u + e it is −1ᵀA e, where A 1 has the conductances d between each point and given
/// values. Two bounds hold, and the smaller one is returned:
///
///   |dᵀe| ≤ ‖d‖ ‖e‖                                 (A. Cauchy)
///   |dᵀe| ≤ √(Σ d) √(eᵀA e) ≤ √(Σ d) √(‖e‖ ‖r‖)     since Σ d e² is a part of the energy eᵀA e
///
/// The first one is reached by an error that is confined to the points at the boundary. If the
/// residual is small, the error is smooth, and the second one is smaller.
///
/// @param norm      of error and residual
/// @param error     ‖e‖ over all unknown points, in the field's unit
/// @param residual  ‖r‖ per volume, in the source's unit; none if it is not known
double largest_balance(Problem const& problem, Flows const& flows, Norm norm, double error,
                       std::optional<double> residual);

/// Measures what flows into the box. Of the field only what lies at faces and at the surfaces of
/// fixed regions is read.
template <class Real>
class FlowMeter {
 public:
  /// What is passed by reference outlives the object. Looks at all points of this rank where the
  /// problem has fixed regions, else at those on faces. Collective.
  FlowMeter(mpi::Communicator const& ranks, Queue& queue, Subdomain subdomain,
            Problem const& problem);

  /// The same bits on every rank, however the grid is cut. Where the source depends on the time it
  /// is evaluated at all points. Collective; waits.
  [[nodiscard]] Flows read(FieldView<Real const> field, double time_s);

 private:
  /// Two neighbours, not of the same keeper, of which one keeps its value at least.
  template <class Place>
  struct Pair {
    Place here;
    Place beside;
    int keeper;  ///< of the first
    int keeper_beside;
    double conductance;
  };
  /// A point on a Robin face.
  struct Conducting {
    std::uint32_t here;
    int face;
    int keeper;
    double conductance;
    double beyond;  ///< the value there
  };
  /// A point next to another, and what conducts between them.
  struct Neighbour {
    std::uint32_t place;  ///< a sample's number where another rank has it
    bool sampled;
    double conductance;
  };
  /// A point whose Robin faces conduct so well that what comes in is measured by what leaves it.
  struct Balanced {
    std::uint32_t here;
    int face;
    double share;              ///< of the face in what all Robin faces of the point conduct
    std::uint32_t neighbours;  ///< how many
    double given;              ///< what comes in through the face whatever the field is
  };
  /// Points that are read together; places are their numbers, x fastest.
  struct Zone {
    LocalBox box{};
    std::vector<Pair<std::uint32_t>> pairs{};
    std::vector<Conducting> through_faces{};
    std::vector<Balanced> balanced{};
    std::vector<Neighbour> neighbours{};  ///< of the balanced points, one after the other
  };
  /// The same before it is known how far it reaches.
  struct Draft {
    LocalBox box{};
    std::vector<Pair<Index3>> pairs{};
    std::vector<std::pair<Index3, Conducting>> through_faces{};
    std::vector<std::pair<Index3, Balanced>> balanced{};
    std::vector<std::pair<Index3, Neighbour>> neighbours{};

    void reach(Index3 point);
    [[nodiscard]] Zone zone() const;
  };
  using ZoneName = std::pair<std::int64_t, std::int64_t>;
  using Drafts = std::map<ZoneName, Draft>;
  class Keepers;

  /// Of totals: after the faces and the fixed regions.
  [[nodiscard]] std::size_t source_entry() const {
    return keeper::first_region + problem_.body.fixed.size();
  }
  [[nodiscard]] LocalBox beside(Face face) const;
  [[nodiscard]] LocalBox points_on(Face face) const;
  [[nodiscard]] std::optional<Index3> on_grid(Index3 local) const;
  void find_pairs(Drafts& drafts);
  void find_pairs_in(LocalBox points, std::vector<LocalBox> const& done, Drafts& drafts);
  void add_pair(Pair<Index3> pair, int axis, std::int64_t chunk, Drafts& drafts);
  void find_conducting(Drafts& drafts);
  bool add_balanced(Face face, Index3 point, double conductance, Draft& draft);
  void add_neighbours(Index3 point, Draft& draft) const;
  void share_pairs(Drafts& drafts);

  void look_at(double time_s);
  void add_source(double time_s);
  void add_derivatives(double time_s);
  void look_beyond(double time_s);
  [[nodiscard]] double given_through(Balanced const& balanced, Index3 global, double time_s) const;
  template <class Place>
  static void add_pair_to(FlowLedger& ledger, Pair<Place> const& pair, double here, double beside);
  static FlowSlopes slopes_of(double conductance, double here, double beside);
  void add_zone(Zone const& zone, FieldView<Real const> field, std::vector<double> const& samples,
                FlowLedger& ledger);

  mpi::Communicator const& ranks_;
  Queue& queue_;
  Subdomain subdomain_;
  Problem const& problem_;
  std::vector<Zone> zones_{};
  std::vector<Pair<Index3>> apart_{};         ///< that a rank does not have side by side; global
  std::vector<Pair<std::size_t>> sampled_{};  ///< the same, by the numbers of samples
  std::optional<PointSampler<Real>> samples_{};
  std::optional<Staging<Real>> staging_{};
  std::vector<Real> values_{};
  std::optional<FlowLedger> given_{};  ///< what comes in whatever the field is
};

}  // namespace isotherm
