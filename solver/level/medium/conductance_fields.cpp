#include "solver/level/medium/conductance_fields.hpp"

#include <algorithm>

#include "decomposition/grid/point_name.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the points of a field that lie on the grid or beyond the end of a periodic axis.
LocalBox points_on_grid(Subdomain const& subdomain, LocalBox field) {
  LocalBox grid = subdomain.grid_box();
  for (int axis = 0; axis < 3; ++axis) {
    if (!subdomain.grid().periodic[axis]) continue;
    grid.lower[axis] = std::min(grid.lower[axis], field.lower[axis]);
    grid.upper[axis] = std::max(grid.upper[axis], field.upper[axis]);
  }
  return intersection(grid, field);
}

/// Returns the reciprocal distance to the next point; 1 beyond the last one.
double inverse_gap_at(Grid const& grid, MediumUnits const& units, int axis, std::int64_t index) {
  bool const exists = index >= 0 && index < grid.intervals(axis);
  return exists ? units.length / grid.conducting_gap(axis, index) : 1.0;
}

/// True if the heat capacity is the same positive constant everywhere. It then cancels out by the
/// choice of units.
bool is_trivial(ScalarFunction const& capacity) {
  return capacity.is_constant() && capacity.constant > 0.0;
}

/// Returns the points of a box on a plane across an axis, ghost points included.
LocalBox plane_of(LocalBox points, int axis, std::int64_t plane) {
  points.lower[axis] = std::max(points.lower[axis], plane);
  points.upper[axis] = std::min(points.upper[axis], plane + 1);
  return points;
}

}  // namespace

template <class Real, int dimension>
ConductanceFields<Real, dimension>::ConductanceFields(Problem const& problem,
                                                      FieldSpace<Real>& space) {
  for (int axis = 0; axis < dimension; ++axis)
    along_[static_cast<std::size_t>(axis)].emplace(space);
  MediumUnits const units = medium_units(problem);
  inverse_width_.emplace(space, [&](int axis, std::int64_t index) {
    return 1.0 / volume_width(problem.grid, units, axis, index);
  });
  make_between_points(problem, units, space);
  make_cut_links(problem, units, space);
  mark_last_plane(problem, space);
  make_through_faces(problem, units, space);
  make_reaction(problem, units, space);
  make_capacity(problem, units, space);
}

/// Computes the conductances between neighbouring points along all axes.
template <class Real, int dimension>
void ConductanceFields<Real, dimension>::make_between_points(Problem const& problem,
                                                             MediumUnits const& units,
                                                             FieldSpace<Real>& space) {
  Subdomain const& subdomain = space.subdomain();
  // These rows are needed only while conductances are computed.
  RowFields<Real> const width(space, [&](int axis, std::int64_t index) {
    return volume_width(problem.grid, units, axis, index);
  });
  RowFields<Real> const inverse_gap(space, [&](int axis, std::int64_t index) {
    return inverse_gap_at(problem.grid, units, axis, index);
  });
  VolumeRows<Real> const volumes{width.view(), inverse_gap.view()};
  DistributedField<Real> conductivity(space);
  for (int axis = 0; axis < dimension; ++axis) {
    // An isotropic medium has the same conductivity along all axes.
    if (axis == 0 || !problem.medium.isotropic) {
      conductivity.evaluate(subdomain.owned(),
                            signed_conductivity(problem, units, subdomain, axis));
      conductivity.check_evaluated([&](Index3 point) {
        ValueRefusal const refusal =
            conductivity_refusal(problem, axis, subdomain.to_global(point));
        return ValueFault{refusal.key(), refusal.what()};
      });
    }
    auto& to = *along_[static_cast<std::size_t>(axis)];
    // A conductance is stored at the lower one of its two points, so the last point has none.
    LocalBox box = points_on_grid(subdomain, to.view().box);
    --box.upper[axis];
    // The conductance at a part's end needs the conductivity of the next point.
    FieldView<Real const> const with_next = conductivity.with_halo();
    // Nothing flows along an axis of one point.
    if (problem.grid.points[axis] == 1 || box.empty()) continue;
    set_conductances(space.queue(), axis, with_next, volumes, to.writable(), box);
  }
  space.queue().wait();  // the conductivities and rows are freed
}

