#include "solver/discretise/flux/heat_flow_meter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "decomposition/ranks/collective_errors.hpp"
#include "decomposition/ranks/exact_totals.hpp"
#include "kernels/core/byte_count.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/films/surface_film.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Number of points that are examined or evaluated in one piece.
constexpr std::int64_t points_at_once = std::int64_t{1} << 20;

/// In diffusion, the heat content of a point is neglected if its Robin faces conduct better than
/// the links to its neighbours by this factor.
constexpr double follows_at_once = 1e6;

/// Returns an upper bound on a unit in the last place of a value.
template <class Real>
double unit_in_last_place(double value) {
  return static_cast<double>(std::numeric_limits<Real>::epsilon()) * std::abs(value);
}

/// Flows are measured in the case's own units.
constexpr MediumUnits plain_units{};

/// True if a box contains a point.
bool holds(LocalBox const& box, Index3 point) { return box.contains(point.x, point.y, point.z); }

/// Returns the dense index of a point in a box, x fastest.
std::int64_t number_in(LocalBox const& box, Index3 point) {
  Extent3 const n = box.extent();
  Index3 const at = point - box.lower;
  return (at.z * n.y + at.y) * n.x + at.x;
}

/// Returns the point with this dense index.
Index3 point_of(LocalBox const& box, std::int64_t number) {
  Extent3 const n = box.extent();
  return box.lower + Index3{number % n.x, number / n.x % n.y, number / (n.x * n.y)};
}

/// Calls visit(point) for the points of a box, x fastest.
template <class Visit>
void for_each_point(LocalBox box, Visit const& visit) {
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) visit(Index3{i, j, k});
    }
  }
}

/// Returns the reaction coefficient of a point, multiplied by its volume.
double reaction_heat(Problem const& problem, Index3 global) {
  if (problem.reaction.is_zero()) return 0.0;
  return value_at(problem.reaction, problem.grid, global) *
         volume(problem.grid, plain_units, global);
}

/// The heat that fluids exchange with a point through films: inflow − conductance · u.
struct FilmFlow {
  double conductance = 0.0;
  double inflow = 0.0;  ///< if u = 0
};

/// Returns the heat that the films in the volume of a point exchange.
FilmFlow flow_of_films(Problem const& problem, Index3 global, double time_s) {
  FilmFlow flow;
  if (!has_films_on_surfaces(problem)) return flow;
  for (SurfaceFilm const& film : films_at(problem, plain_units, global)) {
    FixedRegion const& fluid = problem.medium.fixed[static_cast<std::size_t>(film.region)];
    flow.conductance += film.conductance;
    flow.inflow += film.conductance * value_at(fluid.value, problem.grid, global, time_s);
  }
  return flow;
}

/// Returns the conductance of all Robin faces that a point lies on.
double conductance_of_faces(Problem const& problem, Index3 global) {
  double sum = 0.0;
  for (Face const face : faces(problem.grid)) {
    if (lies_on(problem.grid, face, global)) {
      sum += robin_conductance(problem, plain_units, face, global);
    }
  }
  return sum;
}

/// True if a face may have points with a Robin condition.
bool may_hold_points(Problem const& problem, Face face) {
  return has_anywhere(problem, face, BoundaryKind::robin) || has_rims(problem, face);
}

/// Returns the part of a face's flow at a point that belongs to a patch, or to the face itself.
FaceFlow flow_of_patch(Problem const& problem, Face face, int patch, Index3 global, double time_s,
                       double u = 0.0) {
  for (PatchFlow const& part : patch_flows(problem, plain_units, face, global, time_s, u)) {
    if (part.patch == patch) return part.flow;
  }
  return {};
}

/// Returns an upper bound on the number of points of a face at which a patch has a part.
std::int64_t max_points_of(Grid const& grid, BoundaryPatch const& patch) {
  constexpr double margin = 6.0;  // volumes that the rim cuts, and points that it holds
  std::int64_t count = 1;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (axis == patch.face.axis) continue;
    auto points = static_cast<double>(grid.points[axis]);
    if (patch.where.solid && grid.points[axis] > 1) {
      double const length = bounds_of(*patch.where.solid)[axis].length();
      points = std::min(points, std::floor(length / narrowest_gap(grid, axis)) + margin);
    }
    count *= static_cast<std::int64_t>(points);
  }
  return count;
}

/// Returns upper bounds on the number of a part's points on Robin faces, once for each patch that
/// has a part there, and of their neighbours in other parts.
std::pair<std::size_t, std::size_t> max_robin_points(Subdomain const& subdomain,
                                                     Problem const& problem) {
  std::int64_t points = 0, beyond = 0;
  for (Face const face : faces(problem.grid)) {
    if (!may_hold_points(problem, face)) continue;
    if (!subdomain.on_physical_face(face)) continue;
    std::int64_t const on_face = subdomain.rim(face, 1).point_count();
    points += on_face;
    std::int64_t times = 1;
    for (BoundaryPatch const& patch : problem.patches) {
      if (patch.face != face) continue;
      points += std::min(on_face, max_points_of(problem.grid, patch));
      ++times;
    }
    for (Face const side : faces(problem.grid)) {
      Index3 direction{};
      direction[side.axis] = side.upper ? 1 : -1;
      std::int64_t const n = subdomain.extent()[side.axis];
      // The inner neighbours of a face belong to another part if this one is a single plane.
      bool const leaves = side.axis != face.axis || n == 1;
      if (leaves && subdomain.neighbour(direction)) {
        beyond += times * (side.axis == face.axis ? on_face : on_face / n);
      }
    }
  }
  return {static_cast<std::size_t>(points), static_cast<std::size_t>(beyond)};
}

