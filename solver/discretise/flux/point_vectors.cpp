#include "solver/discretise/flux/point_vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>

#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/conduction/face_conductances.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/face_shares.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {
namespace {

/// Number of points on each side that a one-sided difference reads.
constexpr std::int64_t reach = 2;

/// True if conductivities differ from point to point, counting insulated points as 0.
bool differs(Problem const& problem, VectorKind kind) {
  Medium const& medium = problem.medium;
  bool const flows = kind == VectorKind::flux;
  return (flows ? !medium.insulated.empty() : may_exclude_points(problem)) ||
         (flows && std::ranges::any_of(medium.conductivity, [](ScalarFunction const& function) {
            return !function.is_constant();
          }));
}

/// Returns the number of arrays of conductivities.
std::size_t arrays_of(Problem const& problem, VectorKind kind) {
  if (!differs(problem, kind)) return 0;
  bool const one = kind == VectorKind::gradient || problem.medium.isotropic;
  return one ? 1 : static_cast<std::size_t>(problem.grid.dimension);
}

/// True if the face, or a patch of it, has a Neumann or Robin condition.
bool has_flux_condition(Problem const& problem, Face face) {
  return has_anywhere(problem, face, BoundaryKind::neumann) ||
         has_anywhere(problem, face, BoundaryKind::robin);
}

/// Returns the gaps along an axis from each point to the next one. They begin two points before the
/// rank's first point and end two behind its last; gaps off the grid are 0. The four gaps around
/// the rank's point i begin at element i.
std::vector<double> gaps_of(Subdomain const& subdomain, int axis) {
  Grid const& grid = subdomain.grid();
  GlobalBox const owned = subdomain.owned_global();
  std::int64_t const last = grid.points[axis] - 1;
  std::vector<double> gaps;
  for (std::int64_t i = owned.lower[axis] - reach; i < owned.upper[axis] + reach - 1; ++i) {
    bool const is_there = grid.periodic[axis] || (i >= 0 && i < last);
    gaps.push_back(is_there ? grid.gap(axis, i) : 0.0);
  }
  return gaps;
}

/// The gaps on both sides of a point, and the next ones beyond them.
using Gaps = std::span<double const, 4>;

Gaps gaps_around(std::vector<double> const& of_axis, std::int64_t point) {
  return std::span(of_axis).subspan(static_cast<std::size_t>(point)).first<4>();
}

/// Pointers to rows of values at offsets −2 … 2 from a row of points along an axis; null off the
/// grid.
template <class Value>
using Rows = std::array<Value const*, 5>;

/// Returns these rows for an axis other than x.
template <class Value>
Rows<Value> rows_across(ValuesWithHalo<Value> const& values, int axis, std::int64_t j,
                        std::int64_t k) {
  Rows<Value> rows{};
  for (std::int64_t d = -reach; d <= reach; ++d) {
    rows[static_cast<std::size_t>(d + reach)] =
        axis == 1 ? values.row(j + d, k) : values.row(j, k + d);
  }
  return rows;
}

/// A copy of a row of points with two more values beyond each end, which the components along x
/// need.
class PaddedRow {
 public:
  template <class Value>
  void copy(ValuesWithHalo<Value> const& values, std::int64_t n, std::int64_t j, std::int64_t k) {
    points_ = n;
    row_.resize(static_cast<std::size_t>(n + 2 * reach));
    Value const* const owned = values.row(j, k);
    std::copy(owned, owned + n, row_.begin() + reach);
    // Two values beyond each end, if the grid has them.
    for (std::int64_t const i : {-reach, std::int64_t{-1}, n, n + 1}) {
      Value const* const beside = values.value_beyond_row(i, j, k);
      beside_[number_beside(i)] = beside != nullptr;
      if (beside != nullptr) row_[static_cast<std::size_t>(i + reach)] = *beside;
    }
  }
  [[nodiscard]] Rows<double> rows() const {
    double const* const first = row_.data();
    return {first, first + 1, first + 2, first + 3, first + 4};
  }
  /// True if point i of the row exists on the grid.
  [[nodiscard]] bool has(std::int64_t i) const {
    return (i >= 0 && i < points_) || beside_[number_beside(i)];
  }

