#include "kernels/conduction/cuda/component_sums.hpp"
#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/points.cuh"

namespace isotherm::cuda {

namespace {

/// Threads of a block, as merge_block() requires.
constexpr int threads = reduction_threads;
constexpr int warp = 32;

/// Calls visit(i, j, k) for the points of a part that belong to the calling thread. The warps of a
/// block share the rows of the part, the lanes of a warp the points of a row.
template <class Visit>
__device__ void for_my_points(ComponentRow const* rows, ComponentPart part, Visit const& visit) {
  auto const lane = static_cast<std::int64_t>(threadIdx.x % warp);
  std::int64_t const first = part.first + static_cast<std::int64_t>(threadIdx.x / warp);
  for (std::int64_t n = first; n < part.end; n += threads / warp) {
    ComponentRow const row = rows[n];
    for (std::int64_t at = lane; at < row.count; at += warp) visit(row.i + at, row.j, row.k);
  }
}

/// Sums a term. A block sums parts blockIdx.x, blockIdx.x + gridDim.x, … one after the other. A
/// thread sums its points in a register; merge_block() then adds the sums of all threads.
template <class Term>
__global__ void __launch_bounds__(threads)
    sum_kernel(Term term, ComponentRow const* rows, ComponentPart const* parts, std::int64_t count,
               double* sums) {
  for (std::int64_t part = blockIdx.x; part < count; part += gridDim.x) {
    double mine = 0.0;
    for_my_points(rows, parts[part],
                  [&](std::int64_t i, std::int64_t j, std::int64_t k) { mine += term(i, j, k); });
    double const sum = merge_block(mine, [](double& a, double b) { a += b; });
    if (threadIdx.x == 0) sums[part] = sum;
    __syncthreads();  // the next part overwrites the shared memory of merge_block()
  }
}

/// Adds a value to each part. Blocks and parts are related as in sum_kernel().
template <class Real>
__global__ void __launch_bounds__(threads)
    add_kernel(FieldView<Real> field, ComponentRow const* rows, ComponentPart const* parts,
               std::int64_t count, double const* values) {
  for (std::int64_t part = blockIdx.x; part < count; part += gridDim.x) {
    double const value = values[part];
    if (value == 0.0) continue;
    for_my_points(rows, parts[part], [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      Real& to = field(i, j, k);
      to = static_cast<Real>(static_cast<double>(to) + value);
    });
  }
}

/// Maximum number of blocks of a launch; each sums several parts if there are more parts.
constexpr std::size_t max_blocks = 1 << 16;
/// Returns the number of blocks: one for each part, up to the limit.
unsigned blocks_of(std::size_t parts) {
  return static_cast<unsigned>(parts < max_blocks ? parts : max_blocks);
}

}  // namespace

template <class Real, int dimension>
void sum_components(Queue& queue, ComponentTerm<Real, dimension> const& term,
                    ComponentRow const* rows, ComponentPart const* parts, std::size_t count,
                    double* sums) {
  sum_kernel<<<blocks_of(count), threads, 0, make_current(queue)>>>(
      term, rows, parts, static_cast<std::int64_t>(count), sums);
  check_launch();
}

template <class Real>
void add_to_components(Queue& queue, FieldView<Real> field, ComponentRow const* rows,
                       ComponentPart const* parts, std::size_t count, double const* values) {
  add_kernel<<<blocks_of(count), threads, 0, make_current(queue)>>>(
      field, rows, parts, static_cast<std::int64_t>(count), values);
  check_launch();
}

#define ISOTHERM_INSTANTIATE(Real, dimension)                                                      \
  template void sum_components(Queue&, ComponentTerm<Real, dimension> const&, ComponentRow const*, \
                               ComponentPart const*, std::size_t, double*);
ISOTHERM_INSTANTIATE(float, 2)
ISOTHERM_INSTANTIATE(float, 3)
ISOTHERM_INSTANTIATE(double, 2)
ISOTHERM_INSTANTIATE(double, 3)
#undef ISOTHERM_INSTANTIATE

#define ISOTHERM_INSTANTIATE(Real)                                              \
  template void add_to_components(Queue&, FieldView<Real>, ComponentRow const*, \
                                  ComponentPart const*, std::size_t, double const*);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