/// Returns an upper bound on the number of zones around fixed regions: each has the points of one
/// region in one chunk.
std::size_t max_zones(Subdomain const& subdomain, Problem const& problem) {
  Extent3 const n = subdomain.extent();
  std::int64_t const points = n.x * n.y * n.z;
  // A plane of points is divided into chunks only if it exceeds one, and planes are joined else.
  std::int64_t const chunks = points <= points_at_once ? 1 : n.z + 2 * (points / points_at_once);
  return static_cast<std::size_t>(chunks) * (problem.medium.fixed.size() + 1);
}

/// Returns a point's number in the whole grid, exact in a double.
double number_on_grid(Grid const& grid, Index3 global) {
  Extent3 const n = grid.points;
  return static_cast<double>((global.z * n.y + global.y) * n.x + global.x);
}

/// Returns the numbers that all ranks contribute. Collective.
std::vector<std::int64_t> counts_of_all(mpi::Communicator const& ranks, std::size_t mine) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(ranks.size()), 0);
  counts[static_cast<std::size_t>(ranks.rank())] = mine;
  counts = ranks.sum(std::move(counts));
  return {counts.begin(), counts.end()};
}

}  // namespace

template <class Real>
void HeatFlowMeter<Real>::Draft::reach(Index3 point) {
  LocalBox const one{point, point + Index3{1, 1, 1}};
  if (box.empty()) box = one;
  for (int axis = 0; axis < 3; ++axis) {
    box.lower[axis] = std::min(box.lower[axis], one.lower[axis]);
    box.upper[axis] = std::max(box.upper[axis], one.upper[axis]);
  }
}

template <class Real>
typename HeatFlowMeter<Real>::Zone HeatFlowMeter<Real>::Draft::zone() const {
  Zone zone;
  zone.box = box;
  zone.links = links;
  auto const number = [&](Index3 point) {
    return static_cast<std::uint32_t>(number_in(box, point));
  };
  for (auto const& [here, beside, side, side_beside, conductance, gain] : pairs) {
    zone.pairs.push_back({number(here), number(beside), side, side_beside, conductance, gain});
  }
  for (auto const& [here, through] : through_faces) {
    zone.through_faces.push_back(through);
    zone.through_faces.back().here = number(here);
  }
  for (auto const& [here, one] : balanced) {
    zone.balanced.push_back(one);
    zone.balanced.back().here = number(here);
  }
  for (auto const& [point, neighbour] : neighbours) {
    zone.neighbours.push_back(neighbour);
    if (!neighbour.sampled) zone.neighbours.back().place = number(point);
  }
  return zone;
}

template <class Real>
HeatFlowMeter<Real>::HeatFlowMeter(mpi::Communicator const& ranks, Queue& queue,
                                   Subdomain subdomain, Problem const& problem)
    : ranks_(ranks),
      queue_(queue),
      subdomain_(std::move(subdomain)),
      problem_(problem),
      links_(subdomain_, problem),
      varies_(has_varying_conductivity(problem)),
      is_nonlinear_(isotherm::is_nonlinear(problem)),
      surfaces_(varies_ ? link_conductivity(problem) : std::nullopt) {
  // Links and face points are collected in zones of points that are read together. The staging
  // buffer has the size of the largest zone.
  Drafts drafts;
  links_.for_each(
      [&](FixedLink const& link, std::int64_t chunk) { add_link(link, chunk, drafts); });
  find_robin_points(drafts);
  if (has_fluids(problem_)) find_films(drafts);
  share_pairs(drafts);
  Extent3 largest{};
  for (auto& [name, draft] : drafts) {
    zones_.push_back(draft.zone());
    draft = {};
    Extent3 const n = zones_.back().box.extent();
    for (int axis = 0; axis < 3; ++axis) largest[axis] = std::max(largest[axis], n[axis]);
  }
  if (has_dependent_heat()) largest = subdomain_.extent();
  if (largest.x > 0) staging_.emplace(queue_, largest);
}

template <class Real>
HeatFlowLedger HeatFlowMeter<Real>::make_ledger() const {
  std::vector<std::size_t> parts;
  for (BoundaryPatch const& patch : problem_.patches) {
    parts.push_back(static_cast<std::size_t>(patch.face.index()));
  }
  return HeatFlowLedger(reaction_entry() + 1, std::move(parts));
}

template <class Real>
int HeatFlowMeter<Real>::entry_of(int side, int patch) const {
  return patch == no_patch ? side : static_cast<int>(reaction_entry()) + 1 + patch;
}

