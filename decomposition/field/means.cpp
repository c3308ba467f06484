#include "decomposition/field/means.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/core/exact_sum.hpp"
#include "kernels/filters/projection.hpp"

namespace isotherm {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The sum of the weights of all points of the grid, or of a plane across axis `but`. It is the
/// product of the numbers of gaps of the axes. Pass −1 for the whole grid.
double sum_of_weights(Grid const& grid, int but) {
  double sum = 1.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (axis != but) sum *= static_cast<double>(grid.intervals(axis));
  }
  return sum;
}

/// This rank's points of a plane; may be empty.
LocalBox plane_of(Subdomain const& subdomain, int axis, std::int64_t index) {
  GlobalBox plane = subdomain.grid().box();
  plane.lower[axis] = index;
  plane.upper[axis] = index + 1;
  return subdomain.to_local(intersection(plane, subdomain.owned_global()));
}

/// The weights of this rank's points of a plane. Along the normal all of them have weight 1.
PerAxis<std::vector<double>> weights_in_plane(Subdomain const& subdomain, int axis,
                                              std::int64_t index) {
  GlobalBox plane = subdomain.owned_global();
  plane.lower[axis] = std::max(plane.lower[axis], index);
  plane.upper[axis] = std::min(plane.upper[axis], index + 1);
  auto weights = trapezoidal_weights(subdomain.grid(), plane);
  weights[axis].assign(weights[axis].size(), 1.0);
  return weights;
}

/// The axis whose lines are reduced first. Along the last axis, neighbouring threads of a device
/// read neighbouring addresses; a CPU core reads contiguously along x.
int axis_to_reduce(Backend backend, Grid const& grid) {
  return backend == Backend::cpu ? 0 : grid.dimension - 1;
}

}  // namespace

std::vector<double> trapezoidal_weights(Grid const& grid, int axis) {
  std::vector<double> weights(static_cast<std::size_t>(grid.points[axis]), 1.0);
  if (axis >= grid.dimension || grid.periodic[axis]) return weights;
  if (!grid.is_graded(axis)) {
    // Cells of points on a physical face are cut in half.
    weights.front() = weights.back() = 0.5;
    return weights;
  }
  for (std::int64_t i = 0; i < grid.points[axis]; ++i) {
    double const before = i > 0 ? grid.gap(axis, i - 1) : 0.0;
    double const behind = i < grid.intervals(axis) ? grid.gap(axis, i) : 0.0;
    weights[static_cast<std::size_t>(i)] = 0.5 * (before + behind) / grid.spacing[axis];
  }
  return weights;
}

PerAxis<std::vector<double>> trapezoidal_weights(Grid const& grid, GlobalBox const& box) {
  PerAxis<std::vector<double>> weights;
  for (int axis = 0; axis < 3; ++axis) {
    // An empty box may lie outside the grid.
    if (box.empty()) continue;
    auto const all = trapezoidal_weights(grid, axis);
    weights[axis] = {all.begin() + box.lower[axis], all.begin() + box.upper[axis]};
  }
  return weights;
}

HalfPlanes trapezoidal_weights(Subdomain const& subdomain) {
  HalfPlanes halves;
  LocalBox const whole = subdomain.grid_box();
  Grid const& grid = subdomain.grid();
  for (int axis = 0; axis < grid.dimension; ++axis) {
    // No point of a periodic axis lies on a face.
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
      weights_along_(weights_in_plane(subdomain, axis, index)),
      weights_(sum_of_weights(subdomain.grid(), axis)),
      values_(static_cast<std::size_t>(box_.point_count())) {
  if (!box_.empty()) staging_.emplace(queue_, box_.extent());
}

template <class Real>
MeanAndExtremes PlaneMeter<Real>::read(FieldView<Real const> field) {
  if (staging_) staging_->read(queue_, field, box_, values_.data());
  // An exact sum does not depend on the order of its terms, nor on the decomposition.
  ExactSum sum;
  double minimum = infinity;
  double largest = -infinity;
  auto next = values_.begin();
  auto const& [along_x, along_y, along_z] = weights_along_.values;
  // The values are dense, x fastest, so they are visited in order.
  for (double const of_z : along_z) {
    for (double const of_y : along_y) {
      for (double const of_x : along_x) {
        auto const value = static_cast<double>(*next++);
        sum.add(of_x * of_y * of_z * value);
        minimum = std::min(minimum, value);
        largest = std::max(largest, value);
      }
    }
  }
  // Infinities and NaNs are summed separately; they make the mean infinite or NaN.
  double const all = ExactSum::value_of(ranks_.sum(sum.parts())) + ranks_.sum(sum.not_finite());
  return {all / weights_, ranks_.min(minimum), ranks_.max(largest)};
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
      sums_(queue) {
  // The kernels' sums know weights of 1 and ½ per axis only.
  if (subdomain.grid().is_graded()) graded_.emplace(queue, subdomain);
}

template <class Real>
FieldMeter<Real>::Graded::Graded(Queue& queue, Subdomain const& subdomain)
    : weights(trapezoidal_weights(subdomain.grid(), subdomain.owned_global())),
      parts(chunks(subdomain.owned(), std::int64_t{1} << 20)),
      staging(queue, subdomain.extent()) {}

template <class Real>
double FieldMeter<Real>::graded_sum(FieldView<Real const> field) {
  double sum = 0.0;
  // The weight of a local index on an axis.
  auto const weight_of = [&](int axis, std::int64_t index) {
    return graded_->weights[axis][static_cast<std::size_t>(index)];
  };
  for (LocalBox const& part : graded_->parts) {
    graded_->values.resize(static_cast<std::size_t>(part.point_count()));
    graded_->staging.read(queue_, field, part, graded_->values.data());
    auto next = graded_->values.begin();
    for (std::int64_t k = part.lower.z; k < part.upper.z; ++k) {
      for (std::int64_t j = part.lower.y; j < part.upper.y; ++j) {
        // Rows are summed separately, which keeps the rounding errors small.
        double row = 0.0;
        for (std::int64_t i = part.lower.x; i < part.upper.x; ++i) {
          row += weight_of(0, i) * static_cast<double>(*next++);
        }
        sum += weight_of(1, j) * weight_of(2, k) * row;
      }
    }
  }
  return sum;
}

template <class Real>
double FieldMeter<Real>::mean(FieldView<Real const> field) {
  // On uniform grids the device sums, with half weights on the physical faces.
  double const mine =
      graded_ ? graded_sum(field) : sums_.sum(queue_, field, owned_, halves_).signed_sum;
  return ranks_.sum(mine) / weights_;
}

template <class Real>
double FieldMeter<Real>::extreme(FieldView<Real const> field, bool largest) {
  Extent3 ends = owned_.extent();
  ends[axis_] = 1;
  // Only runs that ask for extremes pay for these buffers.
  if (!lines_) lines_.emplace(queue_, ends);
  extreme_along(queue_, field, lines_->extremes.view(), owned_, axis_, largest);
  lines_->staging.read(queue_, std::as_const(lines_->extremes).view(), {{}, ends},
                       lines_->values.data());
  auto const [minimum, maximum] = std::ranges::minmax(lines_->values);
  return largest ? ranks_.max(static_cast<double>(maximum))
                 : ranks_.min(static_cast<double>(minimum));
}

template class PlaneMeter<float>;
template class PlaneMeter<double>;
template class FieldMeter<float>;
template class FieldMeter<double>;

}  // namespace isotherm
