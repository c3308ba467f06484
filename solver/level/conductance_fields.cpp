#include "solver/level/conductance_fields.hpp"

#include <algorithm>

#include "decomposition/grid/point_name.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/keepers.hpp"

namespace isotherm {

namespace {

/// The points of a field that lie on the grid, or beyond a periodic axis' end.
LocalBox points_on_grid(Subdomain const& subdomain, LocalBox field) {
  LocalBox grid = subdomain.whole();
  for (int axis = 0; axis < 3; ++axis) {
    if (!subdomain.grid().periodic[axis]) continue;
    grid.lower[axis] = std::min(grid.lower[axis], field.lower[axis]);
    grid.upper[axis] = std::max(grid.upper[axis], field.upper[axis]);
  }
  return intersection(grid, field);
}

/// An index on an axis, taken round where it is periodic.
std::int64_t on_axis(Grid const& grid, int axis, std::int64_t global) {
  std::int64_t const n = grid.points[axis];
  return grid.periodic[axis] ? (global % n + n) % n : global;
}

bool is_trivial(ScalarFunction const& capacity) {
  return capacity.is_constant() && capacity.constant > 0.0;
}

/// The points of a plane across an axis, the halos beside it included.
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
  BodyUnits const units = body_units(problem);
  make_rows(problem, units, space);
  make_between_points(problem, units, space);
  mark_last_plane(problem, space);
  make_through_faces(problem, units, space);
  make_capacity(problem, units, space);
}

template <class Real, int dimension>
void ConductanceFields<Real, dimension>::make_rows(Problem const& problem, BodyUnits const& units,
                                                   FieldSpace<Real>& space) {
  Subdomain const& subdomain = space.subdomain();
  Grid const& grid = problem.grid;
  for (int axis = 0; axis < 3; ++axis) {
    auto const n = static_cast<std::size_t>(axis);
    std::int64_t const halo = space.halo_points()[axis];
    std::int64_t const first = subdomain.owned_global().lower[axis];
    for (auto* row : {&per_width_[n], &per_gap_[n]}) {
      row->emplace(space.queue(), Extent3{subdomain.extent()[axis], 1, 1}, Index3{halo, 0, 0});
    }
    auto const write = [&](Field<Real>& row, auto const& value) {
      std::vector<Real> values;
      LocalBox const box = row.view().box;
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        std::int64_t const global = on_axis(grid, axis, first + i);
        bool const exists = global >= 0 && global < grid.points[axis];
        values.push_back(exists ? static_cast<Real>(value(global)) : Real{1});
      }
      copy_bytes(space.queue(), row.view().origin + box.lower.x, values.data(),
                 values.size() * sizeof(Real));
      space.queue().wait();  // the values go away
    };
    write(*per_width_[n], [&](std::int64_t i) { return 1.0 / volume_width(grid, units, axis, i); });
    bool const closes = grid.periodic[axis];
    write(*per_gap_[n], [&](std::int64_t i) {
      return closes || i + 1 < grid.points[axis] ? units.length / grid.gap(axis, i) : 1.0;
    });
  }
}

template <class Real, int dimension>
void ConductanceFields<Real, dimension>::make_between_points(Problem const& problem,
                                                             BodyUnits const& units,
                                                             FieldSpace<Real>& space) {
  Subdomain const& subdomain = space.subdomain();
  VolumeRows<Real> const volumes{
      {per_width_[0]->view().origin, per_width_[1]->view().origin, per_width_[2]->view().origin},
      {per_gap_[0]->view().origin, per_gap_[1]->view().origin, per_gap_[2]->view().origin}};
  DistributedField<Real> conductivity(space);
  for (int axis = 0; axis < dimension; ++axis) {
    if (axis == 0 || !problem.body.isotropic) {
      conductivity.evaluate(subdomain.owned(),
                            signed_conductivity(problem, units, subdomain, axis));
      conductivity.check_evaluated([&](Index3 point) {
        ValueRefusal const refusal =
            conductivity_refusal(problem, axis, subdomain.to_global(point));
        return ValueFault{refusal.key(), refusal.what()};
      });
      space.halo().forget();
      conductivity.fill_halo();
    }
    auto& to = *along_[static_cast<std::size_t>(axis)];
    LocalBox box = points_on_grid(subdomain, to.view().box);
    --box.upper[axis];
    if (problem.grid.points[axis] == 1 || box.empty()) continue;
    set_conductances(space.queue(), axis, std::as_const(conductivity).view(), volumes, to.view(),
                     box);
  }
  space.queue().wait();  // the field of conductivities goes away
}

