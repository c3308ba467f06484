#pragma once

#include <algorithm>

#include "kernels/operators/cuda/operator_columns.cuh"

// Temporal blocking for variable-coefficient operators in 3D: two steps in one pass over memory.
//
// A block marches up the columns of a tile like for_my_operator_columns(). In each plane it
// performs the first step and shares the result. The plane below then has all neighbours for its
// second step. Its conductances and source are still in the threads' registers.
//
// Everything is therefore read once for both steps, except for the rows around the tile: their
// first step is computed by the blocks on both sides. The same applies to the columns at the tile's
// ends in x, which one warp computes for all rows.
//
// Each warp but the last owns one row of the tile, 32 vectors long. Its threads hold the operator
// and u of their points in registers. Shared memory holds two planes of the field after the first
// step.

namespace isotherm::cuda {

/// Dimensions of a block's tile. The number of rows is the largest that leaves each thread enough
/// registers.
template <class Real>
struct StepTile {
  static constexpr int width = Vector<Real>::width;
  static constexpr int rows = 11;  ///< the first and the last row perform one step only
  /// Rows that the tile writes.
  static constexpr int rows_out = rows - 2;
  static constexpr int points_x = 32 * width;
  /// A warp for each row, and one for the columns at both ends.
  static constexpr int threads = 32 * (rows + 1);
  static_assert(2 * rows <= 32, "one warp has the columns at both ends of all rows");

  /// The tile's points of a plane after the first step, including the adjacent points along x.
  struct Plane {
    Real values[rows][points_x + 2 * width];

    __device__ __forceinline__ Real* at(int row, int x) { return &values[row][width + x]; }
  };
  /// While one plane is read, the next one is written.
  static constexpr int shared_planes = 2;
};

/// The operator and the fields of two fused steps.
template <class Operator>
struct TwoSteps {
  using Real = typename Operator::Real;

  Operator op;
  FieldView<Real const> in;      ///< values before; none: zero
  FieldView<Real const> source;  ///< may be none
  FieldView<Real> out;
  LocalBox region;   ///< points that are written
  LocalBox free;     ///< points that change
  LocalBox first;    ///< points whose first step is needed
  LocalBox changed;  ///< those of them that the first step changes

  TwoSteps(Operator const& op_, FieldView<Real const> in_, FieldView<Real const> source_,
           FieldView<Real> out_, LocalBox region_, LocalBox free_)
      : op(op_), in(in_), source(source_), out(out_), region(region_), free(free_), first(region_) {
    // The second step reads the neighbours of the points that it changes. Points that keep their
    // values must be in `first`, too, since they are copied.
    LocalBox const read = intersection(region, free).grown({1, 1, 1});
    for (int axis = 0; axis < 3; ++axis) {
      first.lower[axis] = std::min(first.lower[axis], read.lower[axis]);
      first.upper[axis] = std::max(first.upper[axis], read.upper[axis]);
    }
    changed = intersection(first, free);
  }
};

/// Returns how many of `width` points from i on lie before the edge.
template <int width>
__device__ __forceinline__ int points_before(std::int64_t edge, std::int64_t i) {
  return static_cast<int>(min(max(edge - i, std::int64_t{0}), std::int64_t{width}));
}

/// The first step of some adjacent points, plane by plane.
///
/// A thread calls enter() and leave() once for each plane, from the lowest plane upwards.
/// @tparam from_zero  the initial values are zero and are not read
template <class Operator, int width, bool has_source, bool from_zero>
class FirstStep {
 public:
  using Real = typename Operator::Real;
  using Values = Few<Real, width>;

  /// Data that the second step of the same points needs again.
  struct Place {
    OperatorColumn<Operator, width> column;
    Values source{};
  };

  /// @param at  the first point; if none of the points is needed, others are processed instead
  __device__ __forceinline__ FirstStep(TwoSteps<Operator> const& by, Index3 at)
      : at_{within(by.first, at)},
        place_{OperatorColumn<Operator, width>(by.op, start(by, at))},
        u_(from_zero ? by.source : by.in, at_),
        source_(has_source ? &by.source(start(by, at).x, start(by, at).y, start(by, at).z)
                           : nullptr) {
    // Which of the points the step changes: a range in x, and whole rows and planes.
    row_changes_ = at_.y >= by.changed.lower.y && at_.y < by.changed.upper.y;
    first_ = points_before<width>(by.changed.lower.x, at_.x);
    past_ = points_before<width>(by.changed.upper.x, at_.x);
  }

