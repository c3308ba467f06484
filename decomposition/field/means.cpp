#include "decomposition/field/means.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/core/exact_sum.hpp"
#include "kernels/filters/projection.hpp"

namespace isotherm {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Of all points of the grid, or of a plane across `but`: spacings take part, ends count half.
double sum_of_weights(Grid const& grid, int but) {
  double sum = 1.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (axis != but) sum *= static_cast<double>(grid.intervals(axis));
  }
  return sum;
}

LocalBox plane_of(Subdomain const& subdomain, int axis, std::int64_t index) {
  GlobalBox plane = subdomain.grid().box();
  plane.lower[axis] = index;
  plane.upper[axis] = index + 1;
  return subdomain.to_local(intersection(plane, subdomain.owned_global()));
}

/// The points of the plane all count the same along its axis.
HalfPlanes weights_in_plane(Subdomain const& subdomain, int axis) {
  HalfPlanes halves = trapezoidal_weights(subdomain);
  halves.lower[axis] = halves.upper[axis] = HalfPlanes::none;
  return halves;
}

/// On a device its threads walk side by side along the last axis; a core walks along x.
int axis_to_reduce(Backend backend, Grid const& grid) {
  return backend == Backend::cpu ? 0 : grid.dimension - 1;
}

}  // namespace

HalfPlanes trapezoidal_weights(Subdomain const& subdomain) {
  HalfPlanes halves;
  LocalBox const whole = subdomain.whole();
  Grid const& grid = subdomain.grid();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.periodic[axis]) continue;
    halves.lower[axis] = whole.lower[axis];
    halves.upper[axis] = whole.upper[axis] - 1;
  }
  return halves;
}

template <class Real>
PlaneMeter<Real>::PlaneMeter(mpi::Communicator const& ranks, Queue& queue,
                             Subdomain const& subdomain, int axis, std::int64_t index)
    : ranks_(ranks),
      queue_(queue),
      box_(plane_of(subdomain, axis, index)),
      halves_(weights_in_plane(subdomain, axis)),
      weights_(sum_of_weights(subdomain.grid(), axis)),
      values_(static_cast<std::size_t>(box_.point_count())) {
  if (!box_.empty()) staging_.emplace(queue_, box_.extent());
}

template <class Real>
MeanAndExtremes PlaneMeter<Real>::read(FieldView<Real const> field) {
  if (staging_) staging_->read(queue_, field, box_, values_.data());
  ExactSum sum;
  double least = infinity;
  double largest = -infinity;
  auto next = values_.begin();
  for (std::int64_t k = box_.lower.z; k < box_.upper.z; ++k) {
    for (std::int64_t j = box_.lower.y; j < box_.upper.y; ++j) {
      for (std::int64_t i = box_.lower.x; i < box_.upper.x; ++i) {
        auto const value = static_cast<double>(*next++);
        sum.add(halves_.weight(i, j, k) * value);
        least = std::min(least, value);
        largest = std::max(largest, value);
      }
    }
  }
  double const all = ExactSum::value_of(ranks_.sum(sum.parts())) + ranks_.sum(sum.not_finite());
  return {all / weights_, ranks_.min(least), ranks_.max(largest)};
}

template <class Real>
FieldMeter<Real>::FieldMeter(mpi::Communicator const& ranks, Queue& queue,
                             Subdomain const& subdomain)
    : ranks_(ranks),
      queue_(queue),
      owned_(subdomain.owned()),
      halves_(trapezoidal_weights(subdomain)),
      weights_(sum_of_weights(subdomain.grid(), -1)),
      axis_(axis_to_reduce(queue.backend(), subdomain.grid())),
      sums_(queue) {}

template <class Real>
double FieldMeter<Real>::mean(FieldView<Real const> field) {
  return ranks_.sum(sums_.sum(queue_, field, owned_, halves_).signed_sum) / weights_;
}

template <class Real>
double FieldMeter<Real>::extreme(FieldView<Real const> field, bool largest) {
  Extent3 ends = owned_.extent();
  ends[axis_] = 1;
  if (!lines_) lines_.emplace(queue_, ends);
  extreme_along(queue_, field, lines_->extremes.view(), owned_, axis_, largest);
  lines_->staging.read(queue_, std::as_const(lines_->extremes).view(), {{}, ends},
                       lines_->values.data());
  auto const [least, most] = std::ranges::minmax(lines_->values);
  return largest ? ranks_.max(static_cast<double>(most)) : ranks_.min(static_cast<double>(least));
}

template class PlaneMeter<float>;
template class PlaneMeter<double>;
template class FieldMeter<float>;
template class FieldMeter<double>;

}  // namespace isotherm
