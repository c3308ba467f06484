#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "decomposition/field/point_sampler.hpp"
#include "decomposition/field/staging/host_staging.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/exact_sum.hpp"
#include "solver/discretise/flux/fixed_links.hpp"
#include "solver/discretise/flux/heat_flow_ledger.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/problem/problem.hpp"

// Heat balance: the boundary fluxes of the discrete equation (finite_volumes.hpp).
//
// At an unknown point, the sum of all flows into its volume is the rate at which its heat content
// grows; in a steady solution it is zero. At a fixed point, this sum is the heat that its
// constraint removes, so it counts as an inflow with the opposite sign. All inflows together are
// then the growth of the unknown points' heat content, or zero in a steady solution, on any grid.
//
// A Robin face with r = coefficient · area lets r (v − u) in, with the ambient value v. If r is
// large, u is nearly v, and cancellation leaves no digits of the difference. The inflow then equals
// the flow from the point to its neighbours and to fluids, minus its source and Neumann fluxes; in
// a solution both forms agree. The second form is used if the Robin faces of a point conduct better
// than all its links and films together. The differences to the neighbours are then larger. This
// form neglects the growth of the point's own heat content, which is zero in a steady solution. In
// diffusion it is used only from a ratio of 1e6 on: such a point follows v a million times faster
// than its neighbours follow it, so it is treated as fixed.
//
// At a fixed point on a Robin face, for example on the edge of a Dirichlet face, two given values
// meet. A large r would turn any difference between them, even mere rounding, into a huge flux that
// no grid resolves. The conductance is therefore limited to that of the medium over one grid gap.

namespace isotherm {

struct PatchFlow;  // solver/discretise/finite_volumes.hpp

/// The flows into the box at one time, in units of κ · u · length^(dimension − 2).
struct HeatFlows {
  PerFace<double> faces{};      ///< 0 for faces that the grid does not have
  std::vector<double> fixed{};  ///< from each fixed region
  /// The part of `faces` that enters through each patch, by number in Problem::patches.
  std::vector<double> patches{};
  /// The part of `fixed` that enters each region's surface by radiation (SurfaceExchange).
  std::vector<double> radiation{};
  double source = 0.0;    ///< integral of f
  double reaction = 0.0;  ///< −∫ a u, of the reaction coefficient a
  /// The part of `source` of each named source term, in the problem's order.
  std::vector<double> named_sources{};
  double balance = 0.0;  ///< sum of all but `radiation` and the named ones

  // These two are summed point by point, so inflow through one part of a face does not cancel
  // outflow through another:
  double in = 0.0;   ///< sum of the flows into unknown points
  double out = 0.0;  ///< the flows out of them, positive: in − out = balance, but for rounding
  /// The sensitivity of `balance` to the values of unknown points. `rounding` is the largest
  /// balance that rounding the field can explain: the sum over conductances of one unit in the last
  /// place of the values at both ends. Storing a value rounds by half a unit; iterations at the
  /// rounding floor leave twice that.
  HeatFlowSensitivity slopes{};
};

/// Returns the largest balance that an error e of the field explains, apart from rounding.
///
/// In the solution u, the residuals r = b − A u of all unknown points vanish, and their sum is the
/// balance. For u + e the balance is −1ᵀA e. The entries of A 1 are the conductances d between each
/// point and given values. Two bounds hold, and the smaller one is returned:
///
///   |dᵀe| ≤ ‖d‖ ‖e‖                                 (A. Cauchy)
///   |dᵀe| ≤ √(Σ d) √(eᵀA e) ≤ √(Σ d) √(‖e‖ ‖r‖)     since Σ d e² is a part of the energy eᵀA e
///
/// The first bound is attained by an error that is confined to points at the boundary. If the
/// residual is small, the error is smooth and the second bound is smaller.
///
/// @param norm  the norm of error and residual
/// @param error  ‖e‖ over all unknown points, in the field's unit
/// @param residual  ‖r‖ per volume, in the source's unit; none if it is not known
double largest_balance(Problem const& problem, HeatFlows const& flows, Norm norm, double error,
                       std::optional<double> residual);

/// Memory of a HeatFlowMeter on one rank.
struct HeatFlowMeterBytes {
  std::size_t device = 0;  ///< in the memory of the backend
  std::size_t host = 0;
};

/// Measures the heat flows into the box. Only values at faces and at the surfaces of fixed regions
/// are read from the field, unless there is a reaction coefficient.
template <class Real>
class HeatFlowMeter {
 public:
  /// Finds the links between fixed and unknown points. If the problem has fixed regions, all points
  /// of this rank are examined, else those at faces. Collective. All arguments passed by reference
  /// must outlive the object.
  HeatFlowMeter(mpi::Communicator const& ranks, Queue& queue, Subdomain subdomain,
                Problem const& problem);

