#include <limits>

#include "kernels/core/cuda/launch.hpp"
#include "kernels/multigrid/packed/cuda/packed_smoothing.hpp"
#include "kernels/operators/cuda/operator_columns.cuh"
#include "kernels/sweep/cuda/copy_value.cuh"
#include "kernels/sweep/cuda/resident/resident_blocks.cuh"

// Two levels of smoothing in one pass over memory, with the operator in bfloat16.
//
// A block marches up the columns of a tile. Asynchronous copies bring all fields of a plane into a
// ring of planes in shared memory, some planes ahead. Many bytes are then in flight although
// threads have few registers. While plane k is entered, the first level is computed in plane k − 1
// and the second one in plane k − 2. There is one barrier a plane. A sweep from zero needs no
// neighbours, and is the third level: it is computed in plane k.
//
// A thread has four points adjacent in x; a row of the tile is a half or a whole warp. Errors at
// the rim of the tile spread inwards by one point a level. The rim is therefore computed, but not
// written.

namespace isotherm::cuda {

namespace {

constexpr int width = PackedGroup::points;
using Values = Few<float, width>;

/// Points of one axis, in local indices.
struct PackedRange {
  int lower, upper;

  [[nodiscard]] __device__ __forceinline__ bool contains(int at) const {
    return at >= lower && at < upper;
  }
  /// True if the range contains one of the points from `at` on.
  [[nodiscard]] __device__ __forceinline__ bool touches(int at) const {
    return at + width > lower && at < upper;
  }
};
struct PackedBox {
  PackedRange x, y, z;

  explicit PackedBox(LocalBox const& box)
      : x{static_cast<int>(box.lower.x), static_cast<int>(box.upper.x)},
        y{static_cast<int>(box.lower.y), static_cast<int>(box.upper.y)},
        z{static_cast<int>(box.lower.z), static_cast<int>(box.upper.z)} {}
};

/// The arguments of the kernel. Pointers refer to local point (0, 0, 0).
struct PackedArguments {
  float const* start;
  float const* source;
  uint4 const* x_and_y;
  uint4 const* z_and_reaction;
  float* out;
  float* residual;
  std::int64_t row, plane;        ///< strides of the values
  std::int64_t op_row, op_plane;  ///< and of the operator, in groups
  PackedBox box, op_box;          ///< points and groups that exist
  PackedBox region, free;
  float weights[3];
  int tiles_x, tiles_y, pieces;  ///< the division of the region into tiles, and of their columns
};

/// A block's tile, and the shared memory that it needs.
/// @tparam lanes_   threads of a row, 16 or 32
/// @tparam ring_    planes in shared memory; at least 4
/// @tparam blocks_  blocks that share a multiprocessor
template <int lanes_, int rows_, int ring_, int blocks_>
struct PackedTile {
  static constexpr int lanes = lanes_, rows = rows_, ring_planes = ring_, blocks = blocks_;
  static constexpr int threads = lanes * rows;
  static constexpr int margin_x = width;  ///< points at both ends in x that are not written
  static constexpr int points_out = width * lanes - 2 * margin_x;

  /// A plane of the fields. Each thread has 16 bytes of each array.
  struct Plane {
    float4 start[threads];  ///< the correction before, or after a sweep from zero
    float4 source[threads];
    uint4 x_and_y[threads];         ///< conductances along x and y
    uint4 z_and_reaction[threads];  ///< conductances along z, and reaction terms
  };
  Plane ring[ring_planes];
  float4 level[2][threads];  ///< two planes of the correction after the first level
};

/// The fastest of seven tiles on an H200, in grids of 129³ to 512³ points (measurements.md).
using FastestTile = PackedTile<16, 20, 5, 2>;

__device__ __forceinline__ Values values_of(float4 const& all) {
  return {{all.x, all.y, all.z, all.w}};
}
__device__ __forceinline__ float4 whole(Values const& values) {
  return make_float4(values.v[0], values.v[1], values.v[2], values.v[3]);
}
/// Unpacks four bfloat16 numbers.
__device__ __forceinline__ Values unpacked(unsigned first, unsigned second) {
  return {{__uint_as_float(first << 16), __uint_as_float(first & 0xffff0000U),
           __uint_as_float(second << 16), __uint_as_float(second & 0xffff0000U)}};
}

/// The operator at a thread's four points.
struct PackedPoints {
  Values east, south, north, below, above, reaction;
  float west;  ///< of the first point

