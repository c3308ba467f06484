#include "solver/discretise/flux/energy_meter.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

#include "decomposition/ranks/exact_totals.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/point_constraints.hpp"

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
double EnergyMeter<Real>::energy(FieldView<Real const> field) {
  next_.read(field, staging_);
  return total(field, 1, [&](Chunk const& chunk, std::int64_t j, std::int64_t k, ExactSum& sum) {
    add_energy(chunk, j, k, sum);
  });
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
  std::vector<bool> const closed = insulated(global, count);
  AlongRow const capacity(problem_.medium.capacity, grid, global);
  for (std::size_t i = 0; i < count; ++i, ++global.x) {
    if (!closed.empty() && closed[i]) continue;
    double const u = value(chunk, {static_cast<std::int64_t>(i), j, k}, 0);
    double const content =
        content_.depends_on_u() ? content_.between(global, 0.0, u) : capacity(i) * u;
    sum.add(content * volume(grid, plain_units, global));
  }
}

template <class Real>
void EnergyMeter<Real>::add_energy(Chunk const& chunk, std::int64_t j, std::int64_t k,
                                   ExactSum& sum) const {
  Grid const& grid = problem_.grid;
  Index3 const first = subdomain_.to_global(Index3{0, j, k});
  std::int64_t const points = chunk.points.extent().x;
  // One point more, for the link at the end of the row.
  std::vector<bool> const closed = insulated(first, static_cast<std::size_t>(points) + 1);
  std::vector<double> conductances;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    bool const inside = axis == 0 || first[axis] + 1 < subdomain_.owned_global().upper[axis];
    if (!inside && !next_.exist(axis)) continue;
    // The last point of a row has a link only if the grid continues.
    std::int64_t const links = axis == 0 && !next_.exist(axis) ? points - 1 : points;
    conductances.resize(static_cast<std::size_t>(links));
    find_conductances(problem_, plain_units, links_, axis, first, conductances);
    Index3 next{0, j, k};
    ++next[axis];
    Index3 next_global = first;
    next_global[axis] = grid.on_axis(axis, first[axis] + 1);
    std::vector<bool> const next_closed =
        axis == 0 ? std::vector<bool>{} : insulated(next_global, static_cast<std::size_t>(points));
    for (std::int64_t i = 0; i < links; ++i) {
      auto const n = static_cast<std::size_t>(i);
      if (!closed.empty() && (closed[n] || (axis == 0 ? closed[n + 1] : next_closed[n]))) continue;
      double const difference =
          value(chunk, {i, j, k}, axis) - value(chunk, next + Index3{i, 0, 0}, axis);
      sum.add(0.5 * conductances[n] * difference * difference);
    }
  }
}

template <class Real>
double EnergyMeter<Real>::value(Chunk const& chunk, Index3 local, int axis) const {
  if (local[axis] >= subdomain_.extent()[axis]) return static_cast<double>(next_.at(axis, local));
  Extent3 const n = chunk.box.extent();
  Index3 const at = local - chunk.box.lower;
  return static_cast<double>(values_[static_cast<std::size_t>((at.z * n.y + at.y) * n.x + at.x)]);
}

template <class Real>
std::vector<bool> EnergyMeter<Real>::insulated(Index3 first, std::size_t count) const {
  if (!may_exclude_points(problem_)) return {};
  std::vector<bool> found;
  for (std::size_t i = 0; i < count; ++i, ++first.x) {
    // Behind the row's end follows the other end of a periodic axis, or nothing that matters.
    Index3 global = first;
    global.x = std::min(problem_.grid.on_axis(0, first.x), problem_.grid.points.x - 1);
    found.push_back(is_outside(problem_, constraint_of(problem_, global)));
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