  /// Measures the flows at one time. The result has the same bits on every rank, for any
  /// decomposition. If the source varies in time, it is evaluated at all points. Collective; waits.
  [[nodiscard]] HeatFlows read(FieldView<Real const> field, double time_s);

  /// Returns upper bounds on a meter's memory, temporary memory included. Collective.
  static HeatFlowMeterBytes footprint(mpi::Communicator const& ranks, Backend backend,
                                      Subdomain const& subdomain, Problem const& problem);

 private:
  /// Two neighbours on different sides (side_of()); at least one of them is fixed.
  template <class Place>
  struct Pair {
    Place here;
    Place beside;
    int side;  ///< of `here`
    int side_beside;
    double conductance;
    /// Gain of the field over the period, added to the second value if a periodic end is between.
    double gain = 0.0;
  };
  /// The link of a pair, along an axis from its first point.
  struct LinkOfPair {
    int axis;
    Index3 lower;  ///< global index of the first point
  };
  /// A point on a Robin face, or in whose volume a film joins the medium to a fluid.
  struct RobinPoint {
    std::uint32_t here;
    int face;  ///< or the constraint that stands for the fluid
    int patch;
    int side;  ///< of the point
    double conductance;
    double beyond;  ///< the ambient value
  };
  /// A neighbour of a balanced point, and the conductance to it.
  struct Neighbour {
    std::uint32_t place;  ///< the number of a sample if another rank owns the point
    bool sampled;
    double conductance;
    double gain;  ///< of the field over the period, if a periodic end is between
  };
  /// A point whose Robin faces conduct so well that the inflow through a patch of a face, or
  /// through the rest of it, is measured by what leaves the point.
  struct Balanced {
    std::uint32_t here;
    int face;
    double share;              ///< of this patch in the conductance of all Robin faces of the point
    std::uint32_t neighbours;  ///< number of them
    int patch;
    double given;     ///< the inflow through the face that does not depend on the field
    double reaction;  ///< reaction term of the point, films included
  };
  /// Points that are read from the field together, with the links among them. Places are dense
  /// indices in the box, x fastest.
  struct Zone {
    LocalBox box{};
    std::vector<Pair<std::uint32_t>> pairs{};
    std::vector<LinkOfPair> links{};  ///< of the pairs, if conductances depend on the field
    std::vector<RobinPoint> through_faces{};
    std::vector<Balanced> balanced{};
    std::vector<Neighbour> neighbours{};  ///< of all balanced points, in their order
  };
  /// A zone under construction, with points in local indices while its box still grows.
  struct Draft {
    LocalBox box{};
    std::vector<Pair<Index3>> pairs{};
    std::vector<LinkOfPair> links{};
    std::vector<std::pair<Index3, RobinPoint>> through_faces{};
    std::vector<std::pair<Index3, Balanced>> balanced{};
    std::vector<std::pair<Index3, Neighbour>> neighbours{};

    /// Enlarges the box to contain a point.
    void reach(Index3 point);
    /// Converts points to places.
    [[nodiscard]] Zone zone() const;
  };
  using ZoneName = std::pair<std::int64_t, std::int64_t>;
  using Drafts = std::map<ZoneName, Draft>;

