#include "solver/discretise/flux/fixed_links.hpp"

#include <algorithm>
#include <utility>

#include "decomposition/field/staging/host_staging.hpp"
#include "kernels/core/byte_count.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Number of points whose constraints are kept at once.
constexpr std::int64_t points_at_once = std::int64_t{1} << 20;

/// The constraints of the points of a box and of their upper neighbours. Evaluated on all threads.
class Constraints {
 public:
  Constraints(FixedLinks const& links, Problem const& problem, LocalBox points) : box_(points) {
    for (int axis = 0; axis < problem.grid.dimension; ++axis) ++box_.upper[axis];
    // Points beyond the grid count as insulated: nothing flows to them.
    all_.resize(static_cast<std::size_t>(box_.point_count()), constraint::insulation);
    for_each_row(box_, [&](std::int64_t j, std::int64_t k) {
      auto const first = links.on_grid({box_.lower.x, j, k});
      if (!first) return;
      // The points up to the end of the grid follow each other; one beyond may be its first point.
      auto const count = std::min(box_.upper.x - box_.lower.x, problem.grid.points.x - first->x);
      std::size_t const begin = number_of({box_.lower.x, j, k});
      find_constraints(problem, *first, {&all_[begin], static_cast<std::size_t>(count)});
      for (std::int64_t i = box_.lower.x + count; i < box_.upper.x; ++i) {
        if (auto const global = links.on_grid({i, j, k})) {
          all_[number_of({i, j, k})] = constraint_of(problem, *global);
        }
      }
    });
  }
  [[nodiscard]] int operator()(Index3 point) const { return all_[number_of(point)]; }

 private:
  [[nodiscard]] std::size_t number_of(Index3 point) const {
    Extent3 const n = box_.extent();
    Index3 const at = point - box_.lower;
    return static_cast<std::size_t>((at.z * n.y + at.y) * n.x + at.x);
  }

  LocalBox box_;
  std::vector<int> all_{};
};

/// Returns the interval of coordinates along an axis beyond which a solid has no points.
Interval bounds_of(Solid const& solid, int axis) {
  if (!solid.round[axis]) return solid.between[axis];
  return {solid.center[axis] - solid.radius, solid.center[axis] + solid.radius};
}

}  // namespace

FixedLinks::FixedLinks(Subdomain subdomain, Problem const& problem)
    : subdomain_(std::move(subdomain)), problem_(problem) {}

std::optional<Index3> FixedLinks::on_grid(Index3 local) const {
  Grid const& grid = problem_.grid;
  Index3 global = subdomain_.to_global(local);
  for (int axis = 0; axis < 3; ++axis) {
    bool const beyond = global[axis] < 0 || global[axis] >= grid.points[axis];
    if (beyond && !grid.periodic[axis]) return std::nullopt;
  }
  return wrapped(global, grid.box());
}

LocalBox FixedLinks::near_face(Face face) const {
  GlobalBox box = problem_.grid.box();
  std::int64_t const n = problem_.grid.points[face.axis];
  if (face.upper) box.lower[face.axis] = std::max<std::int64_t>(0, n - 2);
  if (!face.upper) box.upper[face.axis] = std::min<std::int64_t>(2, n);
  return subdomain_.to_local(intersection(box, subdomain_.owned_global()));
}

void FixedLinks::for_each(Visit const& visit) const {
  // The surface of a fixed region may be anywhere.
  if (!problem_.medium.fixed.empty()) return for_each_in(subdomain_.owned(), {}, visit);
  for_each_at_faces(visit);
}

void FixedLinks::for_each_at_faces(Visit const& visit) const {
  std::vector<LocalBox> done;
  for (Face const face : faces(problem_.grid)) {
    if (!has_anywhere(problem_, face, BoundaryKind::dirichlet)) continue;
    for_each_in(near_face(face), done, visit);
    done.push_back(near_face(face));
  }
}

int FixedLinks::patch_that_fixes(Index3 local, int constraint) const {
  if (problem_.patches.empty() || constraint < 0 || constraint >= constraint::first_region) {
    return no_patch;
  }
  return patch_at_point(problem_, Face::from_index(constraint), *on_grid(local));
}

