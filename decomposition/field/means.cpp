#include "decomposition/field/means.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/filters/lines/projection.hpp"

namespace isotherm {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Returns the sum of the weights of all points of an axis: the number of its gaps or, along a
/// radius, the volume in units of the spacing.
double sum_of_weights_along(Grid const& grid, int axis) {
  if (!grid.is_radial(axis)) return static_cast<double>(grid.intervals(axis));
  return grid.measure(axis, grid.lower[axis], grid.upper(axis)) / grid.spacing[axis];
}

/// Returns the sum of the weights of all points of the grid, or of a plane across axis `but`. Pass
/// −1 for the whole grid.
double sum_of_weights(Grid const& grid, int but) {
  double sum = 1.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (axis != but) sum *= sum_of_weights_along(grid, axis);
  }
  return sum;
}

/// The weights of this rank's points of a box. Along the normal of a plane all of them are 1.
PerAxis<std::vector<double>> weights_in(Grid const& grid, GlobalBox const& box, int across) {
  auto weights = trapezoidal_weights(grid, box);
  if (across >= 0) weights[across].assign(weights[across].size(), 1.0);
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
    weights[static_cast<std::size_t>(i)] =
        grid.width_around(axis, i, before, behind) / grid.spacing[axis];
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

double ExactTally::weights(mpi::Communicator const& ranks) const {
  return ExactSum::value_of(ranks.sum(weights_.parts()));
}

MeanAndExtremes ExactTally::over(mpi::Communicator const& ranks, double weights,
                                 double of_all) const {
  // Infinities and NaNs are summed separately; they make the mean infinite or NaN.
  double const all = ExactSum::value_of(ranks.sum(sum_.parts())) + ranks.sum(sum_.not_finite());
  Extremes const within = within_.over(ranks), beyond = beyond_.over(ranks);
  // All points are excluded, or all those with a weight.
  if (weights == 0.0) return {no_number, no_number, no_number, 0.0};
  // A value beyond the surface extrapolates the field, so it is the last resort.
  Extremes const found = within.exist() ? within : beyond;
  bool const is_constant = std::min(within.minimum, beyond.minimum) == found.largest &&
                           std::max(within.largest, beyond.largest) == found.minimum;
  double const mean = is_constant ? found.minimum : all / weights;
  if (!found.exist()) return {mean, no_number, no_number, weights / of_all};
  return {mean, found.minimum, found.largest, weights / of_all};
}

GlobalBox plane_of(Grid const& grid, int axis, std::int64_t index) {
  GlobalBox plane = grid.box();
  plane.lower[axis] = index;
  plane.upper[axis] = index + 1;
  return plane;
}

template <class Real>
ExactMeter<Real>::ExactMeter(mpi::Communicator const& ranks, Queue& queue,
                             Subdomain const& subdomain, GlobalBox const& points, int across,
                             PointSet const& excluded, PointShare const& shares)
    : ranks_(ranks),
      queue_(queue),
      global_(intersection(points, subdomain.owned_global())),
      box_(subdomain.to_local(global_)),
      weights_along_(weights_in(subdomain.grid(), global_, across)),
      weights_of_all_(sum_of_weights(subdomain.grid(), across)),
      excluded_(global_, excluded, shares) {
  if (!excluded) weights_ = weights_of_all_;
  if (!box_.empty()) staging_.emplace(queue_, box_.extent());
}

template <class Real>
template <class Visit>
void ExactMeter<Real>::for_each_value(FieldView<Real const> field, Visit const& visit) {
  constexpr std::int64_t max_points = std::int64_t{1} << 20;
  auto const weight_of = [&](int axis, std::int64_t index) {
    return weights_along_[axis][static_cast<std::size_t>(index - box_.lower[axis])];
  };
  // The points of successive chunks are contiguous, so one number counts them.
  std::size_t point = 0;
  for (LocalBox const& part : chunks(box_, max_points)) {
    values_.resize(static_cast<std::size_t>(part.point_count()));
    staging_->read(queue_, field, part, values_.data());
    auto next = values_.begin();
    for (std::int64_t k = part.lower.z; k < part.upper.z; ++k) {
      for (std::int64_t j = part.lower.y; j < part.upper.y; ++j) {
        for (std::int64_t i = part.lower.x; i < part.upper.x; ++i) {
          auto const value = static_cast<double>(*next++);
          bool const is_excluded = excluded_[point];
          double const share = excluded_.share(point++);
          if (is_excluded && share == 0.0) continue;
          double const weight = weight_of(0, i) * weight_of(1, j) * weight_of(2, k);
          visit(weight * share, value, is_excluded);
        }
      }
    }
  }
}

template <class Real>
MeanAndExtremes ExactMeter<Real>::read(FieldView<Real const> field) {
  ExactTally tally;
  bool const knows_weights = weights_.has_value();
  for_each_value(field, [&](double weight, double value, bool is_excluded) {
    tally.add(weight, value, is_excluded);
    if (!knows_weights) tally.add_weight(weight);
  });
  // All ranks know the sum, or none does.
  if (!knows_weights) weights_ = tally.weights(ranks_);
  return tally.over(ranks_, *weights_, weights_of_all_);
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

template class ExactMeter<float>;
template class ExactMeter<double>;
template class FieldMeter<float>;
template class FieldMeter<double>;

}  // namespace isotherm
