#include <algorithm>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/device/device_attribute.hpp"
#include "kernels/core/cuda/lane.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/transforms/cuda/line_tiles.hpp"
#include "kernels/transforms/dense/cuda/dense.hpp"
#include "kernels/transforms/dense/cuda/dense_tile.cuh"

namespace isotherm::cuda {
namespace {

using Real = ISOTHERM_REAL;

/// A part of the lines of a LineSet.
template <class T>
struct LineRange {
  LineSet<T> lines;
  std::int64_t first;  ///< number of the first line

  __device__ __forceinline__ T* line(std::int64_t number) const {
    return lines.first_of(first + number);
  }
};

/// The arguments of a kernel: one matrix product for each half.
struct Work {
  DenseShape shape;
  Real const* matrix[2];
  int count;  ///< points of a line
  DenseInput input;
  LineRange<Real const> from;
  LineRange<Real> to;
  LineTiles tiles;   ///< of the lines of the range
  bool has_vectors;  ///< 16 bytes of adjacent lines are aligned in `from`
  bool scales;       ///< the results are multiplied by inverse eigenvalues
  LineSpectrum<Real> spectrum;

  /// Returns the number of results of the first half.
  __device__ __forceinline__ int first_half() const { return count - count / 2; }
};

/// The copies of a thread from global memory to the stages.
template <bool along_x, DenseInput input>
class Loader {
 public:
  using Block = DenseBlock<Real>;
  using Stage = DenseStage<Real, along_x, input>;

  __device__ Loader(Work const& work, int first_mode, LineTile const& tile)
      : work_(work), first_mode_(first_mode) {
    int const adjacent = !along_x && work.has_vectors ? width : 1;
#pragma unroll
    for (int n = 0; n < lines; ++n) {
      int const lane = adjacent > 1 ? vector_lane() : line(n);
      int const nearest = min(max(lane, tile.lower), tile.upper - 1);
      exists_[n] = nearest >= lane && nearest < lane + adjacent;
      line_[n] = work.from.line(tile.first + nearest) + (adjacent > 1 ? lane - nearest : 0);
    }
  }
  /// Starts copying the terms that begin at `first`.
  __device__ __forceinline__ void load(Stage& stage, int first) const {
    load_matrices(stage, first);
    if (!along_x && work_.has_vectors) {
      load_vectors(stage, first);
    } else {
#pragma unroll
      for (int n = 0; n < copies; ++n) load_values(stage, first, n);
    }
    copy_commit();
  }

 private:
  static constexpr int threads = Block::threads;
  static constexpr int copies = Stage::terms * dense_lines / threads;  ///< of each array of values
  static constexpr int lines = along_x ? copies : 1;  ///< that the copies of a thread belong to
  static constexpr int width = 16 / sizeof(Real);
  static constexpr int vectors = Block::max_tile / width;   ///< of a matrix row
  static constexpr int lane_vectors = dense_lines / width;  ///< of the values of a term

  /// Returns the line of the block that the nth copy belongs to.
  __device__ __forceinline__ static int line(int n) {
    int const thread = static_cast<int>(threadIdx.x);
    return along_x ? thread / Stage::terms + n * (threads / Stage::terms) : thread % dense_lines;
  }
  /// Returns the term of the stage that the nth copy belongs to.
  __device__ __forceinline__ static int term(int n) {
    int const thread = static_cast<int>(threadIdx.x);
    return along_x ? thread % Stage::terms : thread / dense_lines + n * (threads / dense_lines);
  }

