#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decomposition/field/drain.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// A value for each point of the rank's frame, for several that follow one another along x at once:
/// what is the same for all of them is then looked at only once. May be called from several threads
/// at once.
class PointFunction {
 public:
  /// So many points are asked for at once at most.
  static constexpr std::size_t most = 512;

  /// Made of a function of one point, value(local).
  template <std::regular_invocable<Index3> Value>
  PointFunction(Value value)  // NOLINT(google-explicit-constructor): it says the same
      : along_row_([value = std::move(value)](Index3 first, std::span<double> values) {
          for (double& of_point : values) {
            of_point = value(first);
            ++first.x;
          }
        }) {}
  /// Of one that sets the values of the points from `first` on.
  template <std::invocable<Index3, std::span<double>> AlongRow>
  PointFunction(AlongRow along_row)  // NOLINT(google-explicit-constructor): as above
      : along_row_(std::move(along_row)) {}

  void operator()(Index3 first, std::span<double> values) const { along_row_(first, values); }

 private:
  std::function<void(Index3 first, std::span<double> values)> along_row_;
};

/// Calls work(j, k) for all rows of `box` on all threads; the first exception is thrown again here,
/// since none may leave a parallel region.
using RowWork = std::function<void(std::int64_t j, std::int64_t k)>;
void for_each_row(LocalBox box, RowWork const& work);

/// Boxes of whole rows, at most `most_points` points each unless one row has more, that together
/// are `box`; their points follow one another in a dense array over `box`, x fastest.
std::vector<LocalBox> chunks(LocalBox box, std::int64_t most_points);

/// dense[p] = value(p), rounded once to Real, for the points of `box`, x fastest, on all threads.
/// @returns  one of the points, if any, at which the value is not finite in Real
template <class Real>
std::optional<Index3> evaluate_dense(LocalBox box, PointFunction const& value, Real* dense);

/// Moves values between host memory and a field in chunks of bounded size, so that no second copy
/// of the field is ever needed.
template <class Real>
class Staging {
 public:
  /// @param owned  the largest box that will be moved
  Staging(Queue& queue, Extent3 owned);

  /// Enqueues field(p) = value(p), rounded once to Real, for the points of `box`.
  void evaluate(Queue& queue, FieldView<Real> field, LocalBox box, PointFunction const& value);
  /// Replaces the points of `box` by a dense host array; returns when the array may change.
  void write(Queue& queue, FieldView<Real> field, LocalBox box, Real const* dense);
  /// Calls change(chunk, dense) with the values of boxes that together are `box`, each in a dense
  /// host array; what it makes of them takes their place. Waits.
  void change(Queue& queue, FieldView<Real> field, LocalBox box,
              std::function<void(LocalBox chunk, Real* dense)> const& change);
  /// Copies the points of `box` to a dense host array; waits.
  void read(Queue& queue, FieldView<Real const> field, LocalBox box, Real* dense);

  /// One of the points, if any, at which evaluate() met a value that is not finite in Real since
  /// the last call of this function.
  std::optional<Index3> take_not_finite();
  /// Such a point was met elsewhere.
  void note_not_finite(Index3 point) { not_finite_ = point; }

  /// See Buffer::footprint.
  static std::size_t footprint(Backend backend, Extent3 owned);

 private:
  std::int64_t capacity_;  ///< points
  Buffer host_;
  Buffer device_;
  Event uploaded_;                ///< the host buffer's last content has been copied
  std::optional<Drain> drain_{};  ///< once something was read, on a device
  std::optional<Index3> not_finite_{};
};

}  // namespace isotherm