 private:
  [[nodiscard]] std::size_t number_beside(std::int64_t i) const {
    return static_cast<std::size_t>(i < 0 ? i + reach : i - points_ + reach);
  }
  std::int64_t points_ = 0;
  std::vector<double> row_{};
  std::array<bool, 4> beside_{};  ///< whether the grid has the points −2, −1, n, n + 1
};

/// Interpolates the flow at a point linearly between the flows on its two sides, which belong to
/// the midpoints of the gaps.
double between(double before, double behind, double gap_before, double gap_behind) {
  return (gap_behind * before + gap_before * behind) / (gap_before + gap_behind);
}

/// Extrapolates the flow at the end of an axis linearly from the next two flows.
double beyond(double next, double second, double gap, double second_gap) {
  return next + (next - second) * (gap / (gap + second_gap));
}

/// A point and its four neighbours along an axis, at offsets −2 … 2.
struct Five {
  std::array<double, 5> u{};
  std::array<double, 5> conductivity{};
  std::array<bool, 5> is_there{};  ///< the points that exist on the grid
  /// The conductivities of the links between them that material surfaces cut.
  std::array<std::optional<double>, 4> cut{};

  /// Loads the values of point i of a row.
  /// @param conductivities  null pointers if the conductivity is the constant
  template <class Value>
  void take(Rows<Value> const& values, Rows<double> const& conductivities, double constant,
            std::int64_t i) {
    for (std::size_t d = 0; d < u.size(); ++d) {
      if (!is_there[d]) continue;
      u[d] = static_cast<double>(values[d][i]);
      conductivity[d] = conductivities[d] == nullptr ? constant : conductivities[d][i];
    }
  }

  /// Returns the flow in the direction of the axis between the points i and i + 1.
  [[nodiscard]] double flow(std::size_t i, Gaps gaps) const {
    // The harmonic mean of conductivities over the gap, as in the discrete equation. Nothing flows
    // to insulated points.
    double conductance = conductance_between(conductivity[i], conductivity[i + 1], 1.0 / gaps[i]);
    if (cut[i] && conductance != 0.0) conductance = *cut[i] / gaps[i];
    return conductance * (u[i] - u[i + 1]);
  }

  /// Returns the flow at a point that lacks a neighbour on one side, or on both.
  [[nodiscard]] double flow_at_end(Gaps gaps) const {
    if (!is_there[1] && !is_there[3]) return 0.0;
    // The point is a lower end if its upper neighbour exists.
    bool const upward = is_there[3];
    double const next = flow(upward ? 2 : 1, gaps);
    // A single flow leaves nothing to extrapolate from.
    if (!is_there[upward ? 4 : 0]) return next;
    return upward ? beyond(next, flow(3, gaps), gaps[2], gaps[3])
                  : beyond(next, flow(0, gaps), gaps[1], gaps[0]);
  }