/// Conductances along x carry the marks of points that keep their values; the last ones lead
/// nowhere, and are not made between points.
template <class Real, int dimension>
void ConductanceFields<Real, dimension>::mark_last_plane(Problem const& problem,
                                                         FieldSpace<Real>& space) {
  Subdomain const& subdomain = space.subdomain();
  Grid const& grid = problem.grid;
  if (grid.periodic[0] && grid.points.x > 1) return;
  auto& to = *along_[0];
  LocalBox const points =
      plane_of(points_on_grid(subdomain, to.view().box), 0, subdomain.whole().upper.x - 1);
  to.evaluate(points, [&](Index3 place) {
    Index3 global = place + subdomain.owned_global().lower;
    for (int axis = 0; axis < 3; ++axis) global[axis] = on_axis(grid, axis, global[axis]);
    return keeps_value(problem, global) ? -0.0 : 0.0;
  });
}

template <class Real, int dimension>
void ConductanceFields<Real, dimension>::make_through_faces(Problem const& problem,
                                                            BodyUnits const& units,
                                                            FieldSpace<Real>& space) {
  Subdomain const& subdomain = space.subdomain();
  for (Face const face : faces(problem.grid)) {
    if (!may_conduct(problem, face)) continue;
    auto& to = *along_[static_cast<std::size_t>(face.axis)];
    // Points on the face, of the halos beside it, too; beyond a lower face the value stands at the
    // place before them.
    LocalBox const whole = subdomain.whole();
    std::int64_t const plane = face.upper ? whole.upper[face.axis] - 1 : whole.lower[face.axis];
    LocalBox const points = plane_of(points_on_grid(subdomain, to.view().box), face.axis, plane);
    Index3 shift{};
    if (!face.upper) shift[face.axis] = 1;
    LocalBox const places =
        intersection({points.lower - shift, points.upper - shift}, to.view().box);
    bool const marks = face.axis == 0 && face.upper;
    Index3 const first = subdomain.owned_global().lower;
    to.evaluate(places, [&](Index3 place) {
      Index3 global = place + shift + first;
      for (int axis = 0; axis < 3; ++axis) global[axis] = on_axis(problem.grid, axis, global[axis]);
      double const value = face_conductance(problem, units, face, global);
      return marks && keeps_value(problem, global) ? -value : value;
    });
    to.check_evaluated([&](Index3 place) {
      return ValueFault{"boundary." + name(face),
                        "the coefficient of the face " + name(face) + " is not at least 0 at " +
                            point_name(problem.grid, subdomain.to_global(place + shift))};
    });
  }
}

template <class Real, int dimension>
void ConductanceFields<Real, dimension>::make_capacity(Problem const& problem,
                                                       BodyUnits const& units,
                                                       FieldSpace<Real>& space) {
  Subdomain const& subdomain = space.subdomain();
  if (is_trivial(problem.body.capacity)) return;
  per_capacity_.emplace(space);
  per_capacity_->evaluate(subdomain.owned(), per_capacity(problem, units, subdomain));
  per_capacity_->check_evaluated([&](Index3 point) {
    ValueRefusal const refusal = capacity_refusal(problem, subdomain.to_global(point));
    return ValueFault{refusal.key(), refusal.what()};
  });
  space.halo().forget();
  per_capacity_->fill_halo();
}

template <class Real, int dimension>
Conductances<Real, dimension> ConductanceFields<Real, dimension>::view() const {
  Conductances<Real, dimension> of;
  of.x = along_[0]->view();
  of.y = along_[1]->view();
  if constexpr (dimension == 3) of.z = along_[2]->view();
  of.per_width_x = per_width_[0]->view().origin;
  of.per_width_y = per_width_[1]->view().origin;
  of.per_width_z = per_width_[2]->view().origin;
  if (per_capacity_) of.per_capacity = per_capacity_->view();
  return of;
}

template <class Real, int dimension>
std::size_t ConductanceFields<Real, dimension>::footprint(Problem const& problem, Backend backend,
                                                          Extent3 owned, Index3 halo) {
  std::size_t bytes = 0;
  for (int axis = 0; axis < 3; ++axis) {
    bytes += 2 * Field<Real>::footprint(backend, {owned[axis], 1, 1}, {halo[axis], 0, 0});
  }
  std::size_t const fields = dimension + (is_trivial(problem.body.capacity) ? 1 : 2);
  return bytes + fields * Field<Real>::footprint(backend, owned, halo);
}

template class ConductanceFields<float, 2>;
template class ConductanceFields<float, 3>;
template class ConductanceFields<double, 2>;
template class ConductanceFields<double, 3>;

}  // namespace isotherm