  /// The entry of the source in totals: it follows those of faces and fixed regions.
  [[nodiscard]] std::size_t source_entry() const {
    return constraint::first_region + problem_.medium.fixed.size();
  }
  /// The entry of the reaction term. Those of patches follow.
  [[nodiscard]] std::size_t reaction_entry() const { return source_entry() + 1; }
  /// Returns an empty ledger.
  [[nodiscard]] HeatFlowLedger make_ledger() const;
  /// Returns the entry of a patch, or if there is none, that of the side itself: a face, a region
  /// or a constraint.
  [[nodiscard]] int entry_of(int side, int patch) const;
  /// Returns the entry of what fixes a point: the patch, if a face does. Otherwise it is the
  /// constraint, insulation for all points outside of the medium.
  [[nodiscard]] int side_of(int constraint, Index3 global) const;
  /// Returns this rank's points on a face.
  [[nodiscard]] LocalBox points_on(Face face) const;
  /// Adds a link to the zone of its face or chunk.
  void add_link(FixedLink const& link, std::int64_t chunk, Drafts& drafts);
  /// Finds the points on Robin faces.
  void find_robin_points(Drafts& drafts);
  /// Finds the points with films on the surfaces of fluids.
  void find_films(Drafts& drafts);
  /// Returns the conductance of a pair for the values at its points.
  template <class Place>
  [[nodiscard]] double conductance_of(Pair<Place> const& pair, std::vector<LinkOfPair> const& links,
                                      std::size_t number, double here, double there,
                                      double time_s) const;
  /// Adds the flow through a Robin face, or from a fluid, that is measured by its own conductance.
  void add_robin_flow(Zone const& zone, RobinPoint const& through, double here, double time_s,
                      HeatFlowLedger& ledger);
  /// Adds the flow through a face, or a patch of it, into a point.
  void add_robin_point(Face face, Index3 point, PatchFlow const& part, Draft& draft);
  /// Adds an unknown point if its inflow is measured by what leaves it. Returns true if so.
  bool add_balanced(Face face, Index3 point, PatchFlow const& part, Draft& draft);
  void add_neighbours(Index3 point, Draft& draft) const;
  /// Turns links with points of other ranks into samples. Collective.
  void share_pairs(Drafts& drafts);

  /// Evaluates all that flows in independently of the field.
  void evaluate_given(double time_s);
  /// The parts of it: the source, the named ones in it, Neumann faces, Robin faces.
  void add_source(double time_s);
  void add_named_sources(double time_s);
  /// Calls visit(side, heat) for this rank's points that are not insulated, with the heat
  /// that a source puts into their volumes.
  template <class Visit>
  void for_each_heat(ScalarFunction const& source, double time_s, Visit const& visit) const;
  void add_derivatives(double time_s);
  void add_robin_flows(double time_s);
  /// Returns the part of a balanced point's inflow that the field does not determine.
  [[nodiscard]] double given_through(Balanced const& balanced, Index3 global, double time_s) const;
  template <class Place>
  static void add_pair_to(HeatFlowLedger& ledger, Pair<Place> const& pair, double conductance,
                          double here, double there);
  static HeatFlowSensitivity slopes_of(double conductance, double here, double there);
  /// True if the heat in the volumes of points depends on the field.
  [[nodiscard]] bool has_dependent_heat() const {
    return !problem_.reaction.is_zero() || problem_.source.depends_on_u;
  }
  /// Adds the heat of the reaction coefficient, and of a source that depends on the field, at all
  /// points of this rank.
  void add_dependent_heat(FieldView<Real const> field, double time_s, HeatFlowLedger& ledger);
  /// Adds the flows of a zone to the ledger.
  void add_zone(Zone const& zone, FieldView<Real const> field, std::vector<double> const& samples,
                double time_s, HeatFlowLedger& ledger);

  mpi::Communicator const& ranks_;
  Queue& queue_;
  Subdomain subdomain_;
  Problem const& problem_;
  FixedLinks links_;
  bool varies_;                               ///< a conductivity depends on the field or the time
  bool is_nonlinear_;                         ///< any coefficient does
  std::optional<LinkConductivity> surfaces_;  ///< that cut links
  std::vector<Zone> zones_{};
  std::vector<Pair<Index3>> apart_{};         ///< with a point of another rank; global indices
  std::vector<LinkOfPair> apart_links_{};     ///< of apart_ and sampled_
  std::vector<Pair<std::size_t>> sampled_{};  ///< the same, by the numbers of samples
  std::optional<PointSampler<Real>> samples_{};
  std::optional<HostStaging<Real>> staging_{};
  std::vector<Real> values_{};
  std::optional<HeatFlowLedger> given_{};  ///< the inflows that do not depend on the field
  std::vector<ExactSum> named_{};          ///< the heat of named sources, which `given_` contains
  std::vector<ExactSum>
      radiated_{};  ///< the heat that enters each fixed region's surface by radiation
};

}  // namespace isotherm