template <class Real>
int HeatFlowMeter<Real>::side_of(int constraint, Index3 global) const {
  if (is_outside(problem_, constraint)) return constraint::insulation;
  if (constraint < 0 || constraint >= constraint::first_region) return constraint;
  Face const face = Face::from_index(constraint);
  return entry_of(constraint, patch_at_point(problem_, face, global));
}

/// Adds a link. Links at a face are read together with it, others with those of the same region and
/// chunk.
template <class Real>
void HeatFlowMeter<Real>::add_link(FixedLink const& link, std::int64_t chunk, Drafts& drafts) {
  Index3 const global = subdomain_.to_global(link.here);
  Index3 const next = *links_.on_grid(link.next);
  Pair<Index3> pair{link.here, link.next, entry_of(link.constraint, link.patch),
                    entry_of(link.constraint_next, link.patch_next),
                    conductance_of_link(problem_, plain_units, link.axis, global)};
  // The neighbour belongs to another rank, or lies across a periodic end: both values are sampled.
  if (!holds(subdomain_.owned(), pair.beside)) {
    pair.here = global;
    pair.beside = next;
    if (next[link.axis] < global[link.axis]) pair.gain = gain_over_period(problem_, link.axis);
    apart_.push_back(pair);
    if (varies_) apart_links_.push_back({link.axis, global});
    return;
  }
  // Zones 0 to 5 belong to faces, the others to a chunk and a region.
  ZoneName name{6 + chunk, std::max(link.constraint, link.constraint_next)};
  for (Face const face : faces(problem_.grid)) {
    LocalBox const box = links_.near_face(face);
    if (!holds(box, pair.here) || !holds(box, pair.beside)) continue;
    name = {face.index(), 0};
    break;
  }
  Draft& draft = drafts[name];
  draft.pairs.push_back(pair);
  if (varies_) draft.links.push_back({link.axis, global});
  draft.reach(pair.here);
  draft.reach(pair.beside);
}

template <class Real>
LocalBox HeatFlowMeter<Real>::points_on(Face face) const {
  return subdomain_.on_physical_face(face) ? subdomain_.rim(face, 1) : LocalBox{};
}

/// Finds the points on Robin faces, and decides how each is measured.
template <class Real>
void HeatFlowMeter<Real>::find_robin_points(Drafts& drafts) {
  for (Face const face : faces(problem_.grid)) {
    if (!may_hold_points(problem_, face)) continue;
    for_each_point(points_on(face), [&](Index3 point) {
      Index3 const global = subdomain_.to_global(point);
      for (PatchFlow const& part : patch_flows(problem_, plain_units, face, global, 0.0)) {
        // A conductance that depends on the field is evaluated when the field is known.
        if (part.flow.conductance == 0.0 && !is_nonlinear_) continue;
        if (is_outside(problem_, constraint_of(problem_, global))) return;
        // All Robin points of a face are read with the face.
        add_robin_point(face, point, part, drafts[{face.index(), 0}]);
      }
    });
  }
}

template <class Real>
void HeatFlowMeter<Real>::add_robin_point(Face face, Index3 point, PatchFlow const& part,
                                          Draft& draft) {
  Index3 const global = subdomain_.to_global(point);
  draft.reach(point);
  int const side = side_of(constraint_of(problem_, global), global);
  bool const is_free = side == constraint::none;
  if (is_free && !is_nonlinear_ && add_balanced(face, point, part, draft)) return;
  // At a fixed point the medium limits the conductance, see the header.
  double const limit = is_free ? 1.0 : limit_at_given(problem_, plain_units, face, global, 0.0);
  draft.through_faces.push_back(
      {point, {0, face.index(), part.patch, side, limit * part.flow.conductance, 0.0}});
}

/// Points are read together with those of the same fluid and chunk. The factor of the number of the
/// chunk keeps the names apart from those of links.
template <class Real>
void HeatFlowMeter<Real>::find_films(Drafts& drafts) {
  std::int64_t number = 0;
  for (LocalBox const chunk : chunks(subdomain_.owned(), points_at_once)) {
    --number;
    struct Found {
      Index3 point;
      SurfaceFilm film;
      int side;
    };
    Extent3 const n = chunk.extent();
    std::vector<std::vector<Found>> rows(static_cast<std::size_t>(n.y * n.z));
    for_each_row(chunk, [&](std::int64_t j, std::int64_t k) {
      auto& row = rows[static_cast<std::size_t>((j - chunk.lower.y) + n.y * (k - chunk.lower.z))];
      for (std::int64_t i = chunk.lower.x; i < chunk.upper.x; ++i) {
        Index3 const global = subdomain_.to_global(Index3{i, j, k});
        for (SurfaceFilm const& film : films_at(problem_, plain_units, global)) {
          row.push_back({{i, j, k}, film, constraint::none});
        }
        // What leaves a point on a Dirichlet face, the face supplies.
        for (SurfaceFilm const& film : films_at_given(problem_, plain_units, global)) {
          row.push_back({{i, j, k}, film, side_of(constraint_of(problem_, global), global)});
        }
      }
    });
    for (auto const& row : rows) {
      for (auto const& [point, film, side] : row) {
        Draft& draft = drafts[{number, film.region}];
        draft.reach(point);
        draft.through_faces.push_back(
            {point,
             {0, constraint::first_region + film.region, no_patch, side, film.conductance, 0.0}});
      }
    }
  }
}