void FixedLinks::for_each_in(LocalBox points, std::vector<LocalBox> const& done,
                             Visit const& visit) const {
  std::int64_t number = 0;
  // Constraints are evaluated chunk by chunk, on all threads, which bounds their memory.
  for (LocalBox const chunk : chunks(points, points_at_once)) {
    Constraints const constraints(*this, problem_, chunk);
    for (Index3 point = chunk.lower; point.z < chunk.upper.z; ++point.z) {
      for (point.y = chunk.lower.y; point.y < chunk.upper.y; ++point.y) {
        for (point.x = chunk.lower.x; point.x < chunk.upper.x; ++point.x) {
          int const here = constraints(point);
          if (here == constraint::insulation) continue;
          // A point near two faces has its links counted with the first of them.
          auto const was_there = [&](LocalBox const& box) {
            return box.contains(point.x, point.y, point.z);
          };
          // Each link is found from its lower point, so it is found once.
          for (int axis = 0; axis < problem_.grid.dimension; ++axis) {
            Index3 next = point;
            ++next[axis];
            int const there = constraints(next);
            if (there == constraint::insulation) continue;
            int const patch = patch_that_fixes(point, here);
            int const patch_next = patch_that_fixes(next, there);
            if (there == here && patch == patch_next) continue;
            // A fluid exchanges heat with the medium alone, through its film.
            bool const both_fixed = here != constraint::none && there != constraint::none;
            if (both_fixed && (is_outside(problem_, here) || is_outside(problem_, there))) continue;
            if (problem_.grid.points[axis] == 1 || std::ranges::any_of(done, was_there)) continue;
            visit({point, next, axis, here, there, patch, patch_next}, number);
          }
        }
      }
    }
    ++number;
  }
}

std::size_t FixedLinks::maximum() const {
  LocalBox const owned = subdomain_.owned();
  // No meter of such a grid is ever made.
  if (exceeds_any_memory(owned)) return std::size_t{1} << 50;
  auto const is_solid = [](FixedRegion const& fixed) { return fixed.where.solid.has_value(); };
  std::size_t count = 0;
  auto const add = [&](FixedLink const&, std::int64_t) { ++count; };
  if (!std::ranges::all_of(problem_.medium.fixed, is_solid)) {
    for_each(add);
    return count;
  }
  // Links without a point on a face pass through the surface of a solid.
  if (problem_.patches.empty()) {
    count = maximum_at_faces();
  } else {
    for_each_at_faces(add);
  }
  for (FixedRegion const& fixed : problem_.medium.fixed) {
    count += maximum_through(*fixed.where.solid);
  }
  return count;
}

std::size_t FixedLinks::maximum_at_faces() const {
  std::int64_t count = 0;
  for (Face const face : faces(problem_.grid)) {
    if (!is(problem_, face, BoundaryKind::dirichlet) || near_face(face).empty()) continue;
    // Links across the face, and links from its edges, which another face may fix.
    std::int64_t const across = subdomain_.owned().point_count() / subdomain_.extent()[face.axis];
    count += across;
    for (int axis = 0; axis < problem_.grid.dimension; ++axis) {
      if (axis != face.axis) count += 2 * across / subdomain_.extent()[axis];
    }
  }
  return static_cast<std::size_t>(count);
}

std::size_t FixedLinks::maximum_through(Solid const& solid) const {
  Grid const& grid = problem_.grid;
  GlobalBox const owned = subdomain_.owned_global();
  PerAxis<std::size_t> within{1, 1, 1};  // indices between the solid's bounds
  for (int axis = 0; axis < grid.dimension; ++axis) {
    Interval const bounds = bounds_of(solid, axis);
    // Points count as inside if they lie beyond the surface by rounding only.
    double const margin = 1e-6 * narrowest_gap(grid, axis);
    within[axis] = 0;
    for (std::int64_t i = owned.lower[axis]; i < owned.upper[axis]; ++i) {
      double const at = grid.coordinate(axis, i);
      auto const is_between = [&](double place) {
        return place >= bounds.lower - margin && place <= bounds.upper + margin;
      };
      // The first point of a periodic axis lies at its upper end, too.
      bool const closes = grid.periodic[axis] && i == 0 && is_between(grid.upper(axis));
      if (is_between(at) || closes) ++within[axis];
    }
  }
  // Each row of points along an axis enters and leaves once.
  return 2 * (within[1] * within[2] + within[0] * within[2] +
              (grid.dimension == 3 ? within[0] * within[1] : 0));
}

std::size_t FixedLinks::maximum_leaving() const {
  std::int64_t count = 0;
  for (int axis = 0; axis < problem_.grid.dimension; ++axis) {
    Index3 direction{};
    direction[axis] = 1;
    if (subdomain_.neighbour(direction)) {
      count += subdomain_.owned().point_count() / subdomain_.extent()[axis];
    }
  }
  return static_cast<std::size_t>(count);
}

}  // namespace isotherm