  /// Returns the flow at the point.
  [[nodiscard]] double flow_at_point(Gaps gaps) const {
    if (!is_there[1] || !is_there[3]) return flow_at_end(gaps);
    return between(flow(1, gaps), flow(2, gaps), gaps[1], gaps[2]);
  }
};

/// The gaps on both sides of a point.
struct Sides {
  double gap_before = 0.0;
  double gap_behind = 0.0;
  double inverse_gap_before = 0.0;  ///< 1 / gap
  double inverse_gap_behind = 0.0;
};

/// Computes the flows at points of a row with neighbours on both sides. Nearly all points are of
/// this kind, so the loop is free of branches and can be vectorised.
/// @param sides_at  returns the Sides of a point
/// @param conductance  (row number in `u`, point, 1 / gap) returns the conductance to the next row
template <class Value, class SidesAt, class Conductance>
void flows_between(Rows<Value> const& u, std::int64_t first, std::int64_t last,
                   SidesAt const sides_at, Conductance const conductance,
                   double* __restrict component) {
  for (std::int64_t i = first; i < last; ++i) {
    Sides const at = sides_at(i);
    // Differences along the axis, before and behind the point.
    auto const here = static_cast<double>(u[2][i]);
    double const from = static_cast<double>(u[1][i]) - here;
    double const to = here - static_cast<double>(u[3][i]);
    component[i] =
        between(conductance(1, i, at.inverse_gap_before) * from,
                conductance(2, i, at.inverse_gap_behind) * to, at.gap_before, at.gap_behind);
  }
}

/// The same, with conductivities per point or one that is constant.
/// @param conductivities  null pointers if the conductivity is the constant
template <class Value, class SidesAt>
void flows_between(Rows<Value> const& u, Rows<double> const& conductivities, double constant,
                   std::int64_t first, std::int64_t last, SidesAt const sides_at,
                   double* component) {
  // The choice is made outside of the loop, which therefore has no branch.
  if (conductivities[2] != nullptr) {
    auto const conductance = [conductivities](std::size_t row, std::int64_t i, double inverse_gap) {
      return conductance_between(conductivities[row][i], conductivities[row + 1][i], inverse_gap);
    };
    flows_between(u, first, last, sides_at, conductance, component);
  } else {
    // All harmonic means are equal, so one is computed in advance.
    double const mean = conductance_between(constant, constant, 1.0);
    auto const conductance = [mean](std::size_t, std::int64_t, double inverse_gap) {
      return mean * inverse_gap;
    };
    flows_between(u, first, last, sides_at, conductance, component);
  }
}

/// The components of the vectors of a row.
using Components = std::array<std::vector<double>, 3>;

/// Interleaves the components of each point, multiplied by `sign`.
/// @return  the largest magnitude that is finite, but overflows `Real`; 0 if there is none
template <class Real>
double interleave(Components const& components, double sign, Real* to) {
  constexpr double maximum = std::numeric_limits<double>::max();
  auto const n = static_cast<std::int64_t>(components[0].size());
  double const* const x = components[0].data();
  double const* const y = components[1].data();
  double const* const z = components[2].data();
  double lost = 0.0;
  auto const put = [&](double flow, Real& component) {
    double const value = sign * flow + 0.0;  // 0, not −0
    component = static_cast<Real>(value);
    // Only the conversion to float can overflow.
    if constexpr (std::is_same_v<Real, float>) {
      double const magnitude = std::abs(value);
      bool const is_lost = magnitude <= maximum && std::isinf(component);
      lost = std::max(lost, is_lost ? magnitude : 0.0);
    }
  };
  for (std::int64_t i = 0; i < n; ++i) {
    put(x[i], to[3 * i]);
    put(y[i], to[3 * i + 1]);
    put(z[i], to[3 * i + 2]);
  }
  return lost;
}

}  // namespace

PointVectors::PointVectors(mpi::Communicator const& ranks, Subdomain subdomain,
                           Problem const& problem, VectorKind kind)
    : subdomain_(std::move(subdomain)), problem_(problem), kind_(kind) {
  // A failure to allocate on one rank ends the call on all.
  rethrow_on_all_ranks(ranks, [&] {
    for (int axis = 0; axis < 3; ++axis) gaps_[axis] = gaps_of(subdomain_, axis);
    std::ranges::transform(gaps_[0], std::back_inserter(inverse_gap_x_),
                           [](double gap) { return 1.0 / gap; });
  });
  evaluate_conductivities(ranks);
  bool const has_links = kind_ == VectorKind::flux || has_open_shares(problem_);
  if (has_links) links_ = link_conductivity(problem_);
  for (Face const face : faces(problem_.grid)) {
    if (!subdomain_.on_physical_face(face) || !has_flux_condition(problem_, face)) continue;
    faces_.push_back({face, subdomain_.rim(face, 1), {}});
  }
}

/// Returns the conductivity at a point, or 1 for gradients; 0 at insulated points, to which nothing
/// flows.
double PointVectors::conductivity_of(int axis, Index3 global) const {
  bool const is_gradient = kind_ == VectorKind::gradient;
  int const constraint = constraint_of(problem_, global);
  // A fluid has no gradient, but the flow through its film enters the flux at neighbouring points.
  if (is_gradient && is_outside(problem_, constraint)) return 0.0;
  if (constraint == constraint::insulation) return 0.0;
  return is_gradient ? 1.0 : conductivity_at(problem_, axis, global);
}