  /// @param below  packed conductances along z of the plane below
  template <int lanes>
  static __device__ __forceinline__ PackedPoints of(uint4 const& x_and_y, uint2 south, uint2 below,
                                                    uint4 const& z_and_reaction) {
    PackedPoints points{unpacked(x_and_y.x, x_and_y.y),
                        unpacked(south.x, south.y),
                        unpacked(x_and_y.z, x_and_y.w),
                        unpacked(below.x, below.y),
                        unpacked(z_and_reaction.x, z_and_reaction.y),
                        unpacked(z_and_reaction.z, z_and_reaction.w),
                        0.0F};
    points.west = __shfl_up_sync(~0U, points.east.v[width - 1], 1, lanes);
    return points;
  }

  [[nodiscard]] __device__ __forceinline__ float west_of(int n) const {
    return n == 0 ? west : east.v[n == 0 ? 0 : n - 1];
  }

  /// Returns 1 / (Σ g + reaction); 0 at points that do not change.
  /// @param changes  a bit for each point that is free
  [[nodiscard]] __device__ __forceinline__ Values inverse_diagonal(unsigned changes) const {
    Values result;
#pragma unroll
    for (int n = 0; n < width; ++n) {
      float const diagonal = ((west_of(n) + east.v[n]) + (south.v[n] + north.v[n])) +
                             ((below.v[n] + above.v[n]) + reaction.v[n]);
      // The sign marks fixed points. The reciprocal of a subnormal number may overflow.
      bool const moves = !signbit(reaction.v[n]) && diagonal >= std::numeric_limits<float>::min();
      result.v[n] = moves ? __fdividef(1.0F, diagonal) : 0.0F;
    }
    if (changes != (1U << width) - 1U) {
#pragma unroll
      for (int n = 0; n < width; ++n) {
        if ((changes >> n & 1U) == 0) result.v[n] = 0.0F;
      }
    }
    return result;
  }

  /// Returns the residual: source + Σ g (e(neighbour) − e) − reaction e.
  template <int lanes>
  [[nodiscard]] __device__ __forceinline__ Values
  residual(Values const& source, Values const& in_south, Values const& in_north,
           Values const& in_below, Values const& here, Values const& in_above) const {
    float const before = __shfl_up_sync(~0U, here.v[width - 1], 1, lanes);
    float const behind = __shfl_down_sync(~0U, here.v[0], 1, lanes);
    Values result;
#pragma unroll
    for (int n = 0; n < width; ++n) {
      float const e = here.v[n];
      float const in_west = n == 0 ? before : here.v[n == 0 ? 0 : n - 1];
      float const in_east = n == width - 1 ? behind : here.v[n == width - 1 ? n : n + 1];
      float sum = multiply_add(west_of(n), in_west - e, source.v[n]);
      sum = multiply_add(east.v[n], in_east - e, sum);
      sum = multiply_add(south.v[n], in_south.v[n] - e, sum);
      sum = multiply_add(north.v[n], in_north.v[n] - e, sum);
      sum = multiply_add(below.v[n], in_below.v[n] - e, sum);
      sum = multiply_add(above.v[n], in_above.v[n] - e, sum);
      result.v[n] = multiply_add(-reaction.v[n], e, sum);
    }
    return result;
  }
};

/// Returns e + ω (r − A e) / diagonal.
__device__ __forceinline__ Values swept(float weight, Values const& inverse_diagonal,
                                        Values const& residual, Values const& here) {
  Values result;
#pragma unroll
  for (int n = 0; n < width; ++n) {
    result.v[n] = multiply_add(weight * inverse_diagonal.v[n], residual.v[n], here.v[n]);
  }
  return result;
}

/// The place of a thread's four points, and the planes of the block's piece of its columns.
template <class Tile, int margin>
struct PackedPlace {
  int i, j;        ///< the first point
  int begin, end;  ///< planes that the block writes
  bool writes;     ///< some of the points are written
  bool writes_all;
  unsigned changes;  ///< a bit for each point that is free in x and y