/// Adds an unknown point if its inflow is measured by what leaves it, and returns whether it is. In
/// diffusion a point without neighbours never is, since its entire inflow changes its own heat
/// content.
template <class Real>
bool HeatFlowMeter<Real>::add_balanced(Face face, Index3 point, PatchFlow const& part,
                                       Draft& draft) {
  // Neighbours are added tentatively, and removed again if the point does not qualify.
  std::size_t const first = draft.neighbours.size();
  add_neighbours(point, draft);
  double to_neighbours = 0.0;
  for (std::size_t n = first; n < draft.neighbours.size(); ++n) {
    to_neighbours += draft.neighbours[n].second.conductance;
  }
  Index3 const global = subdomain_.to_global(point);
  double const of_films = flow_of_films(problem_, global, 0.0).conductance;
  double const of_faces = conductance_of_faces(problem_, global);
  bool const steady = problem_.equation != Equation::diffusion;
  bool const balanced = of_faces > (steady ? 1.0 : follows_at_once) * (to_neighbours + of_films) &&
                        (steady || to_neighbours > 0);
  if (!balanced) {
    draft.neighbours.resize(first);
    return false;
  }
  auto const count = static_cast<std::uint32_t>(draft.neighbours.size() - first);
  double const reaction = reaction_heat(problem_, global) + of_films;
  draft.balanced.push_back(
      {point,
       {0, face.index(), part.flow.conductance / of_faces, count, part.patch, 0.0, reaction}});
  // The zone has to contain the neighbours, unless they are sampled.
  for (std::size_t n = first; n < draft.neighbours.size(); ++n) {
    auto const& [next, neighbour] = draft.neighbours[n];
    if (!neighbour.sampled) draft.reach(next);
  }
  return true;
}

/// Adds a point's neighbours in the order of the axes, lower ones first, so sums do not depend on
/// the decomposition. Neighbours of other ranks have global indices.
template <class Real>
void HeatFlowMeter<Real>::add_neighbours(Index3 point, Draft& draft) const {
  Index3 const global = subdomain_.to_global(point);
  for (int axis = 0; axis < problem_.grid.dimension; ++axis) {
    if (problem_.grid.points[axis] == 1) continue;
    for (bool const upper : {false, true}) {
      Index3 next = point;
      next[axis] += upper ? 1 : -1;
      std::optional<Index3> const there = links_.on_grid(next);
      if (!there || constraint_of(problem_, *there) == constraint::insulation) continue;
      bool const sampled = !holds(subdomain_.owned(), next);
      double const conductance =
          conductance_of_link(problem_, plain_units, axis, upper ? global : *there);
      double gain = 0.0;
      if (((*there)[axis] > global[axis]) != upper) {  // across the end of a periodic axis
        gain = (upper ? 1.0 : -1.0) * gain_over_period(problem_, axis);
      }
      draft.neighbours.push_back({sampled ? *there : next, {0, sampled, conductance, gain}});
    }
  }
}

/// Collects the points that some rank needs but does not own next to the other, and samples them on
/// all ranks. Collective.
template <class Real>
void HeatFlowMeter<Real>::share_pairs(Drafts& drafts) {
  Grid const& grid = problem_.grid;
  // Points travel as their numbers in the whole grid, which doubles hold exactly.
  std::vector<double> mine;
  for (auto const& pair : apart_) {
    mine.push_back(number_on_grid(grid, pair.here));
    mine.push_back(number_on_grid(grid, pair.beside));
  }
  std::vector<double> all;
  // Neighbours of balanced points in other parts are sampled as well.
  for (auto const& [name, draft] : drafts) {
    for (auto const& [point, neighbour] : draft.neighbours) {
      if (neighbour.sampled) mine.push_back(number_on_grid(grid, point));
    }
  }
  ranks_.all_gather(mine, counts_of_all(ranks_, mine.size()), all);
  // All ranks sort the same list, so they agree on the numbers of samples.
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.empty()) return;
  auto const sample_of = [&](Index3 global) {
    auto const found = std::ranges::lower_bound(all, number_on_grid(grid, global));
    return static_cast<std::size_t>(found - all.begin());
  };
  for (auto const& [here, beside, side, side_beside, conductance, gain] : apart_) {
    sampled_.push_back({sample_of(here), sample_of(beside), side, side_beside, conductance, gain});
  }
  apart_ = {};
  for (auto& [name, draft] : drafts) {
    for (auto& [point, neighbour] : draft.neighbours) {
      if (neighbour.sampled) neighbour.place = static_cast<std::uint32_t>(sample_of(point));
    }
  }
  LocalBox const whole{{}, grid.points};
  // Samples are requested by their coordinates.
  std::vector<PerAxis<double>> places;
  for (double const number : all) {
    Index3 const point = point_of(whole, static_cast<std::int64_t>(number));
    auto const [x, y, z] = coordinates(grid, point);
    places.push_back({x, y, z});
  }
  samples_.emplace(ranks_, queue_, subdomain_, places);
}