/// Evaluates the conductivities, and exchanges those around the rank's points. Collective.
void PointVectors::evaluate_conductivities(mpi::Communicator const& ranks) {
  std::size_t const arrays = arrays_of(problem_, kind_);
  conductivities_.resize(arrays == 0 ? static_cast<std::size_t>(problem_.grid.dimension) : arrays);
  auto const points = static_cast<std::size_t>(subdomain_.owned().point_count());
  for (std::size_t axis = 0; axis < conductivities_.size(); ++axis) {
    Conductivity& of_axis = conductivities_[axis];
    // Without variation one constant per axis is enough.
    if (arrays == 0) {
      bool const flows = kind_ == VectorKind::flux;
      of_axis.constant = flows ? conductivity_at(problem_, static_cast<int>(axis), {}) : 1.0;
      continue;
    }
    rethrow_on_all_ranks(ranks, [&] {
      of_axis.values.resize(points);
      (void)evaluate_dense(
          subdomain_.owned(),
          [&](Index3 local) {
            return conductivity_of(static_cast<int>(axis), subdomain_.to_global(local));
          },
          of_axis.values.data());
    });
    // Flows at the ends of a part need the conductivities of other ranks.
    of_axis.around.emplace(ranks, subdomain_, of_axis.values.data());
  }
}

PointVectors::Conductivity const& PointVectors::along(int axis) const {
  return conductivities_[conductivities_.size() == 1 ? 0 : static_cast<std::size_t>(axis)];
}

std::size_t PointVectors::bytes(Problem const& problem, VectorKind kind, std::size_t points) {
  return arrays_of(problem, kind) * points * sizeof(double);
}

PointVectors::Condition PointVectors::condition_on(Face face, Index3 local, double time_s) const {
  Index3 const global = subdomain_.to_global(local);
  Condition condition;
  // At fixed points the extrapolated flow remains.
  if (constraint_of(problem_, global) != constraint::none) return condition;
  auto const [x, y, z] = coordinates(problem_.grid, global);
  double const conductivity = conductivity_at(problem_, face.axis, global);
  condition.conductivity = kind_ == VectorKind::gradient ? 1.0 : conductivity;
  double conducted = 0.0;
  for_each_condition(
      problem_, face, global,
      [&, x = x, y = y, z = z](BoundaryCondition const& found, double share, int) {
        double const given = found.value(x, y, z, time_s);
        if (found.kind == BoundaryKind::neumann) {
          condition.holds = true;
          condition.slope += share * (found.is_flux ? given / conductivity : given);
        }
        // Robin: κ ∂u/∂n = coefficient · (beyond − u), here divided by κ.
        if (found.kind == BoundaryKind::robin) {
          condition.holds = true;
          double const coefficient = share * (found.coefficient(x, y, z, 0.0) / conductivity);
          condition.coefficient += coefficient;
          conducted += coefficient * given;
          condition.beyond = share == 1.0                   ? given
                             : condition.coefficient != 0.0 ? conducted / condition.coefficient
                                                            : 0.0;
        }
      });
  return condition;
}

void PointVectors::set_time(double time_s) {
  // Conditions are evaluated again only if something varies in time.
  for (FacePoints& on : faces_) {
    if (!on.points.empty() && !varies_in_time(problem_)) continue;
    on.points.resize(static_cast<std::size_t>(on.box.point_count()));
    Extent3 const n = on.box.extent();
    for_each_row(on.box, [&](std::int64_t j, std::int64_t k) {
      for (std::int64_t i = on.box.lower.x; i < on.box.upper.x; ++i) {
        Index3 const at = Index3{i, j, k} - on.box.lower;
        on.points[static_cast<std::size_t>((at.z * n.y + at.y) * n.x + at.x)] =
            condition_on(on.face, {i, j, k}, time_s);
      }
    });
  }
}

/// Returns the conductivity of a link that a surface cuts. For gradients it is 0 if insulation
/// shuts the link, and otherwise 1.
std::optional<double> PointVectors::cut_link(int axis, Index3 lower) const {
  if (kind_ == VectorKind::flux) return links_->of_open_part(axis, lower);
  return links_->is_shut(axis, lower) ? std::optional(0.0) : std::nullopt;
}