  /// Returns the values of plane `k` after the step. Planes are entered in order; leave() proceeds
  /// to the next one.
  template <class Step>
  __device__ __forceinline__ Values enter(TwoSteps<Operator> const& by, std::int64_t k,
                                          bool is_last, Step const& step) {
    // In planes that do not change, the operator may not exist and is not read.
    changes_ = k >= by.changed.lower.z && k < by.changed.upper.z;
    if constexpr (!from_zero) u_.enter(by.in, is_last);
    if (changes_) {
      place_.column.enter(by.op, {at_.x, at_.y, k});
      if constexpr (has_source) place_.source = Values::at(source_);
    }
    auto const here = [&](int n) {
      if constexpr (from_zero) return Real{0};
      return u_.value(n, 0, 0, 0);
    };
    Values after{};
#pragma unroll
    for (int n = 0; n < width; ++n) {
      after.v[n] = here(n);
      if (!changes_ || !row_changes_ || n < first_ || n >= past_) continue;
      auto const value = [&](int di, int dj, int dk) { return u_.value(n, di, dj, dk); };
      after.v[n] = step(place_.column.point(n), value, place_.source.v[n]);
    }
    return after;
  }
  /// Proceeds to the next plane.
  __device__ __forceinline__ void leave(TwoSteps<Operator> const& by) {
    if constexpr (!from_zero) u_.leave();
    if (!changes_) return;
    place_.column.leave(by.op);
    if constexpr (has_source) source_ += by.source.stride_z;
  }
  /// Returns the data of the current plane.
  [[nodiscard]] __device__ __forceinline__ Place const& place() const { return place_; }

  /// Prefetches the data of the plane after the next one.
  __device__ __forceinline__ void prefetch(TwoSteps<Operator> const& by) const {
    if constexpr (!from_zero) u_.prefetch();
    if constexpr (has_source) prefetch_to_l2(source_ + 2 * by.source.stride_z);
    place_.column.prefetch(by.op);
  }

 private:
  /// Returns the point of the box that is nearest to `at`, in units of vectors.
  __device__ __forceinline__ static Index3 within(LocalBox const& box, Index3 at) {
    std::int64_t const x = min(max(at.x, box.lower.x), box.upper.x - 1);
    // A vector that overlaps the box is kept.
    return {at.x > x || at.x + width <= x ? align_down<width>(x) : at.x,
            min(max(at.y, box.lower.y), box.upper.y - 1),
            min(max(at.z, box.lower.z), box.upper.z - 1)};
  }
  /// Returns the first point at which the operator and the source are read.
  __device__ __forceinline__ static Index3 start(TwoSteps<Operator> const& by, Index3 at) {
    return within(by.changed, within(by.first, at));
  }

  /// Replaces the values if they are not read.
  struct None {
    __device__ None(FieldView<Real const> const& /*u*/, Index3 /*at*/) {}
    [[nodiscard]] __device__ Real value(int, int, int, int) const { return 0; }
  };