  __device__ __forceinline__ void load_matrices(Stage& stage, int first) const {
    constexpr int all = 2 * Stage::terms * vectors;
#pragma unroll
    for (int n = 0; n < all / threads; ++n) {
      int const item = static_cast<int>(threadIdx.x) + n * threads;
      int const column = item % vectors * width;
      int const row = item / vectors % Stage::terms;
      int const half = item / (vectors * Stage::terms);
      if (column >= work_.shape.tile) continue;
      Real const* const from = work_.matrix[half] +
                               static_cast<std::int64_t>(first + row) * work_.shape.pitch +
                               first_mode_ + column;
      copy_async(shared_address(&stage.matrix[half][row * Stage::pitch + column]), from);
    }
  }
  __device__ __forceinline__ void load_values(Stage& stage, int first, int n) const {
    int const k = first + term(n);
    int const to = term(n) * Stage::term + line(n) * Stage::line;
    int const own = along_x ? n : 0;
    bool const wanted = exists_[own] && k < work_.shape.terms;
    copy_point(stage.values[0] + to, line_[own], wanted ? k : 0, wanted);
    if constexpr (input != DenseInput::common) {
      // The second half has no partner of the point in the middle, or one mode less.
      bool const has_second = wanted && k < work_.count / 2;
      copy_point(stage.values[1] + to, line_[own], has_second ? partner(k) : 0, has_second);
    }
  }
  /// Returns the first of the adjacent lines whose values this thread copies together.
  __device__ __forceinline__ static int vector_lane() {
    return static_cast<int>(threadIdx.x) % lane_vectors * width;
  }
  /// Loads values of adjacent lines. Lines beyond the tile may have any values.
  __device__ __forceinline__ void load_vectors(Stage& stage, int first) const {
    constexpr int rows = threads / lane_vectors;
    int const row = static_cast<int>(threadIdx.x) / lane_vectors;
#pragma unroll
    for (int n = 0; n < (Stage::terms + rows - 1) / rows; ++n) {
      int const term = row + n * rows;
      if (rows > Stage::terms && term >= Stage::terms) continue;
      int const k = first + term;
      int const to = term * Stage::term + vector_lane();
      bool const wanted = exists_[0] && k < work_.shape.terms;
      copy_vector(stage.values[0] + to, wanted ? k : 0, wanted);
      if constexpr (input != DenseInput::common) {
        bool const has_second = wanted && k < work_.count / 2;
        copy_vector(stage.values[1] + to, has_second ? partner(k) : 0, has_second);
      }
    }
  }
  __device__ __forceinline__ void copy_vector(Real* to, int point, bool wanted) const {
    copy_vector_or_zero(to, line_[0] + point * work_.from.lines.step, wanted);
  }
  /// Returns the point of the second half that belongs to term k.
  __device__ __forceinline__ int partner(int k) const {
    return input == DenseInput::mirrored ? work_.count - 1 - k : work_.first_half() + k;
  }
  __device__ __forceinline__ void copy_point(Real* to, Real const* line, int point,
                                             bool wanted) const {
    copy_value_or_zero(to, line + point * work_.from.lines.step, wanted);
  }

  Work const& work_;
  int first_mode_;
  Real const* line_[lines];
  bool exists_[lines];
};

/// Stores the results of one line, which may be scaled.
class LineWriter {
 public:
  __device__ LineWriter(Work const& work, std::int64_t number)
      : work_(work), line_(work.to.line(number)) {
    if (!work.scales) return;
    std::int64_t const global = work.from.first + number;
    a_ = work.spectrum.a[work.from.lines.a(global)];
    b_ = work.spectrum.b[work.from.lines.b(global)];
  }
  /// Stores result number n of each half.
  /// @tparam adds_halves  the results are sums and differences of the halves, at mirrored points
  template <bool adds_halves>
  __device__ __forceinline__ void store(int n, Real first, Real second) const {
    int const half = work_.first_half();
    bool const has_second = n < work_.count / 2;
    if constexpr (adds_halves) {
      put(n, first + second);
      if (has_second) put(work_.count - 1 - n, first - second);
    } else {
      if (n < half) put(n, first);
      if (has_second) put(half + n, second);
    }
  }

 private:
  __device__ __forceinline__ void put(int n, Real value) const {
    Real const factor =
        work_.scales ? work_.spectrum.spectrum.inverse_of(work_.spectrum.own[n], a_, b_) : Real{1};
    line_[n * work_.to.lines.step] = value * factor;
  }

