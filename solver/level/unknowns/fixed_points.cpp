#include "solver/level/unknowns/fixed_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "solver/discretise/boundary.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/given/given_value.hpp"
#include "solver/discretise/point_constraints.hpp"

namespace isotherm {

namespace {

/// True if point a lies before point b in memory.
bool lies_before(Index3 a, Index3 b) {
  return a.z != b.z ? a.z < b.z : a.y != b.y ? a.y < b.y : a.x < b.x;
}

/// Returns the smallest box that contains both.
LocalBox smallest_box(LocalBox box, LocalBox other) {
  if (box.empty()) return other;
  for (int axis = 0; axis < 3; ++axis) {
    box.lower[axis] = std::min(box.lower[axis], other.lower[axis]);
    box.upper[axis] = std::max(box.upper[axis], other.upper[axis]);
  }
  return box;
}

}  // namespace

template <class Real>
void FixedPoints<Real>::add(Run const& run, Runs& to) {
  LocalBox const points{run.first, run.first + Index3{run.count, 1, 1}};
  to.all.push_back(run);
  to.box = smallest_box(to.box, points);
}

template <class Real>
std::int64_t FixedPoints<Real>::find_runs(Problem const& problem, Subdomain const& subdomain,
                                          Index3 first, std::int64_t end, std::vector<Run>& runs) {
  std::vector<int> constraints(static_cast<std::size_t>(end - first.x));
  find_constraints(problem, subdomain.to_global(first), constraints);
  std::int64_t kept = 0;
  ScalarFunction const* last = nullptr;
  Index3 point = first;
  for (int const constraint : constraints) {
    // Insulated points are fixed, too, but have no value.
    ScalarFunction const* const value =
        fixed_value(problem, constraint, subdomain.to_global(point));
    if (constraint != constraint::none) ++kept;
    // Consecutive points with the same function form one run.
    if (value != nullptr && value == last) {
      ++runs.back().count;
    } else if (value != nullptr) {
      runs.push_back({point, 1, value});
    }
    last = value;
    ++point.x;
  }
  return kept;
}

template <class Real>
FixedPoints<Real>::FixedPoints(Problem const& problem, Subdomain const& subdomain) {
  // Without regions and patches no unknown is fixed.
  if (problem.medium.fixed.empty() && problem.medium.insulated.empty() && problem.patches.empty()) {
    return;
  }
  LocalBox const box = unknown_points(problem, subdomain);
  // Rows are classified on all threads.
  std::vector<Run> runs;
  std::mutex others;
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    std::vector<Run> mine;
    std::int64_t const kept = find_runs(problem, subdomain, {box.lower.x, j, k}, box.upper.x, mine);
    std::scoped_lock const lock(others);
    count_ += kept;
    runs.insert(runs.end(), mine.begin(), mine.end());
  });
  // Threads append in any order; sorting makes the order independent of their number.
  std::ranges::sort(runs, lies_before, &Run::first);
  for (Run const& run : runs) {
    add(run, given_);
    if (run.value->varies_in_time) add(run, varying_);
  }
}

template <class Real>
double FixedPoints<Real>::given_constant(mpi::Communicator const& ranks, Problem const& problem,
                                         Subdomain const& subdomain) const {
  if (auto const given = value_given_by_faces(problem)) return *given;
  // The first fixed point of the grid is found by its global number, which is exact in a double.
  constexpr double none = std::numeric_limits<double>::infinity();
  double number = none;
  double value = 0.0;
  Grid const& grid = subdomain.grid();
  if (!given_.all.empty()) {
    // Runs are sorted, so the first one has this rank's first point.
    Run const& first = given_.all.front();
    Index3 const point = subdomain.to_global(first.first);
    auto const [x, y, z] = coordinates(grid, point);
    auto const n = static_cast<double>(grid.points.x);
    number = static_cast<double>(point.x) +
             n * (static_cast<double>(point.y) +
                  static_cast<double>(grid.points.y) * static_cast<double>(point.z));
    value = (*first.value)(x, y, z, problem.start_time_s);
  }
  double const smallest = ranks.min(number);
  if (smallest == none) return 0.0;
  // Exactly one rank owns that point; the others add 0.
  value = ranks.sum(number == smallest ? value : 0.0);
  return std::isfinite(value) ? value : 0.0;
}

template <class Real>
std::optional<Index3> FixedPoints<Real>::set(Run const& run, Subdomain const& subdomain,
                                             double time_s, Real* row) {
  std::optional<Index3> not_finite;
  std::vector<double> values(static_cast<std::size_t>(run.count));
  evaluate_row(*run.value, subdomain.grid(), subdomain.to_global(run.first), time_s, values);
  for (std::int64_t i = 0; i < run.count; ++i) {
    row[i] = static_cast<Real>(values[static_cast<std::size_t>(i)]);
    if (!std::isfinite(row[i])) not_finite = run.first + Index3{i, 0, 0};
  }
  return not_finite;
}

template <class Real>
void FixedPoints<Real>::set(Runs const& runs, DistributedField<Real>& field, double time_s) {
  auto next = runs.all.begin();  // chunks follow one another in the order of the points
  // Only the box of the runs is copied to the host and back.
  field.change(runs.box, [&](LocalBox chunk, Real* dense) {
    // The runs of this chunk, which follow those of the previous chunk.
    auto const end = std::find_if(next, runs.all.end(), [&](Run const& run) {
      return run.first.z >= chunk.upper.z || run.first.y >= chunk.upper.y;
    });
    Extent3 const n = chunk.extent();
    std::mutex others;
    // One "row" per run spreads the runs over the threads.
    for_each_row({{}, {1, end - next, 1}}, [&](std::int64_t number, std::int64_t /*k*/) {
      Run const& run = next[number];
      Index3 const at = run.first - chunk.lower;
      Real* const row = dense + (at.z * n.y + at.y) * n.x + at.x;
      if (auto const fault = set(run, field.subdomain(), time_s, row)) {
        std::scoped_lock const lock(others);
        field.note_not_finite(*fault);
      }
    });
    next = end;
  });
}

template class FixedPoints<float>;
template class FixedPoints<double>;

}  // namespace isotherm