/// Recomputes the components that depend on cut links, whose conductivity is that of the pieces.
/// Few points are affected: both ends of the links that may be cut, and the points whose one-sided
/// differences read such a link.
template <class FiveAt>
void PointVectors::put_cut_links(int axis, std::int64_t j, std::int64_t k, FiveAt const& five_at,
                                 double* component) const {
  if (!links_) return;
  Grid const& grid = problem_.grid;
  std::int64_t const n = subdomain_.extent().x;
  Index3 const row = subdomain_.to_global(Index3{0, j, k});
  /// The point of the grid at an offset along the axis; none beyond the grid.
  auto const offset = [&](Index3 point, std::int64_t by) {
    point[axis] = grid.on_axis(axis, point[axis] + by);
    bool const exists = point[axis] >= 0 && point[axis] < grid.points[axis];
    return exists ? std::optional(point) : std::nullopt;
  };
  std::vector<bool> affected(static_cast<std::size_t>(n), false);
  for (std::int64_t d = -reach; d < reach; ++d) {
    auto const lower = axis == 0 ? std::optional(row) : offset(row, d);
    if (!lower) continue;
    for (auto const& range : links_->candidates(axis, *lower)) {
      for (std::int64_t x = range.first; x < range.last; ++x) {
        // Along x, the link from x belongs to the points from which it lies at the offset d.
        std::int64_t const i = (axis == 0 ? grid.on_axis(0, x - d) : x) - row.x;
        if (i >= 0 && i < n) affected[static_cast<std::size_t>(i)] = true;
      }
    }
  }
  for (std::int64_t i = 0; i < n; ++i) {
    if (!affected[static_cast<std::size_t>(i)]) continue;
    Five five = five_at(i);
    Index3 const point = subdomain_.to_global(Index3{i, j, k});
    for (std::size_t d = 0; d < five.cut.size(); ++d) {
      if (!five.is_there[d] || !five.is_there[d + 1]) continue;
      five.cut[d] = cut_link(axis, *offset(point, static_cast<std::int64_t>(d) - reach));
    }
    std::int64_t const along = axis == 0 ? i : axis == 1 ? j : k;
    component[i] = five.flow_at_point(gaps_around(gaps_[axis], along));
  }
}

/// Computes the flows along an axis other than x at a row of points, without face conditions.
template <class Real>
void PointVectors::row_across(int axis, std::int64_t j, std::int64_t k,
                              ValuesWithHalo<Real> const& field, double* component) const {
  Conductivity const& conductivity = along(axis);
  std::int64_t const n = subdomain_.extent().x;
  Gaps const gaps = gaps_around(gaps_[axis], axis == 1 ? j : k);
  Rows<Real> const u = rows_across(field, axis, j, k);
  Rows<double> heterogeneous{};
  if (conductivity.around) heterogeneous = rows_across(*conductivity.around, axis, j, k);
  // Along an axis other than x, a row has both neighbours everywhere or nowhere.
  if (u[1] != nullptr && u[3] != nullptr) {
    Sides const sides{gaps[1], gaps[2], 1.0 / gaps[1], 1.0 / gaps[2]};
    flows_between(
        u, heterogeneous, conductivity.constant, 0, n, [sides](auto) { return sides; }, component);
  }
  auto const five_at = [&](std::int64_t i) {
    Five five;
    std::ranges::transform(u, five.is_there.begin(),
                           [](auto const* row) { return row != nullptr; });
    five.take(u, heterogeneous, conductivity.constant, i);
    return five;
  };
  if (u[1] == nullptr || u[3] == nullptr) {
    for (std::int64_t i = 0; i < n; ++i) component[i] = five_at(i).flow_at_end(gaps);
  }
  put_cut_links(axis, j, k, five_at, component);
}

