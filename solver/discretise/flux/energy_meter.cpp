#include "solver/discretise/flux/energy_meter.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

#include "decomposition/ranks/exact_totals.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/electrode_rim.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Number of points that are read at once.
constexpr std::int64_t points_at_once = std::int64_t{1} << 20;

/// Results are in the case's own units.
constexpr MediumUnits plain_units{};

}  // namespace

template <class Real>
EnergyMeter<Real>::EnergyMeter(mpi::Communicator const& ranks, Queue& queue,
                               Subdomain const& subdomain, Problem const& problem)
    : ranks_(ranks),
      queue_(queue),
      subdomain_(subdomain),
      problem_(problem),
      content_(problem),
      links_(link_conductivity(problem)),
      staging_(queue, subdomain.extent()),
      next_(ranks, queue, subdomain) {}

template <class Real>
double EnergyMeter<Real>::heat(FieldView<Real const> field) {
  return total(field, 0, [&](Chunk const& chunk, std::int64_t j, std::int64_t k, ExactSum& sum) {
    add_heat(chunk, j, k, sum);
  });
}

template <class Real>
double EnergyMeter<Real>::energy(FieldView<Real const> field, double time_s) {
  next_.read(field, staging_);
  return total(field, 1, [&](Chunk const& chunk, std::int64_t j, std::int64_t k, ExactSum& sum) {
    add_energy(chunk, j, k, sum);
    add_energy_of_rims(chunk, j, k, time_s, sum);
  });
}

template <class Real>
double EnergyMeter<Real>::mean_flux(FieldView<Real const> field, int axis) {
  Grid const& grid = problem_.grid;
  double volume = 1.0;
  for (int along = 0; along < grid.dimension; ++along) {
    // Nothing varies along an axis of one point, whose width is 1.
    if (grid.intervals(along) > 0) volume *= grid.length(along);
  }
  std::int64_t const last = grid.points[axis] - 1;
  bool const at_end = !problem_.medium.fixed.empty();
  next_.read(field, staging_);
  double const flow =
      total(field, 1, [&](Chunk const& chunk, std::int64_t j, std::int64_t k, ExactSum& sum) {
        for_each_link(chunk, axis, j, k, parts_of_row(chunk, j, k),
                      [&](double conductance, double difference, std::int64_t index) {
                        if (at_end && index != last) return;
                        double const reach = at_end ? grid.length(axis) : grid.gap(axis, index);
                        sum.add(conductance * difference * reach);
                      });
      });
  return flow / volume;
}

template <class Real>
std::vector<typename EnergyMeter<Real>::Chunk> EnergyMeter<Real>::chunks_of(
    Subdomain const& subdomain, std::int64_t reach) {
  LocalBox const owned = subdomain.owned();
  std::vector<Chunk> all;
  for (LocalBox const points : chunks(owned, points_at_once)) {
    LocalBox box = points;
    // Links along y and z end in the next rows and planes.
    for (int const axis : {1, 2}) {
      box.upper[axis] = std::min(points.upper[axis] + reach, owned.upper[axis]);
    }
    all.push_back({points, box});
  }
  return all;
}

template <class Real>
double EnergyMeter<Real>::total(FieldView<Real const> field, std::int64_t reach,
                                AddRow const& add_row) {
  ExactSum sum;
  std::mutex mutex;
  for (Chunk const& chunk : chunks_of(subdomain_, reach)) {
    values_.resize(static_cast<std::size_t>(chunk.box.point_count()));
    staging_.read(queue_, field, chunk.box, values_.data());
    // Rows are added on all threads. Their order does not matter, since sums are exact.
    for_each_row(chunk.points, [&](std::int64_t j, std::int64_t k) {
      ExactSum row;
      add_row(chunk, j, k, row);
      std::scoped_lock const lock(mutex);
      sum.add(row);
    });
  }
  return exact_totals(ranks_, {sum}).front();
}