/// Evaluates the inflows that do not depend on the field; only once if nothing varies in time.
template <class Real>
void HeatFlowMeter<Real>::evaluate_given(double time_s) {
  if (given_ && !varies_in_time(problem_)) return;
  given_ = make_ledger();
  add_source(time_s);
  add_named_sources(time_s);
  add_derivatives(time_s);
  add_robin_flows(time_s);
}

template <class Real>
template <class Visit>
void HeatFlowMeter<Real>::for_each_heat(ScalarFunction const& source, double time_s,
                                        Visit const& visit) const {
  if (source.is_zero()) return;
  std::vector<std::pair<int, double>> amounts;
  for (LocalBox const chunk : chunks(subdomain_.owned(), points_at_once)) {
    amounts.resize(static_cast<std::size_t>(chunk.point_count()));
    for_each_row(chunk, [&](std::int64_t j, std::int64_t k) {
      Index3 global = subdomain_.to_global(Index3{chunk.lower.x, j, k});
      auto const count = static_cast<std::size_t>(chunk.extent().x);
      auto const begin = static_cast<std::size_t>(number_in(chunk, {chunk.lower.x, j, k}));
      std::vector<int> constraints(count);
      find_constraints(problem_, global, constraints);
      std::vector<double> densities(count);
      evaluate_row(source, problem_.grid, global, time_s, densities);
      for (std::size_t i = 0; i < count; ++i, ++global.x) {
        amounts[begin + i] = {side_of(constraints[i], global),
                              densities[i] * volume(problem_.grid, plain_units, global)};
      }
    });
    // Visits are serial; evaluation above runs on all threads.
    for (auto const& [side, amount] : amounts) {
      // At a fixed point nothing depends on the source, which need not be finite there.
      bool const is_void = side != constraint::none && !std::isfinite(amount);
      if (!is_void && side != constraint::insulation) visit(side, amount);
    }
  }
}

/// Adds the heat of the source: into unknown points, or to the constraints of fixed ones.
template <class Real>
void HeatFlowMeter<Real>::add_source(double time_s) {
  if (problem_.source.depends_on_u) return;  // add_dependent_heat() has it
  for_each_heat(problem_.source, time_s, [&](int side, double amount) {
    given_->pass(static_cast<int>(source_entry()), side, amount);
  });
}

/// Adds the heat of each named source term, a part of that of the source.
template <class Real>
void HeatFlowMeter<Real>::add_named_sources(double time_s) {
  named_.clear();
  for (SourceTerm const& term : problem_.source_terms) {
    if (term.name.empty()) continue;
    ExactSum& sum = named_.emplace_back();
    for_each_heat(term.density, time_s, [&](int, double amount) { sum.add(amount); });
  }
}

/// Adds the heat through Neumann faces.
template <class Real>
void HeatFlowMeter<Real>::add_derivatives(double time_s) {
  for (Face const face : faces(problem_.grid)) {
    if (!has_anywhere(problem_, face, BoundaryKind::neumann) || !has_flux(problem_, face)) continue;
    for_each_point(points_on(face), [&](Index3 point) {
      Index3 const global = subdomain_.to_global(point);
      int const side = side_of(constraint_of(problem_, global), global);
      if (side == constraint::insulation) return;
      for (PatchFlow const& part : patch_flows(problem_, plain_units, face, global, time_s)) {
        if (part.flow.flux != 0.0)
          given_->pass(entry_of(face.index(), part.patch), side, part.flow.flux);
      }
    });
  }
}

/// Evaluates the ambient values of Robin faces, and the given part of balanced points' inflows.
template <class Real>
void HeatFlowMeter<Real>::add_robin_flows(double time_s) {
  for (Zone& zone : zones_) {
    for (RobinPoint& through : zone.through_faces) {
      Index3 const global = subdomain_.to_global(point_of(zone.box, through.here));
      if (through.face >= constraint::first_region) {
        ScalarFunction const& value = *fixed_value(problem_, through.face, global);
        through.beyond = value_at(value, problem_.grid, global, time_s);
        continue;
      }
      Face const face = Face::from_index(through.face);
      through.beyond = flow_of_patch(problem_, face, through.patch, global, time_s).ambient;
    }
    for (Balanced& balanced : zone.balanced) {
      Index3 const global = subdomain_.to_global(point_of(zone.box, balanced.here));
      balanced.given = given_through(balanced, global, time_s);
    }
  }
}