/// Computes the flows along x at a row of points, without face conditions.
template <class Real>
void PointVectors::row_along_x(std::int64_t j, std::int64_t k, ValuesWithHalo<Real> const& field,
                               double* component) const {
  // One buffer per thread: a row is copied for each component along x.
  thread_local PaddedRow values;
  thread_local PaddedRow conductivities;
  Conductivity const& conductivity = along(0);
  std::int64_t const n = subdomain_.extent().x;
  values.copy(field, n, j, k);
  if (conductivity.around) conductivities.copy(*conductivity.around, n, j, k);
  Rows<double> const u = values.rows();
  Rows<double> const heterogeneous = conductivity.around ? conductivities.rows() : Rows<double>{};
  // Along x, only the ends of a row can lack neighbours.
  auto const is_end = [&](std::int64_t i) { return !values.has(i - 1) || !values.has(i + 1); };
  auto const sides_at = [gaps = gaps_[0].data() + 1,
                         inverse_gap = inverse_gap_x_.data() + 1](std::int64_t i) {
    return Sides{gaps[i], gaps[i + 1], inverse_gap[i], inverse_gap[i + 1]};
  };
  flows_between(u, heterogeneous, conductivity.constant, is_end(0) ? 1 : 0,
                is_end(n - 1) ? n - 1 : n, sides_at, component);
  auto const five_at = [&](std::int64_t i) {
    Five five;
    for (std::size_t d = 0; d < five.is_there.size(); ++d) {
      five.is_there[d] = values.has(i - reach + static_cast<std::int64_t>(d));
    }
    five.take(u, heterogeneous, conductivity.constant, i);
    return five;
  };
  // The ends of the grid lack neighbours and are treated afterwards.
  for (std::int64_t const i : {std::int64_t{0}, n - 1}) {
    if (is_end(i)) component[i] = five_at(i).flow_at_end(gaps_around(gaps_[0], i));
  }
  put_cut_links(0, j, k, five_at, component);
}

/// Replaces the flows at face points whose Neumann or Robin condition determines them.
template <class Value>
void PointVectors::put_conditions(Value const* owned, std::int64_t j, std::int64_t k, int axis,
                                  double* component) const {
  for (FacePoints const& on : faces_) {
    // The row touches the face only if it crosses the face's box.
    if (on.face.axis != axis || j < on.box.lower.y || j >= on.box.upper.y || k < on.box.lower.z ||
        k >= on.box.upper.z) {
      continue;
    }
    Extent3 const n = on.box.extent();
    std::int64_t const first = ((k - on.box.lower.z) * n.y + j - on.box.lower.y) * n.x;
    for (std::int64_t i = on.box.lower.x; i < on.box.upper.x; ++i) {
      Condition const& condition = on.points[static_cast<std::size_t>(first + i - on.box.lower.x)];
      if (!condition.holds) continue;
      // ∂u/∂n points outwards, which on a lower face is against the axis.
      double const slope = condition.slope + condition.coefficient *
                                                 (condition.beyond - static_cast<double>(owned[i]));
      component[i] = condition.conductivity * (on.face.upper ? -slope : slope);
    }
  }
}

template <class Real>
double PointVectors::compute(ValuesWithHalo<Real> const& field, Real* vectors) const {
  LocalBox const owned = subdomain_.owned();
  Extent3 const n = owned.extent();
  double const sign = kind_ == VectorKind::gradient ? -1.0 : 1.0;
  double largest = 0.0;
  std::mutex others;
  for_each_row(owned, [&](std::int64_t j, std::int64_t k) {
    // Rows are independent; each thread has its own components.
    thread_local Components components;
    for (int axis = 0; axis < 3; ++axis) {
      auto& component = components[static_cast<std::size_t>(axis)];
      component.assign(static_cast<std::size_t>(n.x), 0.0);
      // Components along missing axes remain 0.
      if (axis >= problem_.grid.dimension) continue;
      axis == 0 ? row_along_x(j, k, field, component.data())
                : row_across(axis, j, k, field, component.data());
      put_conditions(field.row(j, k), j, k, axis, component.data());
    }
    double const lost = interleave(components, sign, vectors + 3 * ((k * n.y + j) * n.x));
    if (lost == 0.0) return;
    std::scoped_lock const lock(others);
    largest = std::max(largest, lost);
  });
  return largest;
}

template double PointVectors::compute(ValuesWithHalo<float> const&, float*) const;
template double PointVectors::compute(ValuesWithHalo<double> const&, double*) const;

}  // namespace isotherm
