#pragma once

#include <array>
#include <optional>
#include <vector>

#include "decomposition/field/field_space.hpp"
#include "kernels/core/axis_rows.hpp"

namespace isotherm {

/// Values along each axis in the queue's memory: one per index of a space's points and ghost
/// points. A factor of separable coefficients, such as the reciprocal cell widths, needs three rows
/// instead of a field. Neither copyable nor movable.
template <class Real>
class RowFields {
 public:
  /// Computes the values on the CPU and copies them to the queue's memory; waits.
  /// @param space  of the fields that the rows belong to
  /// @param value  value(axis, index) returns a value. Along an axis that is not periodic, the
  ///               index may lie beyond the grid.
  template <class Value>
  RowFields(FieldSpace<Real>& space, Value const& value) {
    Subdomain const& subdomain = space.subdomain();
    for (int axis = 0; axis < 3; ++axis) {
      std::int64_t const halo = space.halo_points()[axis];
      std::int64_t const first = subdomain.owned_global().lower[axis];
      auto& row = rows_[static_cast<std::size_t>(axis)];
      // A row is stored as a field of one dimension with a halo, indexed like the points.
      row.emplace(space.queue(), Extent3{subdomain.extent()[axis], 1, 1}, Index3{halo, 0, 0});
      LocalBox const box = row->view().box;
      std::vector<Real> values;
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        values.push_back(static_cast<Real>(value(axis, subdomain.grid().on_axis(axis, first + i))));
      }
      copy_bytes(space.queue(), row->view().origin + box.lower.x, values.data(),
                 values.size() * sizeof(Real));
      space.queue().wait();  // the values go away
    }
  }

  /// The three rows, each indexed like the points of its axis.
  [[nodiscard]] AxisRows<Real> view() const {
    return {rows_[0]->view().origin, rows_[1]->view().origin, rows_[2]->view().origin};
  }

  /// Returns an upper bound on the bytes that the object allocates, see Buffer::footprint.
  static std::size_t footprint(Backend backend, Extent3 owned, Index3 halo) {
    std::size_t bytes = 0;
    for (int axis = 0; axis < 3; ++axis) {
      bytes += Field<Real>::footprint(backend, {owned[axis], 1, 1}, {halo[axis], 0, 0});
    }
    return bytes;
  }

 private:
  std::array<std::optional<Field<Real>>, 3> rows_{};  ///< along x, y and z
};

}  // namespace isotherm