/// Returns the part of a balanced point's inflow through a patch that the field does not determine.
/// The patches of a point share what leaves it in proportion to their conductances. If the ambient
/// values of two of them differ, heat also flows from one to the other, through both conductances
/// in series.
template <class Real>
double HeatFlowMeter<Real>::given_through(Balanced const& balanced, Index3 global,
                                          double time_s) const {
  Grid const& grid = problem_.grid;
  Face const own = Face::from_index(balanced.face);
  double const beyond = flow_of_patch(problem_, own, balanced.patch, global, time_s).ambient;
  // The point's source and Neumann fluxes leave it through its links, too.
  double otherwise =
      value_at(problem_.source, grid, global, time_s) * volume(grid, plain_units, global);
  // So does the heat from fluids.
  otherwise += flow_of_films(problem_, global, time_s).inflow;
  // The flow through its other Robin faces and patches, driven by the difference of ambient values.
  double from_others = 0.0;
  for (Face const face : faces(grid)) {
    if (!lies_on(grid, face, global)) continue;
    for (auto const& [patch, flow] : patch_flows(problem_, plain_units, face, global, time_s)) {
      otherwise += flow.flux;
      bool const is_other = face != own || patch != balanced.patch;
      if (is_other) from_others += flow.conductance * (flow.ambient - beyond);
    }
  }
  return -balanced.share * (otherwise + from_others);
}

/// Returns the sensitivity of a flow between two values, one of which is unknown.
template <class Real>
HeatFlowSensitivity HeatFlowMeter<Real>::slopes_of(double conductance, double here, double there) {
  double const rounding = unit_in_last_place<Real>(here) + unit_in_last_place<Real>(there);
  return {conductance * rounding, conductance, conductance * conductance};
}

/// Adds the flow along a link.
template <class Real>
template <class Place>
void HeatFlowMeter<Real>::add_pair_to(HeatFlowLedger& ledger, Pair<Place> const& pair,
                                      double conductance, double here, double there) {
  ledger.pass(pair.side, pair.side_beside, conductance * (here - there),
              slopes_of(conductance, here, there));
}

template <class Real>
template <class Place>
double HeatFlowMeter<Real>::conductance_of(Pair<Place> const& pair,
                                           std::vector<LinkOfPair> const& links, std::size_t number,
                                           double here, double there, double time_s) const {
  if (!varies_) return pair.conductance;
  auto const& [axis, lower] = links[number];
  return conductance_of_link(problem_, plain_units, surfaces_, axis, lower, {here, there, time_s});
}

template <class Real>
void HeatFlowMeter<Real>::add_robin_flow(Zone const& zone, RobinPoint const& through, double here,
                                         double time_s, HeatFlowLedger& ledger) {
  double conductance = through.conductance, beyond = through.beyond;
  if (is_nonlinear_ && through.face < constraint::first_region) {
    Index3 const global = subdomain_.to_global(point_of(zone.box, through.here));
    Face const face = Face::from_index(through.face);
    FaceFlow const flow = flow_of_patch(problem_, face, through.patch, global, time_s, here);
    bool const is_free = through.side == constraint::none;
    conductance = flow.conductance;
    if (!is_free) {
      conductance *= limit_at_given(problem_, plain_units, face, global, time_s, here);
    }
    beyond = flow.ambient;
  }
  if (is_nonlinear_ && through.face >= constraint::first_region) {
    Index3 const global = subdomain_.to_global(point_of(zone.box, through.here));
    bool const is_free = through.side == constraint::none;
    auto const films = is_free ? films_at(problem_, plain_units, global, here, time_s)
                               : films_at_given(problem_, plain_units, global, here, time_s);
    for (SurfaceFilm const& film : films) {
      if (constraint::first_region + film.region != through.face) continue;
      conductance = film.conductance;
      beyond = film.ambient;
      radiated_[static_cast<std::size_t>(film.region)].add(film.radiation);
    }
  }
  ledger.pass(entry_of(through.face, through.patch), through.side, conductance * (beyond - here),
              slopes_of(conductance, here, beyond));
}

/// Reads the values of a zone and adds its flows.
template <class Real>
void HeatFlowMeter<Real>::add_zone(Zone const& zone, FieldView<Real const> field,
                                   std::vector<double> const& samples, double time_s,
                                   HeatFlowLedger& ledger) {
  values_.resize(static_cast<std::size_t>(zone.box.point_count()));
  // One copy brings all values of the zone to the host.
  staging_->read(queue_, field, zone.box, values_.data());
  auto const at = [&](std::uint32_t place) { return static_cast<double>(values_[place]); };
  for (std::size_t n = 0; n < zone.pairs.size(); ++n) {
    auto const& pair = zone.pairs[n];
    double const here = at(pair.here), there = at(pair.beside);
    add_pair_to(ledger, pair, conductance_of(pair, zone.links, n, here, there, time_s), here,
                there);
  }
  // Robin faces that are measured by their own conductance.
  for (RobinPoint const& through : zone.through_faces) {
    add_robin_flow(zone, through, at(through.here), time_s, ledger);
  }
  // Robin faces that are measured by what leaves the point.
  auto neighbour = zone.neighbours.begin();
  for (Balanced const& balanced : zone.balanced) {
    double const here = at(balanced.here);
    double leaves = balanced.reaction * here;
    HeatFlowSensitivity slopes;
    for (std::uint32_t n = 0; n < balanced.neighbours; ++n, ++neighbour) {
      double const there =
          (neighbour->sampled ? samples[neighbour->place] : at(neighbour->place)) + neighbour->gain;
      leaves += neighbour->conductance * (here - there);
      HeatFlowSensitivity const one = slopes_of(neighbour->conductance, here, there);
      slopes.rounding += balanced.share * one.rounding;
      // Both values are unknown. The shares of a point's faces sum to 1, so their squares' sum is
      // divided likewise.
      slopes.sum += balanced.share * 2.0 * one.sum;
      slopes.squares += balanced.share * 2.0 * one.squares;
    }
    ledger.add(entry_of(balanced.face, balanced.patch), balanced.given + balanced.share * leaves,
               slopes);
  }
}