template <class Real>
void EnergyMeter<Real>::add_heat(Chunk const& chunk, std::int64_t j, std::int64_t k,
                                 ExactSum& sum) const {
  Grid const& grid = problem_.grid;
  Index3 global = subdomain_.to_global(Index3{0, j, k});
  auto const count = static_cast<std::size_t>(chunk.points.extent().x);
  std::vector<Part> const parts = parts_of(global, count);
  std::vector<double> capacity(count);
  if (!content_.depends_on_u()) {
    evaluate_row(problem_.medium.capacity, grid, global, 0.0, capacity);
  }
  for (std::size_t i = 0; i < count; ++i, ++global.x) {
    if (!parts.empty() && parts[i] != Part::inside) continue;
    double const u = value(chunk, {static_cast<std::int64_t>(i), j, k}, 0);
    double const content =
        content_.depends_on_u() ? content_.between(global, 0.0, u) : capacity[i] * u;
    sum.add(content * volume(grid, plain_units, global));
  }
}

template <class Real>
std::vector<typename EnergyMeter<Real>::Part> EnergyMeter<Real>::parts_of_row(
    Chunk const& chunk, std::int64_t j, std::int64_t k) const {
  auto const points = static_cast<std::size_t>(chunk.points.extent().x);
  return parts_of(subdomain_.to_global(Index3{0, j, k}), points + 1);
}

template <class Real>
template <class Visit>
void EnergyMeter<Real>::for_each_link(Chunk const& chunk, int axis, std::int64_t j, std::int64_t k,
                                      std::vector<Part> const& parts, Visit const& visit) const {
  Grid const& grid = problem_.grid;
  Index3 const first = subdomain_.to_global(Index3{0, j, k});
  bool const inside = axis == 0 || first[axis] + 1 < subdomain_.owned_global().upper[axis];
  if (!inside && !next_.exist(axis)) return;
  std::int64_t const points = chunk.points.extent().x;
  // The last point of a row has a link only if the grid continues.
  std::int64_t const links = axis == 0 && !next_.exist(axis) ? points - 1 : points;
  std::vector<double> conductances(static_cast<std::size_t>(links));
  find_conductances(problem_, plain_units, links_, axis, first, conductances);
  Index3 next{0, j, k};
  ++next[axis];
  Index3 next_global = first;
  next_global[axis] = grid.on_axis(axis, first[axis] + 1);
  std::vector<Part> const next_parts =
      axis == 0 ? std::vector<Part>{} : parts_of(next_global, static_cast<std::size_t>(points));
  for (std::int64_t i = 0; i < links; ++i) {
    auto const n = static_cast<std::size_t>(i);
    double conductance = conductances[n];
    if (!parts.empty()) {
      Part const here = parts[n], there = axis == 0 ? parts[n + 1] : next_parts[n];
      if (here == Part::outside || there == Part::outside) continue;
      if (here == Part::given_outside && there == Part::given_outside) {
        Index3 const ahead{i, 0, 0};
        Index3 upper = next_global + ahead;
        if (axis == 0) upper.x = grid.on_axis(0, first.x + i + 1);
        conductance = conductance_outside(axis, first + ahead, upper);
      }
    }
    double const difference =
        value(chunk, {i, j, k}, axis) - value(chunk, next + Index3{i, 0, 0}, axis);
    visit(conductance, difference, first[axis] + (axis == 0 ? i : 0));
  }
}

template <class Real>
void EnergyMeter<Real>::add_energy(Chunk const& chunk, std::int64_t j, std::int64_t k,
                                   ExactSum& sum) const {
  std::vector<Part> const parts = parts_of_row(chunk, j, k);
  for (int axis = 0; axis < problem_.grid.dimension; ++axis) {
    for_each_link(chunk, axis, j, k, parts,
                  [&](double conductance, double difference, std::int64_t) {
                    sum.add(0.5 * conductance * difference * difference);
                  });
  }
}

