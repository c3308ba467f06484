#pragma once

#include <type_traits>

#include "kernels/core/box.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/queue/memory.hpp"

namespace isotherm {

/// A non-owning view of a field, passed to kernels by value. x is the contiguous axis. Indices are
/// local: (0,0,0) is the first owned point, ghost points (halo) have indices outside the owned box.
template <class T>
struct FieldView {
  T* origin = nullptr;        ///< local point (0,0,0); null for "no field"
  std::int64_t stride_y = 0;  ///< elements between (i,j,k) and (i,j+1,k)
  std::int64_t stride_z = 0;  ///< elements between (i,j,k) and (i,j,k+1)
  LocalBox box{};             ///< points that exist, halo included

  /// Returns the value at a point.
  /// @pre (i, j, k) lies in `box`. This is not checked.
  ISOTHERM_HOST_DEVICE T& operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return origin[i + j * stride_y + k * stride_z];
  }
  /// Returns false for "no field".
  ISOTHERM_HOST_DEVICE explicit operator bool() const { return origin != nullptr; }
  /// Converts to a read-only view of the same points.
  template <class U>
  requires(!std::is_const_v<T> && std::is_same_v<U, T const>) operator FieldView<U>()
      const {  // NOLINT(google-explicit-constructor)
    return {origin, stride_y, stride_z, box};
  }
};

/// Memory layout of a field with `owned` points, surrounded by a halo: `halo` ghost points at both
/// ends of each axis.
///
/// Point (0, j, k) is aligned to `row_alignment_bytes` for all j, k. Rows are padded on both sides
/// to whole multiples of that. A 16-byte vector load at a multiple of 16 bytes from x = 0 therefore
/// lies inside the row if it touches an existing point.
struct FieldLayout {
  static constexpr std::size_t row_alignment_bytes = 128;

  Extent3 owned{};
  Index3 halo{};
  std::int64_t row = 0;      ///< elements from one row to the next
  std::int64_t plane = 0;    ///< elements from one plane to the next
  std::int64_t origin = 0;   ///< element of local point (0,0,0)
  std::size_t elements = 0;  ///< to allocate

  FieldLayout() = default;
  /// @param owned  numbers of owned points
  /// @param halo  ghost points at both ends of each axis
  /// @param element_bytes  size of a value, a divisor of row_alignment_bytes
  FieldLayout(Extent3 owned, Index3 halo, std::size_t element_bytes);

  /// Returns the owned points, without the halo.
  [[nodiscard]] LocalBox owned_box() const { return {{0, 0, 0}, owned}; }
  /// Returns all points, including the halo.
  [[nodiscard]] LocalBox box() const { return owned_box().grown(halo); }
};

/// A field in memory: the values of one rank's points with their halo, in the memory of a queue's
/// backend. All elements, halo and padding included, are zero initially.
///
///   Field<double> field(queue, {64, 64, 1}, {1, 1, 0});  // a 2D grid with one ghost layer
///   FieldView<double> const u = field.view();
///
/// A field can be moved but not copied. Its views remain valid when it is moved.
template <class Real>
class Field {
 public:
  /// Allocates the field and enqueues zeroing it.
  /// @throws Error  if there is not enough memory
  Field(Queue& queue, Extent3 owned, Index3 halo)
      : layout_(owned, halo, sizeof(Real)),
        values_(queue, Space::device, product_of_bytes(layout_.elements, sizeof(Real))) {
    fill_bytes(queue, values_.data(), 0, values_.bytes());
  }

  /// Returns an upper bound on the memory of a field in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, Extent3 owned, Index3 halo) {
    if (exceeds_any_memory(LocalBox{{}, owned}.grown(halo))) return uncountable_bytes;
    FieldLayout const layout(owned, halo, sizeof(Real));
    return Buffer::footprint(backend, Space::device,
                             product_of_bytes(layout.elements, sizeof(Real)));
  }

  [[nodiscard]] FieldLayout const& layout() const { return layout_; }
  /// Returns the owned points, without the halo.
  [[nodiscard]] LocalBox owned() const { return layout_.owned_box(); }
  /// Returns a view of all points, including the halo. It is valid as long as the field exists.
  [[nodiscard]] FieldView<Real> view() { return view_of<Real>(); }
  [[nodiscard]] FieldView<Real const> view() const { return view_of<Real const>(); }
  /// Returns the allocated bytes, including halo and padding.
  [[nodiscard]] std::size_t bytes() const { return values_.bytes(); }

 private:
  template <class T>
  [[nodiscard]] FieldView<T> view_of() const {
    return {values_.as<Real>() + layout_.origin, layout_.row, layout_.plane, layout_.box()};
  }

  FieldLayout layout_;
  Buffer values_;
};

}  // namespace isotherm