template <class Real>
void HeatFlowMeter<Real>::add_dependent_heat(FieldView<Real const> field, double time_s,
                                             HeatFlowLedger& ledger) {
  if (!has_dependent_heat()) return;
  struct Term {
    int side = constraint::none;
    double conductance = 0.0;  ///< reaction term
    double source = 0.0;
  };
  std::vector<Term> terms;
  ScalarFunction const& source = problem_.source;
  for (LocalBox const chunk : chunks(subdomain_.owned(), points_at_once)) {
    auto const count = static_cast<std::size_t>(chunk.point_count());
    values_.resize(count);
    terms.resize(count);
    staging_->read(queue_, field, chunk, values_.data());
    for_each_row(chunk, [&](std::int64_t j, std::int64_t k) {
      for (std::int64_t i = chunk.lower.x; i < chunk.upper.x; ++i) {
        auto const n = static_cast<std::size_t>(number_in(chunk, {i, j, k}));
        Index3 const global = subdomain_.to_global(Index3{i, j, k});
        int const side = side_of(constraint_of(problem_, global), global);
        Term& term = terms[n] = {side, reaction_heat(problem_, global), 0.0};
        if (!source.depends_on_u) continue;
        auto const u = static_cast<double>(values_[n]);
        term.source = value_at(source, problem_.grid, global, time_s, u) *
                      volume(problem_.grid, plain_units, global);
      }
    });
    for (std::size_t n = 0; n < count; ++n) {
      auto const [side, conductance, heat] = terms[n];
      if (side == constraint::insulation) continue;
      auto const here = static_cast<double>(values_[n]);
      ledger.pass(static_cast<int>(reaction_entry()), side, -conductance * here,
                  slopes_of(conductance, here, 0.0));
      bool const is_void = side != constraint::none && !std::isfinite(heat);
      if (!is_void) ledger.pass(static_cast<int>(source_entry()), side, heat);
    }
  }
}

template <class Real>
HeatFlows HeatFlowMeter<Real>::read(FieldView<Real const> field, double time_s) {
  evaluate_given(time_s);
  radiated_.assign(problem_.medium.fixed.size(), {});
  // The ledger starts with the exact sums of the given part.
  HeatFlowLedger ledger = *given_;
  std::vector<double> const at = samples_ ? samples_->read(field) : std::vector<double>{};
  for (Zone const& zone : zones_) add_zone(zone, field, at, time_s, ledger);
  for (std::size_t n = 0; n < sampled_.size(); ++n) {
    auto const& pair = sampled_[n];
    double const here = at[pair.here], there = at[pair.beside] + pair.gain;
    add_pair_to(ledger, pair, conductance_of(pair, apart_links_, n, here, there, time_s), here,
                there);
  }
  add_dependent_heat(field, time_s, ledger);
  HeatFlowTotals const totals = ledger.totals(ranks_);
  HeatFlows flows;
  // The order of entries: faces, fixed regions, the source, the reaction term, patches.
  auto const patches = totals.entries.end() - std::ssize(problem_.patches);
  std::ranges::copy_n(totals.entries.begin(), constraint::first_region, flows.faces.begin());
  flows.fixed.assign(totals.entries.begin() + constraint::first_region, patches - 2);
  flows.patches.assign(patches, totals.entries.end());
  flows.source = totals.entries[source_entry()];
  flows.reaction = totals.entries[reaction_entry()];
  flows.named_sources = exact_totals(ranks_, named_);
  flows.radiation = exact_totals(ranks_, radiated_);
  flows.balance = totals.net;
  flows.in = totals.in;
  flows.out = totals.out;
  flows.slopes = totals.slopes;
  return flows;
}

