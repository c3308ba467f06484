#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decomposition/field/staging/pinned_copy.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// A function of the points of a rank's frame, evaluated for several consecutive points along x in
/// one call. A row function can compute once what is constant along the row. It must be callable
/// from several threads at the same time.
///
///     PointFunction const at_points([](Index3 p) { return std::sin(0.1 * p.x); });
///     PointFunction const along_rows([](Index3 first, std::span<double> values) {
///       double const y_part = g(first.y);            // once per row
///       for (double& value : values) value = y_part * f(first.x++);
///     });
class PointFunction {
 public:
  /// Maximum number of points per call.
  static constexpr std::size_t maximum = 512;

  /// Wraps a function of one point, value(local).
  template <std::regular_invocable<Index3> Value>
  PointFunction(Value value)  // NOLINT(google-explicit-constructor): it means the same
      : along_row_([value = std::move(value)](Index3 first, std::span<double> values) {
          for (double& of_point : values) {
            of_point = value(first);
            ++first.x;
          }
        }) {}
  /// Wraps a function of a row, along_row(first, values), that sets the values of the points from
  /// `first` on.
  template <std::invocable<Index3, std::span<double>> AlongRow>
  PointFunction(AlongRow along_row)  // NOLINT(google-explicit-constructor): as above
      : along_row_(std::move(along_row)) {}

  void operator()(Index3 first, std::span<double> values) const { along_row_(first, values); }

 private:
  std::function<void(Index3 first, std::span<double> values)> along_row_;
};

/// The work for the row of points (·, j, k).
using RowWork = std::function<void(std::int64_t j, std::int64_t k)>;
/// Calls work(j, k) for all rows of `box`, distributed among all threads. If calls throw, rethrows
/// one of the exceptions, since none may leave an OpenMP region.
void for_each_row(LocalBox box, RowWork const& work);

/// Divides a box into boxes of whole rows with at most `max_points` points each, unless a single
/// row has more. In a dense array over `box`, x fastest, the points of successive chunks are
/// contiguous.
std::vector<LocalBox> chunks(LocalBox box, std::int64_t max_points);

/// Sets dense[p] = value(p), rounded once to Real, for the points of `box`, x fastest, on all
/// threads.
/// @returns  a point at which the value is not finite in Real, or nullopt
template <class Real>
std::optional<Index3> evaluate_dense(LocalBox box, PointFunction const& value, Real* dense);

/// Returns an upper bound on the number of points of a chunk that is enlarged by one point along
/// each axis.
std::size_t largest_chunk(LocalBox box, std::int64_t max_points);

/// Moves values between host memory and a field in chunks of bounded size, through a pinned buffer
/// and a device buffer of one chunk each. No second copy of the field is ever needed. On the CPU it
/// copies directly.
///
///     HostStaging<double> staging(queue, subdomain.extent());
///     staging.evaluate(queue, u.view(), owned, initial_value);     // enqueued
///     staging.read(queue, std::as_const(u).view(), owned, values.data());
///     if (auto const point = staging.take_not_finite()) refuse(*point);
template <class Real>
class HostStaging {
 public:
  /// @param owned  the extent of the largest box that will be moved
  HostStaging(Queue& queue, Extent3 owned);

  /// Enqueues field(p) = value(p), rounded once to Real, for the points of `box`. `value` is called
  /// before evaluate() returns.
  void evaluate(Queue& queue, FieldView<Real> field, LocalBox box, PointFunction const& value);
  /// Replaces the points of `box` by a dense host array, x fastest. The array may be changed after
  /// the return.
  void write(Queue& queue, FieldView<Real> field, LocalBox box, Real const* dense);
  /// Reads the values of `box` chunk by chunk, calls change(chunk, dense) with each chunk in a
  /// dense host array, and writes the result back. Waits for the queue.
  void change(Queue& queue, FieldView<Real> field, LocalBox box,
              std::function<void(LocalBox chunk, Real* dense)> const& change);
  /// Copies the points of `box` to a dense host array, x fastest. Waits for the queue.
  void read(Queue& queue, FieldView<Real const> field, LocalBox box, Real* dense);

  /// Returns a point at which evaluate() has set a value that is not finite in Real since the last
  /// call, or nullopt.
  std::optional<Index3> take_not_finite();
  /// Records such a point that another function has found.
  void note_not_finite(Index3 point) { not_finite_ = point; }

  /// Returns an upper bound on its memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, Extent3 owned);

 private:
  std::int64_t capacity_;                    ///< points of a chunk
  Buffer host_;                              ///< pinned memory for a chunk
  Buffer device_;                            ///< device memory for a chunk
  Event uploaded_;                           ///< recorded behind the last copy out of host_
  std::optional<PinnedCopy> pinned_copy_{};  ///< on a device, allocated by the first read()
  std::optional<Index3> not_finite_{};
};

}  // namespace isotherm