  __device__ __forceinline__ explicit PackedPlace(PackedArguments const& by) {
    auto const lane = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y);
    auto const block = static_cast<int>(blockIdx.x);
    int const tile_y = block / by.tiles_x % by.tiles_y;
    int const piece = block / by.tiles_x / by.tiles_y;
    i = (by.region.x.lower & ~(width - 1)) + block % by.tiles_x * Tile::points_out -
        Tile::margin_x + width * lane;
    j = by.region.y.lower + tile_y * (Tile::rows - 2 * margin) - margin + row;
    std::int64_t const planes = by.region.z.upper - by.region.z.lower;
    begin = by.region.z.lower + static_cast<int>(planes * piece / by.pieces);
    end = by.region.z.lower + static_cast<int>(planes * (piece + 1) / by.pieces);
    writes = lane > 0 && lane < Tile::lanes - 1 && row >= margin && row < Tile::rows - margin &&
             by.region.y.contains(j) && by.region.x.touches(i);
    writes_all = writes && i >= by.region.x.lower && i + width <= by.region.x.upper;
    changes = 0;
#pragma unroll
    for (int n = 0; n < width; ++n) {
      if (by.free.x.contains(i + n) && by.free.y.contains(j)) changes |= 1U << n;
    }
  }

  /// Writes the thread's points. @param to  the first of them
  __device__ __forceinline__ void write(PackedRange const& region, float* to,
                                        Values const& values) const {
    if (writes_all) {
      *reinterpret_cast<float4*>(to) = whole(values);
    } else if (writes) {
#pragma unroll
      for (int n = 0; n < width; ++n) {
        if (region.contains(i + n)) to[n] = values.v[n];
      }
    }
  }
};

/// Loads a tile's planes into the ring, one after the other.
template <class Tile, bool from_zero>
class PackedLoader {
 public:
  /// @param first, last  planes to load
  __device__ __forceinline__ PackedLoader(PackedArguments const& by, int i, int j, int first,
                                          int last, int at)
      : k_(first), at_(at) {
    offset_ = i + j * by.row + first * by.plane;
    int const group = i >> 2;
    op_offset_ = group + j * by.op_row + first * by.op_plane;
    bool const exists = by.box.x.touches(i) && by.box.y.contains(j);
    bool const op_exists = by.op_box.x.contains(group) && by.op_box.y.contains(j);
    upper_ = exists ? min(by.box.z.upper, last + 1) : by.box.z.lower;
    op_upper_ = op_exists ? min(by.op_box.z.upper, last + 1) : by.op_box.z.lower;
  }

  /// Starts copying the next plane, with zeros where it does not exist.
  __device__ __forceinline__ void load(PackedArguments const& by, typename Tile::Plane& to) {
    bool const exists = k_ >= by.box.z.lower && k_ < upper_;
    bool const op_exists = k_ >= by.op_box.z.lower && k_ < op_upper_;
    auto const copy = [&](void* into, void const* from, bool wanted) {
      copy_vector_or_zero(static_cast<float*>(into), static_cast<float const*>(from), wanted);
    };
    // An address that is not read need not be valid.
    if constexpr (!from_zero) copy(&to.start[at_], by.start + offset_, exists);
    copy(&to.source[at_], by.source + offset_, exists);
    copy(&to.x_and_y[at_], by.x_and_y + op_offset_, op_exists);
    copy(&to.z_and_reaction[at_], by.z_and_reaction + op_offset_, op_exists);
    copy_commit();
    ++k_;
    offset_ += by.plane;
    op_offset_ += by.op_plane;
  }
  /// Returns the offset of the thread's first point, `planes` planes below the next one to load.
  [[nodiscard]] __device__ __forceinline__ std::int64_t below(PackedArguments const& by,
                                                              int planes) const {
    return offset_ - planes * by.plane;
  }