template <class Real>
void EnergyMeter<Real>::add_energy_of_rims(Chunk const& chunk, std::int64_t j, std::int64_t k,
                                           double time_s, ExactSum& sum) const {
  Grid const& grid = problem_.grid;
  for (Face const face : faces(grid)) {
    if (!has_rims(problem_, face)) continue;
    for (std::int64_t i = 0; i < chunk.points.extent().x; ++i) {
      Index3 const global = subdomain_.to_global(Index3{i, j, k});
      if (!lies_on(grid, face, global)) continue;
      std::vector<RimCondition> const rims = rim_conditions(problem_, face, global);
      if (rims.empty()) continue;
      int const constraint = constraint_of(problem_, global);
      if (is_outside(problem_, constraint)) continue;
      double area = boundary_area(grid, plain_units, face, global) *
                    open_share_of_boundary(problem_, face, global);
      if (constraint != constraint::none) {
        area *= limit_at_given(problem_, plain_units, face, global, time_s);
      }
      double const here = value(chunk, {i, j, k}, 0);
      for (auto const& [condition, patch] : rims) {
        double const difference = value_at(condition.value, grid, global, time_s) - here;
        sum.add(0.5 * area * value_at(condition.coefficient, grid, global) * difference *
                difference);
      }
    }
  }
}

template <class Real>
double EnergyMeter<Real>::value(Chunk const& chunk, Index3 local, int axis) const {
  if (local[axis] >= subdomain_.extent()[axis]) {
    bool const wraps = subdomain_.owned_global().upper[axis] == problem_.grid.points[axis];
    return static_cast<double>(next_.at(axis, local)) +
           (wraps ? gain_over_period(problem_, axis) : 0.0);
  }
  Extent3 const n = chunk.box.extent();
  Index3 const at = local - chunk.box.lower;
  return static_cast<double>(values_[static_cast<std::size_t>((at.z * n.y + at.y) * n.x + at.x)]);
}

template <class Real>
double EnergyMeter<Real>::conductance_outside(int axis, Index3 lower, Index3 upper) const {
  // Without a surface, as in a region from a file, nothing is open.
  if (!has_open_shares(problem_)) return 0.0;
  if (is_insulated_point(problem_, lower) && is_insulated_point(problem_, upper)) return 0.0;
  return conductance_of_link(problem_, plain_units, links_, axis, lower, {});
}

template <class Real>
std::vector<typename EnergyMeter<Real>::Part> EnergyMeter<Real>::parts_of(Index3 first,
                                                                          std::size_t count) const {
  if (!may_exclude_points(problem_)) return {};
  // Behind the row's end follows the other end of a periodic axis, or nothing that matters.
  Grid const& grid = problem_.grid;
  std::size_t const inside = std::min(count, static_cast<std::size_t>(grid.points.x - first.x));
  std::vector<int> constraints(count);
  find_constraints(problem_, first, {constraints.data(), inside});
  if (inside < count) {
    std::int64_t const next = grid.periodic[0] ? 0 : grid.points.x - 1;
    constraints.back() = constraint_of(problem_, {next, first.y, first.z});
  }
  std::vector<Part> found;
  found.reserve(count);
  for (int const constraint : constraints) {
    bool const is_given = constraint >= 0 && constraint < constraint::first_region;
    found.push_back(is_outside(problem_, constraint) ? Part::outside
                    : is_given && is_outside(problem_, constraint_by_region(problem_, first))
                        ? Part::given_outside
                        : Part::inside);
    first.x = std::min(grid.on_axis(0, first.x + 1), grid.points.x - 1);
  }
  return found;
}

template <class Real>
std::size_t EnergyMeter<Real>::footprint(Subdomain const& subdomain) {
  // Each thread keeps the conductances of a row, and which points are insulated.
  std::size_t const row = static_cast<std::size_t>(subdomain.extent().x) * 2 * sizeof(double);
  return largest_chunk(subdomain.owned(), points_at_once) * sizeof(Real) +
         NextPlanes<Real>::footprint(subdomain) + std::thread::hardware_concurrency() * row;
}

template class EnergyMeter<float>;
template class EnergyMeter<double>;

}  // namespace isotherm
