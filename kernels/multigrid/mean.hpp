#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/memory.hpp"
#include "kernels/core/queue.hpp"

namespace isotherm {

/// Points that count half in a sum: those in the planes at the given indices of each axis, of which
/// there may be none. At an edge they count a quarter, at a corner an eighth.
struct HalfPlanes {
  static constexpr std::int64_t none = INT64_MIN;
  Index3 lower{none, none, none};
  Index3 upper{none, none, none};

  [[nodiscard]] ISOTHERM_HOST_DEVICE double weight(std::int64_t i, std::int64_t j,
                                                   std::int64_t k) const {
    auto const of = [](std::int64_t at, std::int64_t a, std::int64_t b) {
      return at == a || at == b ? 0.5 : 1.0;
    };
    return of(i, lower.x, upper.x) * of(j, lower.y, upper.y) * of(k, lower.z, upper.z);
  }
};

/// Sums of fields, and what is made of them. Sums are taken in float64, in an order that depends on
/// the box alone, so that they have the same bits each time.
class FieldSums {
 public:
  explicit FieldSums(Queue& queue);

  /// See Buffer::footprint.
  static std::size_t footprint(Backend backend);

  /// Σ weight · field and Σ weight · |field| over the points of `box`; waits.
  struct Sums {
    double signed_sum = 0.0;
    double absolute_sum = 0.0;
  };
  template <class Real>
  [[nodiscard]] Sums sum(Queue& queue, FieldView<Real const> field, LocalBox box,
                         HalfPlanes const& halves);

  /// The most partial sums that are kept.
  static constexpr int most_parts = 1024;

 private:
  Buffer parts_;
  Buffer host_;
};

/// Enqueues field(p) += value at the points of `box`.
template <class Real>
void add_constant(Queue& queue, FieldView<Real> field, LocalBox box, double value);

}  // namespace isotherm
