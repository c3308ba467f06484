#include <algorithm>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/device/device_attribute.hpp"
#include "kernels/core/cuda/lane.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/transforms/tridiagonal/cuda/tridiagonal.hpp"
#include "kernels/transforms/tridiagonal/cuda/tridiagonal_tile.cuh"

namespace isotherm::cuda {
namespace {

using Real = ISOTHERM_REAL;

constexpr int max_threads = 512;
constexpr int usual_threads = 256;

/// Returns a multiple of a warp.
constexpr int whole_warps(int threads) { return (threads + 31) / 32 * 32; }

/// Returns the number of threads of a block.
int threads_of(TridiagonalShape shape) { return whole_warps(shape.lines * shape.parts); }

/// Returns the shared memory of a block in bytes.
std::int64_t bytes_of(TridiagonalShape shape) {
  std::int64_t const elements =
      TridiagonalTile<Real>::elements(shape.parts, shape.lines) + 4 * threads_of(shape);
  return elements * static_cast<std::int64_t>(sizeof(Real));
}

/// Returns how a block divides lines of `count` points. Adjacent lines of a block fill 64 bytes
/// unless they are too long.
/// @param limit  maximum of its shared memory in bytes
TridiagonalShape shape_of(int count, bool along_x, std::int64_t limit) {
  constexpr int full = 64 / sizeof(Real);
  TridiagonalShape shape{128, static_cast<int>(tiles(count, points_of_part)), along_x};
  while (shape.lines > full && shape.parts * shape.lines > usual_threads) shape.lines /= 2;
  while (shape.lines > 1 && (shape.parts * shape.lines > max_threads || bytes_of(shape) > limit)) {
    shape.lines /= 2;
  }
  return shape;
}

/// The kernel. A block has some lines in shared memory, each thread a part of a line.
template <bool uniform>
__global__ void __launch_bounds__(max_threads, 1)
    tridiagonal_kernel(TridiagonalPass<Real> pass, TridiagonalShape shape, LineTiles tiles) {
  extern __shared__ __align__(16) unsigned char memory[];
  Real* const shared = reinterpret_cast<Real*>(memory);
  LineTile const lines = tiles[blockIdx.x];
  TridiagonalTile<Real> const tile(pass, shared + 4 * blockDim.x, shape, lines);
  tile.start_loading();
  int const lane = static_cast<int>(threadIdx.x) % shape.lines;
  int const part = static_cast<int>(threadIdx.x) / shape.lines;
  bool const is_last = part == shape.parts - 1;
  // The last warp may have threads without a part. Their nodes are arbitrary, and nobody reads
  // them.
  bool const has_part = part < shape.parts;
  TridiagonalLine<Real> const line = pass.line(lines.line(lane));
  TridiagonalPart<Real, uniform> const own(pass, tile, line, has_part ? part : 0, lane);
  copy_wait<0>();
  __syncthreads();

  TridiagonalNode<Real> before{};
  TridiagonalNode<Real> node{};
  if (has_part) node = own.eliminate(before);
  Real* const links = shared;
  Real* const grounds = shared + blockDim.x;
  Real* const sources = shared + 2 * blockDim.x;
  links[threadIdx.x] = node.before;
  grounds[threadIdx.x] = before.ground;
  sources[threadIdx.x] = before.source;
  __syncthreads();
  if (part < shape.parts - 1) {
    int const next = static_cast<int>(threadIdx.x) + shape.lines;
    node.after = links[next];
    node.ground += grounds[next];
    node.source += sources[next];
  }
  __syncthreads();
  Real const value = solve_nodes(node, shared, shape, part);
  shared[threadIdx.x] = value;
  __syncthreads();
  // The parts between the ends need no values if only those of the ends are wanted.
  if (has_part && (!pass.ends_only || part == 0 || is_last)) {
    Real const value_before = part > 0 ? shared[threadIdx.x - shape.lines] : Real{0};
    own.substitute(value_before, value);
  }
  __syncthreads();
  if (pass.may_have_singular_lines()) {
    Real const last = tile(pass.tables.count - 1, lane);
    __syncthreads();
    if (has_part && line.is_singular) own.remove_pin(last);
    __syncthreads();
  }
  tile.store();
}

/// Launches the kernel.
template <bool uniform>
void launch(Queue& queue, TridiagonalPass<Real> const& pass, int axis) {
  TridiagonalShape const shape =
      shape_of(pass.tables.count, axis == 0, max_shared_bytes(queue.device()));
  int const threads = threads_of(shape);
  auto const bytes = static_cast<int>(bytes_of(shape));
  cudaStream_t const stream = make_current(queue);
  check(cudaFuncSetAttribute(tridiagonal_kernel<uniform>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  LineTiles const divided = tiles_of_lines(pass.to, pass.lines, shape.lines);
  std::int64_t const blocks = divided.count();
  require(blocks < (std::int64_t{1} << 31), "too many tridiagonal systems for one launch");
  tridiagonal_kernel<uniform>
      <<<static_cast<unsigned>(blocks), threads, static_cast<std::size_t>(bytes), stream>>>(
          pass, shape, divided);
  check_launch();
}

/// Solves long lines, one a thread. The results are stored in place of the sources of elimination,
/// the factors in working memory.
__global__ void __launch_bounds__(threads_per_block)
    long_lines_kernel(TridiagonalPass<Real> pass, std::int64_t first, std::int64_t lines,
                      Real* inverses) {
  std::int64_t const own = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (own >= lines) return;
  TridiagonalTables<Real> const& tables = pass.tables;
  TridiagonalLine<Real> const line = pass.line(first + own);
  Real const* const from = pass.from.first_of(first + own);
  Real* const to = pass.to.first_of(first + own);
  int const last = tables.count - 1;
  Real ground = tables.excess(0, line.mu);
  Real source = from[0] * tables.factor(0);
  for (int p = 0; p < last; ++p) {
    Real const next = tables.conductance[p];
    Real const inverse = fast_inverse(ground + next);
    inverses[p * lines + own] = inverse;
    Real const share = next * inverse;
    Real const next_source = from[(p + 1) * pass.from.step] * tables.factor(p + 1);
    to[p * pass.to.step] = source;
    ground = tables.excess(p + 1, line.mu) + share * ground;
    source = next_source + share * source;
  }
  Real const end = source / (ground + (line.is_singular ? tables.pin : Real{0}));
  Real value = end;
  for (int p = last; p >= 0; --p) {
    if (p < last) {
      value = (to[p * pass.to.step] + tables.conductance[p] * value) * inverses[p * lines + own];
    }
    to[p * pass.to.step] = line.is_singular ? value - tables.singular[p] * end : value;
  }
}

void solve_long_lines(Queue& queue, TridiagonalPass<Real> const& pass) {
  std::size_t const of_line = static_cast<std::size_t>(pass.tables.count) * sizeof(Real);
  auto const part = std::max<std::int64_t>(
      1, std::min(pass.lines, static_cast<std::int64_t>(max_tridiagonal_scratch / of_line)));
  cudaStream_t const stream = make_current(queue);
  auto* const inverses =
      static_cast<Real*>(scratch_memory(queue, static_cast<std::size_t>(part) * of_line));
  for (std::int64_t first = 0; first < pass.lines; first += part) {
    std::int64_t const lines = std::min(part, pass.lines - first);
    long_lines_kernel<<<static_cast<unsigned>(tiles(lines, threads_per_block)), threads_per_block,
                        0, stream>>>(pass, first, lines, inverses);
    check_launch();
  }
}

/// Returns true if a block's shared memory can hold a line.
bool fits_shared_memory(Queue& queue, int count) {
  return count <= max_tridiagonal_tile &&
         bytes_of({1, static_cast<int>(tiles(count, points_of_part)), false}) <=
             max_shared_bytes(queue.device());
}

}  // namespace

template <>
void solve_lines(Queue& queue, TridiagonalPass<Real> const& pass, int axis) {
  if (!fits_shared_memory(queue, pass.tables.count)) {
    solve_long_lines(queue, pass);
  } else if (pass.tables.is_uniform) {
    launch<true>(queue, pass, axis);
  } else {
    launch<false>(queue, pass, axis);
  }
}

}  // namespace isotherm::cuda