  Work const& work_;
  Real* line_;
  Real a_ = 0;
  Real b_ = 0;
};

/// Stores the results of a thread.
template <bool along_x, DenseInput input>
__device__ __forceinline__ void store_sums(Work const& work,
                                           DenseWarp<Real, along_x, input> const& warp,
                                           int first_mode, LineTile const& lines) {
  using Warp = DenseWarp<Real, along_x, input>;
  WarpPlace const at;
#pragma unroll
  for (int column = 0; column < Warp::columns; ++column) {
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      int const lane = warp.line(column) + 2 * at.number + n;
      if (!lines.has(lane)) continue;
      LineWriter const writer(work, lines.first + lane);
#pragma unroll
      for (int tile = 0; tile < Warp::tiles; ++tile) {
#pragma unroll
        for (int upper = 0; upper < 2; ++upper) {
          int const mode = first_mode + warp.mode(tile) + at.group + 8 * upper;
          if (!warp.has(tile) || mode >= work.first_half()) continue;
          int const v = 2 * upper + n;
          writer.template store<input == DenseInput::separate>(mode, warp.sum(0, tile, column, v),
                                                               warp.sum(1, tile, column, v));
        }
      }
    }
  }
}

/// Stages of a block in shared memory: enough to hide the latency of memory. Devices with little
/// shared memory have few_stages.
constexpr int many_stages = 4;
constexpr int few_stages = 2;

/// Starts loading a stage, if there is one of this number.
template <bool along_x, DenseInput input>
__device__ __forceinline__ void load_stage(Loader<along_x, input> const& loader,
                                           DenseStage<Real, along_x, input>& stage, int number,
                                           int count) {
  if (number < count) {
    loader.load(stage, number * DenseStage<Real, along_x, input>::terms);
  } else {
    copy_commit();  // an empty group, so that all stages have one
  }
}

/// The kernel. A block computes a tile of modes of each half for some lines. Blocks of the same
/// lines are adjacent, so the second-level cache serves all but the first of them. While a stage is
/// multiplied, the next ones are loaded: many_stages - 1, or one.
template <bool along_x, DenseInput input>
__global__ void __launch_bounds__(DenseBlock<Real>::threads, DenseBlock<Real>::blocks)
    dense_kernel(__grid_constant__ Work const work, int buffers) {
  using Stage = DenseStage<Real, along_x, input>;
  extern __shared__ __align__(16) unsigned char memory[];
  Stage* const stages = reinterpret_cast<Stage*>(memory);
  int const first_mode = static_cast<int>(blockIdx.x % work.shape.tiles) * work.shape.tile;
  LineTile const lines = work.tiles[blockIdx.x / work.shape.tiles];
  Loader<along_x, input> const loader(work, first_mode, lines);
  DenseWarp<Real, along_x, input> warp(min(work.shape.tile, work.first_half() - first_mode));
  int const count = work.shape.rows / Stage::terms;
  int const ahead = buffers - 1;
  for (int n = 0; n < ahead; ++n) load_stage(loader, stages[n], n, count);
  int current = 0;
  for (int n = 0; n < count; ++n) {
    if (buffers == many_stages) {
      copy_wait<many_stages - 2>();
    } else {
      copy_wait<0>();
    }
    __syncthreads();  // the stage is complete, and nobody reads the one before it any more
    int const before = current > 0 ? current - 1 : ahead;
    load_stage(loader, stages[before], n + ahead, count);
    warp.add(stages[current]);
    current = current < ahead ? current + 1 : 0;
  }
  store_sums<along_x>(work, warp, first_mode, lines);
}

/// Returns true if 16 bytes of adjacent lines are aligned.
bool has_aligned_vectors(LineSet<Real const> const& lines, LineTiles const& tiles) {
  constexpr int width = 16 / sizeof(Real);
  return tiles.of_row > 0 && lines.step % width == 0 && lines.stride_b % width == 0;
}

/// Launches the kernel.
template <bool along_x, DenseInput input>
void launch(Queue& queue, Work const& work) {
  constexpr int stage_bytes = sizeof(DenseStage<Real, along_x, input>);
  cudaStream_t const stream = make_current(queue);
  int const buffers =
      many_stages * stage_bytes <= max_shared_bytes(queue.device()) ? many_stages : few_stages;
  int const bytes = buffers * stage_bytes;
  check(cudaFuncSetAttribute(dense_kernel<along_x, input>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  std::int64_t const blocks = work.tiles.count() * work.shape.tiles;
  require(blocks < (std::int64_t{1} << 31), "a dense transform of too many lines for one launch");
  dense_kernel<along_x, input>
      <<<static_cast<unsigned>(blocks), DenseBlock<Real>::threads, bytes, stream>>>(work, buffers);
  check_launch();
}

template <DenseInput input>
void launch_along(Queue& queue, Work const& work, int axis) {
  if (axis == 0) {
    launch<true, input>(queue, work);
  } else {
    launch<false, input>(queue, work);
  }
}

void launch_along(Queue& queue, Work const& work, int axis) {
  switch (work.input) {
    case DenseInput::common:
      return launch_along<DenseInput::common>(queue, work, axis);
    case DenseInput::mirrored:
      return launch_along<DenseInput::mirrored>(queue, work, axis);
    case DenseInput::separate:
      return launch_along<DenseInput::separate>(queue, work, axis);
  }
}

/// Returns the work of one transform of a pass, for all of its lines.
Work work_of(DensePass<Real> const& pass, LineTask task) {
  DenseTables<Real> const& tables = pass.tables;
  bool const to_modes = task == LineTask::to_modes;
  auto const& matrix = (to_modes ? tables.to_modes : tables.to_points).across;
  DenseInput const folded = to_modes ? DenseInput::mirrored : DenseInput::separate;
  return {dense_shape<Real>(tables.count, tables.is_mirrored),
          {matrix[0], matrix[1]},
          tables.count,
          tables.is_mirrored ? folded : DenseInput::common,
          {pass.from, 0},
          {pass.to, 0},
          tiles_of_lines(pass.from, pass.lines, dense_lines),
          false,
          false,
          pass.spectrum};
}

/// Returns lines that are stored one after the other in working memory.
LineSet<Real> scratch_lines(Real* memory, std::int64_t lines, int count, int axis) {
  if (axis == 0) return {memory, 1, lines, count, 0};
  return {memory, lines, lines, 1, 0};
}

/// Solves the lines in parts, whose modes fit the working memory.
void solve(Queue& queue, DensePass<Real> const& pass, int axis) {
  int const count = pass.tables.count;
  std::int64_t const most = static_cast<std::int64_t>(solve_scratch_bytes) /
                            (count * static_cast<std::int64_t>(sizeof(Real)));
  std::int64_t const parts = tiles(pass.lines, most);
  std::int64_t const part = tiles(pass.lines, parts);
  auto* const memory = static_cast<Real*>(
      scratch_memory(queue, static_cast<std::size_t>(part) * count * sizeof(Real)));
  LineSet<Real> const modes = scratch_lines(memory, part, count, axis);
  Work to_modes = work_of(pass, LineTask::to_modes);
  to_modes.to = {modes, 0};
  to_modes.scales = true;
  Work to_points = work_of(pass, LineTask::to_points);
  to_points.from = {{modes.origin, modes.step, modes.width, modes.stride_a, modes.stride_b}, 0};
  for (std::int64_t first = 0; first < pass.lines; first += part) {
    to_modes.from.first = to_points.to.first = first;
    std::int64_t const lines = std::min(part, pass.lines - first);
    to_modes.tiles = to_points.tiles = {dense_lines, 0, 0, lines, lines};
    launch_along(queue, to_modes, axis);
    launch_along(queue, to_points, axis);
  }
}

}  // namespace

template <>
void transform(Queue& queue, DensePass<Real> const& pass, int axis) {
  if (pass.task == LineTask::solve) {
    solve(queue, pass, axis);
  } else {
    Work work = work_of(pass, pass.task);
    work.has_vectors = has_aligned_vectors(pass.from, work.tiles);
    launch_along(queue, work, axis);
  }
}

}  // namespace isotherm::cuda