/// Replaces the conductances of the links that surfaces cut. Most rows of points have no such link,
/// or a few at the ends of a solid, so few links are evaluated. Values pass through host memory.
template <class Real, int dimension>
void ConductanceFields<Real, dimension>::make_cut_links(Problem const& problem,
                                                        MediumUnits const& units,
                                                        FieldSpace<Real>& space) {
  auto const links = link_conductivity(problem);
  if (!links) return;
  Grid const& grid = problem.grid;
  Index3 const first = space.subdomain().owned_global().lower;
  for (int axis = 0; axis < dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    auto& to = *along_[static_cast<std::size_t>(axis)];
    LocalBox box = points_on_grid(space.subdomain(), to.view().box);
    --box.upper[axis];
    if (box.empty()) continue;
    auto const on_grid = [&](Index3 local) {
      Index3 global = local + first;
      for (int other = 0; other < 3; ++other) global[other] = grid.on_axis(other, global[other]);
      return global;
    };
    auto const replace = [&](Index3 global, Real& conductance) {
      // Nothing flows to insulated points: their conductances are 0 already.
      if (conductance == Real{0}) return;
      auto const value = links->conductance(units, axis, global);
      if (value) conductance = std::copysign(static_cast<Real>(*value), conductance);
    };
    to.change(box, [&](LocalBox chunk, Real* dense) {
      Extent3 const n = chunk.extent();
      for_each_row(chunk, [&](std::int64_t j, std::int64_t k) {
        Real* const row = dense + n.x * ((j - chunk.lower.y) + n.y * (k - chunk.lower.z));
        auto const ranges = links->candidates(axis, on_grid({chunk.lower.x, j, k}));
        if (ranges.empty()) return;
        for (std::int64_t i = chunk.lower.x; i < chunk.upper.x; ++i) {
          Index3 const global = on_grid({i, j, k});
          if (LinkConductivity::contain(ranges, global.x)) {
            replace(global, row[i - chunk.lower.x]);
          }
        }
      });
    });
  }
  space.queue().wait();
}

/// Marks the fixed points of the last plane across x in the conductances along x. The conductances
/// of the grid's last points lead to no point, and those of the last ghost points have not been
/// computed. Both are set to ±0 here; −0 marks a fixed point.
template <class Real, int dimension>
void ConductanceFields<Real, dimension>::mark_last_plane(Problem const& problem,
                                                         FieldSpace<Real>& space) {
  Subdomain const& subdomain = space.subdomain();
  Grid const& grid = problem.grid;
  auto& to = *along_[0];
  LocalBox const on_grid = points_on_grid(subdomain, to.view().box);
  auto const mark = [&](std::int64_t plane) {
    to.evaluate(plane_of(on_grid, 0, plane), [&](Index3 place) {
      Index3 global = place + subdomain.owned_global().lower;
      // Ghost points beyond a periodic end are points of the grid.
      for (int axis = 0; axis < 3; ++axis) global[axis] = grid.on_axis(axis, global[axis]);
      return is_fixed_point(problem, global) ? -0.0 : 0.0;
    });
  };
  // The last plane of this rank's field, and the grid's if that is another one.
  std::int64_t const last = on_grid.upper.x - 1;
  mark(last);
  std::int64_t const end = subdomain.grid_box().upper.x - 1;
  if (end != last && !(grid.periodic[0] && grid.points.x > 1)) mark(end);
}

/// Computes the conductances through Robin faces.
template <class Real, int dimension>
void ConductanceFields<Real, dimension>::make_through_faces(Problem const& problem,
                                                            MediumUnits const& units,
                                                            FieldSpace<Real>& space) {
  Subdomain const& subdomain = space.subdomain();
  for (Face const face : faces(problem.grid)) {
    if (!may_be_robin(problem, face)) continue;
    auto& to = *along_[static_cast<std::size_t>(face.axis)];
    // These are points on the face, those of adjacent ghost layers included. Conductances through a
    // lower face are stored at the index before the point.
    LocalBox const whole = subdomain.grid_box();
    std::int64_t const plane = face.upper ? whole.upper[face.axis] - 1 : whole.lower[face.axis];
    LocalBox const points = plane_of(points_on_grid(subdomain, to.view().box), face.axis, plane);
    Index3 shift{};
    if (!face.upper) shift[face.axis] = 1;
    LocalBox const places =
        intersection({points.lower - shift, points.upper - shift}, to.view().box);
    // Only conductances along x carry marks.
    bool const marks = face.axis == 0 && face.upper;
    Index3 const first = subdomain.owned_global().lower;
    to.evaluate(places, [&](Index3 place) {
      Index3 global = place + shift + first;
      for (int axis = 0; axis < 3; ++axis) global[axis] = problem.grid.on_axis(axis, global[axis]);
      double const value = robin_conductance(problem, units, face, global);
      return marks && is_fixed_point(problem, global) ? -value : value;
    });
    to.check_evaluated([&](Index3 place) {
      return ValueFault{"boundary." + name(face),
                        "the coefficient of the face " + name(face) +
                            " is below 0 or not a number at " +
                            point_name(problem.grid, subdomain.to_global(place + shift))};
    });
  }
}

