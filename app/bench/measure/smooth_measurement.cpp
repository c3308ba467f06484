#include "app/bench/measure/smooth_measurement.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/first_result.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/field.hpp"
#include "kernels/filters/convolution.hpp"
#include "kernels/filters/smoothing.hpp"

namespace isotherm {

namespace {

/// Returns the halo that a convolution along one axis needs: the radius of the weights.
Index3 halo_along(int axis, double width) {
  Index3 halo{};
  halo[axis] =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(gaussian_weights(width).size() / 2));
  return halo;
}

/// Returns the maximum size of a field in bytes, over all axes along which it may have a halo.
std::size_t field_bytes(SmoothSubject const& subject, Backend backend) {
  std::size_t most = 0;
  for (int const axis : subject.axes()) {
    Index3 const halo = halo_along(axis, subject.width);
    std::size_t const bytes = subject.precision == Precision::float32
                                  ? Field<float>::footprint(backend, subject.points, halo)
                                  : Field<double>::footprint(backend, subject.points, halo);
    most = std::max(most, bytes);
  }
  return most;
}

/// Fills a field and its halo with random values.
template <class Real>
void fill_at_random(Queue& queue, Field<Real>& field) {
  std::vector<Real> values(field.layout().elements);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<Real>(random_value(i));
  }
  copy_bytes(queue, memory_of(field), values.data(), field.bytes());
  queue.wait();
}

/// A field and its convolutions along one axis, with any plan.
///
/// The source has a halo along the axis, filled with random values as well, so no boundary
/// treatment is part of the measurement.
template <class Real>
class AlongAxis {
 public:
  AlongAxis(mpi::Communicator const& ranks, Queue& queue, SmoothSubject const& subject, int axis)
      : ranks_(ranks),
        queue_(queue),
        axis_(axis),
        weights_(gaussian_weights(subject.width)),
        from_(queue, subject.points, halo_along(axis, subject.width)),
        to_(queue, subject.points, {}) {
    fill_at_random(queue, from_);
  }

  /// Returns the time of one convolution with a plan.
  double seconds(std::string const& plan, int repeat) {
    return time_work(ranks_, queue_, repeat, 1, [&](std::int64_t count) {
      for (std::int64_t n = 0; n < count; ++n) convolve(plan);
    });
  }

  /// Returns whether a plan has the same result as the first one for which this was called.
  bool is_equal(std::string const& plan) {
    // NaN everywhere, so points that a plan omits are detected.
    fill_bytes(queue_, memory_of(to_), 0xff, to_.bytes());
    convolve(plan);
    return first_result_.is_equal_to(queue_, to_);
  }

  /// Returns the time of a plain copy with the memory traffic of one convolution.
  double copy_seconds(int repeat) {
    return time_work(ranks_, queue_, repeat, 1, [&](std::int64_t count) {
      for (std::int64_t n = 0; n < count; ++n) {
        copy_bytes(queue_, memory_of(to_), memory_of(from_), to_.bytes());
      }
    });
  }

 private:
  /// Enqueues one convolution.
  void convolve(std::string const& plan) {
    isotherm::convolve<Real>(queue_, std::as_const(from_).view(), to_.view(), to_.owned(), axis_,
                             weights_, plan);
  }

  mpi::Communicator const& ranks_;
  Queue& queue_;
  int axis_;
  std::vector<double> weights_;
  Field<Real> from_, to_;
  FirstResult first_result_;
};

/// Measures all plans along one axis. Equality is checked before timing. All ranks must agree on
/// it.
template <class Real>
void measure_along(mpi::Communicator const& ranks, Queue& queue, SmoothSubject const& subject,
                   int axis, int repeat, SmoothMeasurements& measured) {
  AlongAxis<Real> along(ranks, queue, subject, axis);
  measured.copy_seconds += along.copy_seconds(repeat);
  for (SmoothMeasurement& one : measured.plans) {
    bool const equal = along.is_equal(one.plan);
    one.equal = !ranks.any(!equal) && one.equal;
    one.seconds.push_back(along.seconds(one.plan, repeat));
  }
}

}  // namespace

double SmoothMeasurement::all_seconds() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

std::vector<int> SmoothSubject::axes() const {
  std::vector<int> axes;
  for (int axis = 0; axis < 3; ++axis) {
    if (points[axis] > 1) axes.push_back(axis);
  }
  return axes;
}

double SmoothSubject::bytes() const {
  return 2.0 * static_cast<double>(axes().size()) * static_cast<double>(points.x) *
         static_cast<double>(points.y) * static_cast<double>(points.z) *
         static_cast<double>(value_bytes(precision));
}

std::size_t SmoothSubject::device_bytes(Backend backend) const {
  return bytes_in_all(2, field_bytes(*this, backend));
}

std::size_t SmoothSubject::host_bytes() const {
  return bytes_in_all(2, field_bytes(*this, Backend::cpu));
}

// The fields of one axis are released before those of the next are allocated.
SmoothMeasurements measure_smoothing(mpi::Communicator const& ranks, Device const& device,
                                     SmoothSubject const& subject, int repeat) {
  Queue queue(device.backend, device.number);
  SmoothMeasurements measured;
  for (std::string const& plan : convolution_plans(device.backend)) {
    measured.plans.push_back({plan, plan == default_convolution_plan(device.backend)});
  }
  for (int const axis : subject.axes()) {
    with_precision(subject.precision, [&]<class Real>(Real) {
      measure_along<Real>(ranks, queue, subject, axis, repeat, measured);
    });
  }
  return measured;
}

}  // namespace isotherm