  Index3 at_;
  Place place_;
  std::conditional_t<from_zero, None, ValueColumn<Real, 3, looks_ahead<Operator>, width>> u_;
  Real const* source_;
  bool row_changes_;
  bool changes_ = false;
  int first_, past_;
};

/// Performs both steps of this block's tiles.
///
/// first(conductances, at, source) and second(…) return the new value of a point that changes.
/// swept(before, after) is called for each point that the second step changes.
///
/// All threads of the block must call it, since it contains barriers.
/// @pre The kernel was launched by two_steps_launch() for by.region.
template <bool has_source, bool from_zero, class Operator, class First, class Second, class Swept>
__device__ __forceinline__ void take_two_steps(TwoSteps<Operator> const& by, First const& first,
                                               Second const& second, Swept const& swept) {
  using Real = typename Operator::Real;
  using Tile = StepTile<Real>;
  constexpr int width = Tile::width;
  using Values = Few<Real, width>;
  __shared__ alignas(16) typename Tile::Plane planes[Tile::shared_planes];

  int const lane = threadIdx.x, row = threadIdx.y;
  LocalBox const& region = by.region;
  std::int64_t const depth = region.upper.z - region.lower.z;
  std::int64_t const begin = region.lower.z + depth * blockIdx.z / gridDim.z;
  std::int64_t const end = region.lower.z + depth * (blockIdx.z + 1) / gridDim.z;
  // The first step begins one plane below the block's first plane, if that plane matters.
  std::int64_t const bottom = max(begin - 1, by.first.lower.z);
  std::int64_t const top = min(end, by.first.upper.z - 1);  // the last plane of the first step
  std::int64_t const x = first_x(region) + std::int64_t{blockIdx.x} * Tile::points_x;

  for (std::int64_t y = region.lower.y + std::int64_t{blockIdx.y} * Tile::rows_out;
       y < region.upper.y; y += std::int64_t{gridDim.y} * Tile::rows_out) {
    if (row == Tile::rows) {  // this warp computes the columns at both ends in x
      // Two lanes per row: one for the left column, one for the right column.
      int const beside = min(lane / 2, Tile::rows - 1);
      int const at = lane % 2 == 0 ? -1 : Tile::points_x;
      FirstStep<Operator, 1, has_source, from_zero> column(by, {x + at, y - 1 + beside, bottom});
#pragma unroll 1
      for (std::int64_t k = bottom; k <= end; ++k) {
        if (k <= top) {
          *planes[k & 1].at(beside, at) = column.enter(by, k, k == top, first).v[0];
          column.leave(by);
        }
        __syncthreads();
      }
      continue;
    }
    std::int64_t const i = x + lane * width, j = y - 1 + row;
    // The tile's first and last rows only provide neighbours.
    bool const writes = row > 0 && row <= Tile::rows_out && j < region.upper.y &&
                        i < region.upper.x && i + width > region.lower.x;
    bool const row_changes = j >= by.free.lower.y && j < by.free.upper.y;
    LocalBox const changed = intersection(region, by.free);
    int const first_point = points_before<width>(changed.lower.x, i);
    int const past_point = points_before<width>(changed.upper.x, i);
    FirstStep<Operator, width, has_source, from_zero> column(by, {i, j, bottom});
    // The operator of the plane below, for its second step.
    auto place = column.place();
    Values below{}, here{};
#pragma unroll 1
    for (std::int64_t k = bottom; k <= end; ++k) {
      // Registers do not suffice for loading ahead, so the cache is filled instead.
      if (k + 2 <= top) column.prefetch(by);
      Values above{};
      if (k <= top) above = column.enter(by, k, k == top, first);
      if (k > begin && writes) {  // the second step of the plane below
        typename Tile::Plane& plane = planes[(k - 1) & 1];
        Values const south = Values::at(plane.at(row - 1, lane * width));
        Values const north = Values::at(plane.at(row + 1, lane * width));
        Real const before_all = *plane.at(row, lane * width - 1);
        Real const behind_all = *plane.at(row, lane * width + width);
        bool const changes = row_changes && k - 1 >= by.free.lower.z && k - 1 < by.free.upper.z;
        Values values = here;
#pragma unroll
        for (int n = 0; n < width; ++n) {
          if (!changes || n < first_point || n >= past_point) continue;
          auto const at = [&](int di, int dj, int dk) {
            if (dk != 0) return dk < 0 ? below.v[n] : above.v[n];
            if (dj != 0) return dj < 0 ? south.v[n] : north.v[n];
            if (di < 0) return n == 0 ? before_all : here.v[n == 0 ? 0 : n - 1];
            if (di > 0) return n == width - 1 ? behind_all : here.v[n == width - 1 ? n : n + 1];
            return here.v[n];
          };
          values.v[n] = second(place.column.point(n), at, place.source.v[n]);
          swept(here.v[n], values.v[n]);
        }
        values.store(&by.out(i, j, k - 1), i, region.lower.x, region.upper.x);
      }
      if (k <= top) {
        // Publish this plane; the second step of the next iteration reads it.
        *reinterpret_cast<Values*>(planes[k & 1].at(row, lane * width)) = above;
        below = here;
        here = above;
        place = column.place();
        column.leave(by);
      }
      // After this barrier no thread reads the other plane any more, so it can be overwritten.
      __syncthreads();
    }
  }
}

/// Returns the launch configuration for kernels that call take_two_steps().
template <class Real>
Launch two_steps_launch(LocalBox const& region) {
  using Tile = StepTile<Real>;
  constexpr std::int64_t max_blocks = 65535;
  constexpr std::int64_t enough_blocks = 132 * 8;
  // Per block, which performs the first step of two more planes.
  constexpr std::int64_t min_planes = 16;
  std::int64_t const in_x = tiles(region.upper.x - first_x(region), std::int64_t{Tile::points_x});
  std::int64_t const in_y = tiles(region.upper.y - region.lower.y, std::int64_t{Tile::rows_out});
  // Short pieces would repeat too many first steps at their ends.
  std::int64_t const max_pieces =
      std::max<std::int64_t>((region.upper.z - region.lower.z) / min_planes, 1);
  std::int64_t const pieces =
      std::clamp<std::int64_t>(tiles(enough_blocks, in_x * in_y), 1, max_pieces);
  return {dim3(static_cast<unsigned>(in_x), static_cast<unsigned>(std::min(in_y, max_blocks)),
               static_cast<unsigned>(std::min(pieces, max_blocks))),
          dim3(32, Tile::rows + 1)};
}

}  // namespace isotherm::cuda