/// Computes the reaction term, if the problem has one.
template <class Real, int dimension>
void ConductanceFields<Real, dimension>::make_reaction(Problem const& problem,
                                                       MediumUnits const& units,
                                                       FieldSpace<Real>& space) {
  if (!has_reaction(problem)) return;
  Subdomain const& subdomain = space.subdomain();
  reaction_.emplace(space);
  reaction_->evaluate(subdomain.owned(), [&](Index3 point) {
    return reaction_term(problem, units, subdomain.to_global(point));
  });
  reaction_->check_evaluated([&](Index3 point) {
    ValueRefusal const refusal = reaction_refusal(problem, subdomain.to_global(point));
    return ValueFault{refusal.key(), refusal.what()};
  });
  (void)reaction_->with_halo();
}

/// Evaluates the reciprocal heat capacities if they vary or are not positive.
template <class Real, int dimension>
void ConductanceFields<Real, dimension>::make_capacity(Problem const& problem,
                                                       MediumUnits const& units,
                                                       FieldSpace<Real>& space) {
  Subdomain const& subdomain = space.subdomain();
  // A constant capacity is the unit, so nothing is stored.
  if (is_trivial(problem.medium.capacity)) return;
  inverse_capacity_.emplace(space);
  inverse_capacity_->evaluate(subdomain.owned(), inverse_capacity(problem, units, subdomain));
  inverse_capacity_->check_evaluated([&](Index3 point) {
    ValueRefusal const refusal = capacity_refusal(problem, subdomain.to_global(point));
    return ValueFault{refusal.key(), refusal.what()};
  });
  (void)inverse_capacity_->with_halo();
}

template <class Real, int dimension>
void ConductanceFields<Real, dimension>::set_links(Subdomain const& subdomain,
                                                   OfLink const& of_link) {
  for (int axis = 0; axis < dimension; ++axis) {
    if (subdomain.grid().points[axis] == 1) continue;
    LocalBox box = subdomain.owned();
    --box.lower[axis];
    box = points_on_grid(subdomain, box);
    // The last point of the grid has no link, unless the axis closes on itself.
    if (!subdomain.grid().periodic[axis]) {
      box.upper[axis] = std::min(box.upper[axis], subdomain.grid_box().upper[axis] - 1);
    }
    if (box.empty()) continue;
    along_[static_cast<std::size_t>(axis)]->change(box, [&](LocalBox chunk, Real* dense) {
      Extent3 const n = chunk.extent();
      for_each_row(chunk, [&](std::int64_t j, std::int64_t k) {
        Real* to = dense + n.x * ((j - chunk.lower.y) + n.y * (k - chunk.lower.z));
        for (std::int64_t i = chunk.lower.x; i < chunk.upper.x; ++i, ++to) {
          if (*to == Real{0}) continue;
          *to = std::copysign(static_cast<Real>(of_link(axis, {i, j, k})), *to);
        }
      });
    });
  }
}

template <class Real, int dimension>
Conductances<Real, dimension> ConductanceFields<Real, dimension>::view() const {
  Conductances<Real, dimension> conductances;
  conductances.x = along_[0]->view();
  conductances.y = along_[1]->view();
  if constexpr (dimension == 3) conductances.z = along_[2]->view();
  AxisRows<Real> const inverse_width = inverse_width_->view();
  conductances.inverse_width_x = inverse_width.x;
  conductances.inverse_width_y = inverse_width.y;
  conductances.inverse_width_z = inverse_width.z;
  if (inverse_capacity_) conductances.inverse_capacity = inverse_capacity_->view();
  if (reaction_) conductances.reaction = reaction_->view();
  return conductances;
}

template <class Real, int dimension>
std::size_t ConductanceFields<Real, dimension>::footprint(Problem const& problem, Backend backend,
                                                          Extent3 owned, Index3 halo) {
  std::size_t const rows = 3 * RowFields<Real>::footprint(backend, owned, halo);
  // Conductances, the conductivity during construction, a varying capacity, and the reaction
  // term.
  std::size_t const fields =
      dimension + (is_trivial(problem.medium.capacity) ? 1 : 2) + (has_reaction(problem) ? 1 : 0);
  return rows + fields * Field<Real>::footprint(backend, owned, halo);
}

template class ConductanceFields<float, 2>;
template class ConductanceFields<float, 3>;
template class ConductanceFields<double, 2>;
template class ConductanceFields<double, 3>;

}  // namespace isotherm
