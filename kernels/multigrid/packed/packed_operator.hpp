#pragma once

#include <bit>
#include <cstdint>

#include "kernels/core/queue/queue.hpp"
#include "kernels/operators/conductances.hpp"

// The operator of a correction in 16-bit numbers, for smoothing on devices.
//
// Smoothing is limited by memory bandwidth, and the operator is most of what it reads. A cycle only
// preconditions conjugate gradients, so three digits of the coefficients suffice. bfloat16 has the
// range of float32, whatever the contrast of the medium, and a relative error of 2⁻⁸ at most. A
// link has one conductance, which is rounded once, so the rounded operator is symmetric and
// conserves heat. Its quadratic form differs from that of the operator by the same 2⁻⁸ at most.

namespace isotherm {

/// Two properties of four points adjacent in x: 16 bytes, which a thread loads at once.
struct alignas(16) PackedGroup {
  static constexpr int points = 4;
  // NOLINTBEGIN(modernize-avoid-c-arrays): device code indexes them
  std::uint16_t first[points];
  std::uint16_t second[points];
  // NOLINTEND(modernize-avoid-c-arrays)
};

/// The operator of a correction: conductances to the next point along each axis, and reaction
/// terms. The sign of the reaction term, instead of that of the conductance along x, marks fixed
/// points. The x of both fields counts groups of points.
template <class Group>
struct PackedOperator {
  FieldView<Group> x_and_y, z_and_reaction;
};

/// Returns the nearest bfloat16 number: the upper half of a float32 number. NaN is not supported.
ISOTHERM_INLINE std::uint16_t to_bfloat16(float value) {
  auto const bits = std::bit_cast<std::uint32_t>(value);
  // Ties go to the even number.
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}
/// Returns the value of a bfloat16 number.
ISOTHERM_INLINE float from_bfloat16(std::uint16_t number) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(number) << 16U);
}

/// Returns the groups that hold the points of `box`.
inline LocalBox packed_box(LocalBox box) {
  auto const group = [](std::int64_t i) { return (i - (i & 3)) / PackedGroup::points; };
  box.lower.x = group(box.lower.x);
  box.upper.x = group(box.upper.x - 1) + 1;
  return box;
}

/// Enqueues packing conductances and reaction terms in 3D: all points of `packed`. Points beyond
/// the conductances' fields get zeros. Capacities and cell widths are not used.
/// @throws Error  if `packed` and the conductances differ along y or z, or there is no reaction
/// term
void pack_operator(Queue& queue, Conductances<float, 3> const& conductances,
                   PackedOperator<PackedGroup> const& packed);

}  // namespace isotherm