template <class Real>
HeatFlowMeterBytes HeatFlowMeter<Real>::footprint(mpi::Communicator const& ranks, Backend backend,
                                                  Subdomain const& subdomain,
                                                  Problem const& problem) {
  constexpr std::size_t growth = 3;  // a vector that grows holds two copies, one twice as large
  FixedLinks const links(subdomain, problem);
  std::size_t pairs = 0;
  // Regions may read files.
  rethrow_on_all_ranks(ranks, [&] { pairs = links.maximum(); });
  std::size_t const apart = std::min(pairs, links.maximum_leaving());
  auto [robin, beyond] = max_robin_points(subdomain, problem);
  // A link of the dual grid that crosses a surface belongs to two volumes in 2D, and to four in 3D.
  if (has_fluids(problem)) {
    auto const owned = static_cast<std::size_t>(subdomain.owned().point_count());
    std::size_t on_faces = 0;
    for (Face const face : faces(problem.grid)) {
      bool const is_given = has_anywhere(problem, face, BoundaryKind::dirichlet);
      if (!is_given || !subdomain.on_physical_face(face)) continue;
      on_faces += static_cast<std::size_t>(subdomain.rim(face, 1).point_count());
    }
    robin += std::min(owned, 64 + 4 * pairs + on_faces);
  }
  // Every rank lists the samples of all ranks.
  auto const samples = static_cast<std::size_t>(ranks.sum(std::uint64_t{2 * apart + beyond}));
  bool const is_nonlinear = isotherm::is_nonlinear(problem);
  std::size_t const of_pair = sizeof(Pair<Index3>) + sizeof(Pair<std::uint32_t>) +
                              (is_nonlinear ? 2 * sizeof(LinkOfPair) : 0);
  std::size_t const of_robin = sizeof(std::pair<Index3, RobinPoint>) + sizeof(RobinPoint) +
                               sizeof(std::pair<Index3, Balanced>) + sizeof(Balanced) +
                               6 * (sizeof(std::pair<Index3, Neighbour>) + sizeof(Neighbour));
  // The numbers, places and values of samples, and what PointSampler keeps of them.
  std::size_t const of_sample = growth * (2 * sizeof(PerAxis<double>) + sizeof(LocalBox)) +
                                2 * sizeof(PerAxis<double>) + 16 * sizeof(double);
  HeatFlowMeterBytes bytes;
  bytes.host = product_of_bytes(growth * of_pair, pairs);
  bytes.host = sum_of_bytes(bytes.host, growth * of_robin * robin);
  bytes.host =
      sum_of_bytes(bytes.host, growth * apart * (sizeof(Pair<Index3>) + sizeof(Pair<std::size_t>)));
  bytes.host = sum_of_bytes(bytes.host, product_of_bytes(of_sample, samples));
  // A chunk of points, or two planes at a face: constraints, heat of the source, values.
  std::size_t points = largest_chunk(subdomain.owned(), points_at_once);
  for (Face const face : faces(problem.grid)) {
    points = std::max(points, static_cast<std::size_t>(links.near_face(face).point_count()));
  }
  bytes.host = sum_of_bytes(bytes.host,
                            points * (sizeof(int) + sizeof(std::pair<int, double>) + sizeof(Real)));
  // The reaction term, and the source for the field's values, of a chunk of points.
  if (is_nonlinear || !problem.reaction.is_zero()) {
    bytes.host = sum_of_bytes(bytes.host, points * 2 * sizeof(double));
  }
  // Zones have a link at least, apart from those of faces. Exact sums.
  std::size_t const of_films = has_fluids(problem) ? max_zones(subdomain, problem) : std::size_t{0};
  std::size_t const zones = 6 + std::min(pairs, max_zones(subdomain, problem)) + of_films;
  std::size_t const sums = 32 + 2 * problem.medium.fixed.size() + problem.source_terms.size() +
                           2 * problem.patches.size();
  bytes.host = sum_of_bytes(
      bytes.host, 2 * zones * (sizeof(Draft) + sizeof(Zone)) + 8 * sums * sizeof(ExactSum));
  bytes.device = HostStaging<Real>::footprint(backend, subdomain.extent()) +
                 Buffer::footprint(backend, Space::device, samples * sizeof(Real));
  return bytes;
}

double largest_balance(Problem const& problem, HeatFlows const& flows, Norm norm, double error,
                       std::optional<double> residual) {
  Grid const& grid = problem.grid;
  // The volume of the box, and that of the largest control volume.
  double total_volume = 1.0;
  double largest_volume = 1.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    double sum = 0.0;
    double largest = 0.0;
    for (std::int64_t i = 0; i < grid.points[axis]; ++i) {
      double const width = volume_width(grid, plain_units, axis, i);
      sum += width;
      largest = std::max(largest, width);
    }
    total_volume *= sum;
    largest_volume *= largest;
  }
  // A point has two links along each axis, so its value enters the slopes up to that many times,
  // and once more with a reaction term.
  auto const links = static_cast<double>(2 * grid.dimension + (problem.reaction.is_zero() ? 0 : 1));
  auto const unknowns = static_cast<double>(unknown_count(problem));
  bool const largest_value = norm == Norm::max;
  // First bound. For l2, errors are root mean squares, so ‖e‖ is √unknowns times the error.
  double const by_values =
      error *
      (largest_value ? flows.slopes.sum : std::sqrt(unknowns * links * flows.slopes.squares));
  if (!residual || *residual == 0.0) return by_values;
  // Second bound. Residuals are per volume, so ‖r‖ contains the volumes.
  double const volume = largest_value ? total_volume : unknowns * largest_volume;
  // Two roots, because the product of tiny errors and residuals would underflow.
  return std::min(by_values, std::sqrt(flows.slopes.sum * volume * error) * std::sqrt(*residual));
}

template class HeatFlowMeter<float>;
template class HeatFlowMeter<double>;

}  // namespace isotherm
