#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "decomposition/field/samples.hpp"
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

namespace isotherm {

/// What comes in at a moment, in units of κ · u · length^(dimension − 2).
struct Flows {
  PerFace<double> faces{};      ///< 0 of faces that the grid does not have
  std::vector<double> fixed{};  ///< from each fixed region
  double source = 0.0;          ///< ∫f
  double balance = 0.0;         ///< the sum of them all
};

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
  /// Points that are read together; places are their numbers, x fastest.
  struct Zone {
    LocalBox box{};
    std::vector<Pair<std::uint32_t>> pairs{};
    std::vector<Conducting> through_faces{};
  };
  /// The same before it is known how far it reaches.
  struct Draft {
    LocalBox box{};
    std::vector<Pair<Index3>> pairs{};
    std::vector<std::pair<Index3, Conducting>> through_faces{};

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
  void share_pairs();

  void look_at(double time_s);
  void add_source(double time_s);
  void add_derivatives(double time_s);
  void look_beyond(double time_s);
  void add_zone(Zone const& zone, FieldView<Real const> field, FlowLedger& ledger);

  mpi::Communicator const& ranks_;
  Queue& queue_;
  Subdomain subdomain_;
  Problem const& problem_;
  std::vector<Zone> zones_{};
  std::vector<Pair<Index3>> apart_{};         ///< that a rank does not have side by side; global
  std::vector<Pair<std::size_t>> sampled_{};  ///< the same, by the numbers of samples
  std::optional<Samples<Real>> samples_{};
  std::optional<Staging<Real>> staging_{};
  std::vector<Real> values_{};
  std::optional<FlowLedger> given_{};  ///< what comes in whatever the field is
};

}  // namespace isotherm
