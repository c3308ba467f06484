#include "kernels/sweep/resident_footprint.hpp"

#include "kernels/core/field.hpp"

namespace isotherm {

namespace {

/// Returns the CUDA memory of the kernel: two copies of the grid, in rows of whole quads, for the
/// edge points that blocks exchange, and a flag per block. There are at most as many blocks as a
/// device has multiprocessors.
std::size_t rims_and_flags(std::size_t element_bytes, Extent3 n) {
  constexpr std::size_t max_multiprocessors = 1024;
  auto const points = static_cast<std::size_t>((n.x + 3) / 4 * 4 * n.y);
  return Buffer::footprint(Backend::cuda, Space::device,
                           2 * element_bytes * points + max_multiprocessors * sizeof(unsigned));
}

}  // namespace

std::size_t resident_footprint(Backend backend, Precision precision, Extent3 n) {
  if (backend == Backend::cuda) return rims_and_flags(value_bytes(precision), n);
  // The second field, which steps alternate with.
  return with_precision(precision, [&]<class Real>(Real) {
    return Field<Real>::footprint(backend, n, {1, 1, 0});
  });
}

}  // namespace isotherm