 private:
  int k_, at_;
  int upper_, op_upper_;
  std::int64_t offset_, op_offset_;
};

/// The kernel. See the top of this file.
template <PackedPass pass, class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    packed_smoothing_kernel(__grid_constant__ PackedArguments const by) {
  extern __shared__ __align__(128) unsigned char memory[];
  Tile& tile = *reinterpret_cast<Tile*>(memory);
  constexpr bool from_zero = pass == PackedPass::three_sweeps_from_zero;
  constexpr int lanes = Tile::lanes, ring = Tile::ring_planes, margin = packed_depth(pass);
  constexpr int ahead = ring - 3;  // planes that are loaded ahead
  auto const row = static_cast<int>(threadIdx.y);
  int const at = row * lanes + static_cast<int>(threadIdx.x);
  int const south = row == 0 ? at : at - lanes, north = row == Tile::rows - 1 ? at : at + lanes;
  PackedPlace<Tile, margin> const place(by);
  int const first = place.begin - margin, last = place.end + 1;
  PackedLoader<Tile, from_zero> loader(by, place.i, place.j, first, last, at);
  auto const next = [&](int slot) { return slot + 1 == ring ? 0 : slot + 1; };
#pragma unroll
  for (int n = 0; n < ahead; ++n) loader.load(by, tile.ring[n]);
  // Places in the ring of planes k, k − 1, k − 2, and of the plane to load next.
  int slot = 0, slot_before = ring - 1, slot_before_that = ring - 2, slot_to_load = ahead;
  auto const points_of = [&](typename Tile::Plane const& plane, uint2 below) {
    uint4 const from_south = plane.x_and_y[south];
    return PackedPoints::of<lanes>(plane.x_and_y[at], {from_south.z, from_south.w}, below,
                                   plane.z_and_reaction[at]);
  };
  auto const upwards = [&](typename Tile::Plane const& plane) {
    uint4 const both = plane.z_and_reaction[at];
    return uint2{both.x, both.y};
  };
  auto const changes_in = [&](int k) { return by.free.z.contains(k) ? place.changes : 0U; };
  // Values of the planes k − 2 and k − 1 before, and of k − 3 and k − 2 after the first level.
  Values start_below{}, start_here{}, level_below{}, level_here{};
  Values inverse_here{}, inverse{};  // of planes k − 1 and k − 2
  uint2 under{};                     // conductances along z of plane k − 3
#pragma unroll 1
  for (int k = first; k <= last; ++k) {
    copy_wait<ahead - 1>();
    __syncthreads();  // plane k has arrived, and no thread reads plane k − 3 any more
    loader.load(by, tile.ring[slot_to_load]);
    typename Tile::Plane& now = tile.ring[slot];
    typename Tile::Plane const& before = tile.ring[slot_before];
    typename Tile::Plane const& before_that = tile.ring[slot_before_that];
    Values start_above, inverse_above{};
    if constexpr (from_zero) {
      uint2 const below = k > first ? upwards(before) : uint2{};
      inverse_above = points_of(now, below).inverse_diagonal(changes_in(k));
      start_above = swept(by.weights[0], inverse_above, values_of(now.source[at]), Values{});
      now.start[at] = whole(start_above);
    } else {
      start_above = values_of(now.start[at]);
    }
    Values level_above{};
    uint2 below{};
    if (k > first) {
      if (k > first + 1) below = upwards(before_that);
      PackedPoints const points = points_of(before, below);
      if constexpr (!from_zero) inverse_here = points.inverse_diagonal(changes_in(k - 1));
      Values const residual = points.template residual<lanes>(
          values_of(before.source[at]), values_of(before.start[south]),
          values_of(before.start[north]), start_below, start_here, start_above);
      level_above = swept(by.weights[from_zero ? 1 : 0], inverse_here, residual, start_here);
      tile.level[(k - 1) & 1][at] = whole(level_above);
    }
    if (k > place.begin + 1) {
      float4 const(&plane)[Tile::threads] = tile.level[k & 1];
      PackedPoints const points = points_of(before_that, under);
      Values const residual = points.template residual<lanes>(
          values_of(before_that.source[at]), values_of(plane[south]), values_of(plane[north]),
          level_below, level_here, level_above);
      std::int64_t const offset = loader.below(by, ahead + 3);
      if constexpr (pass == PackedPass::sweep_and_residual) {
        Values left;
#pragma unroll
        for (int n = 0; n < width; ++n) left.v[n] = inverse.v[n] != 0.0F ? residual.v[n] : 0.0F;
        place.write(by.region.x, by.out + offset, level_here);
        place.write(by.region.x, by.residual + offset, left);
      } else {
        place.write(by.region.x, by.out + offset,
                    swept(by.weights[from_zero ? 2 : 1], inverse, residual, level_here));
      }
    }
    under = below;
    start_below = start_here;
    start_here = start_above;
    level_below = level_here;
    level_here = level_above;
    inverse = inverse_here;
    if constexpr (from_zero) inverse_here = inverse_above;
    slot_before_that = slot_before;
    slot_before = slot;
    slot = next(slot);
    slot_to_load = next(slot_to_load);
  }
}

/// Returns the number of pieces of all columns for which the blocks take the least time.
/// @param tiles   of the region
/// @param blocks  that are resident at a time
int best_pieces(std::int64_t tiles, std::int64_t planes, std::int64_t blocks) {
  constexpr std::int64_t min_planes = 8;
  constexpr std::int64_t more_planes = 6;  // that a block enters in addition to those it writes
  std::int64_t best = 1, best_cost = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t pieces = 1; pieces <= std::max<std::int64_t>(planes / min_planes, 1);
       ++pieces) {
    std::int64_t const rounds = cuda::tiles(tiles * pieces, blocks);
    std::int64_t const cost = rounds * (cuda::tiles(planes, pieces) + more_planes);
    if (cost < best_cost) {
      best = pieces;
      best_cost = cost;
    }
    if (rounds > 8) break;
  }
  return static_cast<int>(best);
}

