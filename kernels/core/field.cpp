#include "kernels/core/field.hpp"

#include <algorithm>

namespace isotherm {

namespace {

/// Rounds up to a multiple of `multiple`.
std::int64_t round_up(std::int64_t count, std::int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

}  // namespace

FieldLayout::FieldLayout(Extent3 owned_points, Index3 halo_points, std::size_t element_bytes)
    : owned(owned_points), halo(halo_points) {
  // Margins of at least one element on both sides of a row hold the neighbours in x, even without a
  // halo in x. Rounding them to whole lines aligns point (0, j, k) of every row.
  auto const line = static_cast<std::int64_t>(row_alignment_bytes / element_bytes);
  std::int64_t const margin = round_up(std::max<std::int64_t>(halo.x, 1), line);
  std::int64_t const rows = owned.y + 2 * halo.y;
  std::int64_t const planes = owned.z + 2 * halo.z;
  row = margin + round_up(owned.x + std::max<std::int64_t>(halo.x, 1), line);
  plane = row * rows;
  origin = halo.z * plane + halo.y * row + margin;
  // The last row needs a right margin of its own; other rows share that of the next row.
  elements = static_cast<std::size_t>(plane * planes + margin);
}

}  // namespace isotherm