template <PackedPass pass, class Tile>
void launch(Queue& queue, PackedSmoothing const& by) {
  auto const kernel = packed_smoothing_kernel<pass, Tile>;
  int const resident = resident_blocks(queue, kernel, {Tile::threads, sizeof(Tile), 1});
  LocalBox const& region = by.region;
  std::int64_t const tiles_x =
      tiles(region.upper.x - align_down<width>(region.lower.x), std::int64_t{Tile::points_out});
  std::int64_t const tiles_y =
      tiles(region.upper.y - region.lower.y, std::int64_t{Tile::rows - 2 * packed_depth(pass)});
  int const pieces = best_pieces(tiles_x * tiles_y, region.upper.z - region.lower.z, resident);
  std::int64_t const blocks = tiles_x * tiles_y * pieces;
  require(blocks <= INT32_MAX, "a smoothing pass of more than 2^31 tiles");
  auto const groups = [](FieldView<PackedGroup const> const& op) {
    return reinterpret_cast<uint4 const*>(op.origin);
  };
  PackedArguments const arguments{by.correction.origin,
                                  by.source.origin,
                                  groups(by.op.x_and_y),
                                  groups(by.op.z_and_reaction),
                                  by.out.origin,
                                  by.residual.origin,
                                  by.source.stride_y,
                                  by.source.stride_z,
                                  by.op.x_and_y.stride_y,
                                  by.op.x_and_y.stride_z,
                                  PackedBox(by.source.box),
                                  PackedBox(by.op.x_and_y.box),
                                  PackedBox(region),
                                  PackedBox(by.free),
                                  {by.weights[0], by.weights[1], by.weights[2]},
                                  static_cast<int>(tiles_x),
                                  static_cast<int>(tiles_y),
                                  pieces};
  kernel<<<static_cast<unsigned>(blocks), dim3(Tile::lanes, Tile::rows), sizeof(Tile),
           make_current(queue)>>>(arguments);
  check_launch();
}

}  // namespace

bool has_packed_smoothing(Queue const& queue) {
  int const device = queue.lane()->device;
  // Older devices have no asynchronous copies, or too little shared memory.
  return device_attribute(device, cudaDevAttrComputeCapabilityMajor) >= 8 &&
         sizeof(FastestTile) <= static_cast<std::size_t>(max_shared_bytes(device));
}

void smooth_packed(Queue& queue, PackedPass pass, PackedSmoothing const& by) {
  auto const fits = [&](auto const& field) {
    return !field || (vectors_are_aligned(field) && field.stride_y == by.source.stride_y &&
                      field.stride_z == by.source.stride_z);
  };
  require(fits(by.source) && fits(by.correction) && fits(by.out) && fits(by.residual),
          "the fields of a smoothing pass must be laid out alike, and aligned to 16-byte vectors");
  switch (pass) {
    case PackedPass::two_sweeps:
      return launch<PackedPass::two_sweeps, FastestTile>(queue, by);
    case PackedPass::three_sweeps_from_zero:
      return launch<PackedPass::three_sweeps_from_zero, FastestTile>(queue, by);
    case PackedPass::sweep_and_residual:
      return launch<PackedPass::sweep_and_residual, FastestTile>(queue, by);
  }
}

}  // namespace isotherm::cuda
