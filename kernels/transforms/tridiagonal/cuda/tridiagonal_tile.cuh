#pragma once

#include "kernels/core/arithmetic.hpp"
#include "kernels/transforms/cuda/copy_value.cuh"
#include "kernels/transforms/cuda/fast_inverse.cuh"
#include "kernels/transforms/tridiagonal/tridiagonal_tables.hpp"

namespace isotherm::cuda {

/// How a thread block divides its lines: a thread has one part of one line.
struct TridiagonalShape {
  int lines;     ///< lines of a block, a power of 2
  int parts;     ///< parts of a line
  bool along_x;  ///< the points of a line are adjacent in memory
};

/// A thread's share of the values of a tile: every `rows`-th point of a line. Consecutive threads
/// have adjacent points in memory.
struct TridiagonalShare {
  int lane;
  int first;
  int rows;
};

/// The lines of a thread block, in shared memory. An odd number of elements between the points
/// keeps accesses in both directions without bank conflicts.
template <class Real>
class TridiagonalTile {
 public:
  /// @param first  number of the block's first line
  __device__ TridiagonalTile(TridiagonalPass<Real> const& pass, Real* memory,
                             TridiagonalShape shape, std::int64_t first)
      : pass_(pass), memory_(memory), shape_(shape), first_(first) {}

  /// Returns the number of elements for `count` points.
  static constexpr std::int64_t elements(int count, int lines) {
    return std::int64_t{count} * pitch(lines);
  }
  /// Returns the number of elements from one point of a line to the next.
  __device__ __forceinline__ int pitch() const { return pitch(shape_.lines); }
  __device__ __forceinline__ Real& operator()(int p, int lane) const {
    return memory_[p * pitch() + lane];
  }
  /// Returns true if there is a line in a lane.
  __device__ __forceinline__ bool has(int lane) const { return first_ + lane < pass_.lines; }

  /// Starts copying the lines from global memory; lanes without a line get zeros.
  __device__ __forceinline__ void start_loading() const {
    for_each_share([&](TridiagonalShare share) {
      bool const wanted = has(share.lane);
      copy(pass_.from, wanted ? share.lane : 0, share,
           [&](Real const* field, Real* tile) { copy_value_or_zero(tile, field, wanted); });
    });
    copy_commit();
  }
  /// Copies the lines to global memory, or their ends only.
  __device__ __forceinline__ void store() const {
    if (pass_.ends_only) {
      store_end(0);
      return store_end(pass_.tables.count - 1);
    }
    for_each_share([&](TridiagonalShare share) {
      if (!has(share.lane)) return;
      copy(pass_.to, share.lane, share, [](Real* field, Real const* tile) { *field = *tile; });
    });
  }

 private:
  __host__ __device__ static constexpr int pitch(int lines) { return lines | 1; }

  template <class Act>
  __device__ __forceinline__ void for_each_share(Act const& act) const {
    int const thread = static_cast<int>(threadIdx.x);
    int const threads = static_cast<int>(blockDim.x);
    if (shape_.along_x) {
      for (int lane = thread / 32; lane < shape_.lines; lane += threads / 32) {
        act(TridiagonalShare{lane, thread % 32, 32});
      }
    } else {
      act(TridiagonalShare{thread % shape_.lines, thread / shape_.lines, threads / shape_.lines});
    }
  }
  /// Calls act(place in the field, place in the tile) for the points of a share. Addresses are
  /// added up, since integer arithmetic would take longer than the copies.
  /// @param lane  whose line of the field is meant
  template <class Value, class Act>
  __device__ __forceinline__ void copy(LineSet<Value> const& lines, int lane,
                                       TridiagonalShare share, Act const& act) const {
    Value* field = lines.first_of(first_ + lane) + share.first * lines.step;
    Real* tile = &(*this)(share.first, share.lane);
    std::int64_t const step = share.rows * lines.step;
    int const tile_step = share.rows * pitch();
#pragma unroll 4
    for (int p = share.first; p < pass_.tables.count; p += share.rows) {
      act(field, tile);
      field += step;
      tile += tile_step;
    }
  }
  __device__ __forceinline__ void store_end(int p) const {
    int const threads = static_cast<int>(blockDim.x);
    for (int lane = static_cast<int>(threadIdx.x); lane < shape_.lines; lane += threads) {
      if (has(lane)) pass_.to.first_of(first_ + lane)[p * pass_.to.step] = (*this)(p, lane);
    }
  }

  TridiagonalPass<Real> const& pass_;
  Real* memory_;
  TridiagonalShape shape_;
  std::int64_t first_;
};

/// The last point of a part, after the other points of all parts have been eliminated: conductances
/// to the last points of the parts before and after, and to the ground, and the source.
template <class Real>
struct TridiagonalNode {
  Real before;
  Real after;
  Real ground;
  Real source;
};

/// Solves the systems of the nodes of all lines by cyclic reduction in parallel (R. Hockney, 1965).
/// All threads of the block call it.
/// @param shared  four elements for each thread
/// @returns  the value of the thread's node
template <class Real>
__device__ __forceinline__ Real solve_nodes(TridiagonalNode<Real> node, Real* shared,
                                            TridiagonalShape shape, int part) {
  int const threads = static_cast<int>(blockDim.x);
  int const thread = static_cast<int>(threadIdx.x);
  for (int distance = 1; distance < shape.parts; distance *= 2) {
    Real const inverse = fast_inverse(node.before + node.after + node.ground);
    shared[thread] = node.before * inverse;
    shared[threads + thread] = node.after * inverse;
    shared[2 * threads + thread] = node.ground * inverse;
    shared[3 * threads + thread] = node.source * inverse;
    __syncthreads();
    TridiagonalNode<Real> next{Real{0}, Real{0}, node.ground, node.source};
    auto const eliminate = [&](int other, Real conductance) {
      next.ground += conductance * shared[2 * threads + other];
      next.source += conductance * shared[3 * threads + other];
    };
    if (part >= distance) {
      int const other = thread - distance * shape.lines;
      next.before = node.before * shared[other];
      eliminate(other, node.before);
    }
    if (part + distance < shape.parts) {
      int const other = thread + distance * shape.lines;
      next.after = node.after * shared[threads + other];
      eliminate(other, node.after);
    }
    node = next;
    __syncthreads();
  }
  return node.source / node.ground;
}

/// Most points of a part. A thread has a factor for each in its registers.
constexpr int points_of_part = 32;

/// A thread's part of a line, the last point of which is its node.
/// @tparam uniform  TridiagonalTables::is_uniform: only the ends of a part need the tables
template <class Real, bool uniform>
class TridiagonalPart {
 public:
  static constexpr int points = points_of_part;

  /// @param part  number of the part, which exists
  __device__ TridiagonalPart(TridiagonalPass<Real> const& pass, TridiagonalTile<Real> const& tile,
                             TridiagonalLine<Real> line, int part, int lane)
      : tables_(pass.tables),
        line_(line),
        first_(part * points),
        count_(min(points, pass.tables.count - first_)),
        own_(&tile(first_, lane)),
        pitch_(tile.pitch()),
        conductance_(pass.tables.conductance + first_),
        ground_(pass.tables.ground + first_),
        weight_(pass.tables.weight + first_),
        before_(part > 0 ? conductance_[-1] : Real{0}) {
    if constexpr (uniform) {
      common_conductance_ = tables_.conductance[1];
      common_excess_ = tables_.excess(1, line.mu);
    }
  }

  /// Eliminates all points but the last one.
  /// @param before  receives what the elimination adds to the node of the part before
  __device__ __forceinline__ TridiagonalNode<Real> eliminate(TridiagonalNode<Real>& before) const {
    if (first_ == 0) value(0) *= tables_.first_factor;
    if (first_ + count_ == tables_.count) value(count_ - 1) *= tables_.last_factor;
    return count_ == points ? eliminate_points<true>(before) : eliminate_points<false>(before);
  }
  /// Replaces the right-hand side of all points by their values.
  /// @param before  value of the node of the part before
  /// @param own  value of the own node
  /// @param constant  value of the line's last point, if the line is singular
  __device__ __forceinline__ void substitute(Real before, Real own, Real constant) const {
    if (count_ == points) {
      substitute_points<true>(before, own);
    } else {
      substitute_points<false>(before, own);
    }
    if (!line_.is_singular) return;
    for (int n = 0; n < count_; ++n) value(n) -= tables_.singular[first_ + n] * constant;
  }

 private:
  /// @tparam whole  the part has all of its points
  template <bool whole>
  __device__ __forceinline__ TridiagonalNode<Real> eliminate_points(
      TridiagonalNode<Real>& before) const {
    before = {};
    Real link = before_;  // from the node before to point n
    Real ground = excess(0);
    Real source = value(0);
#pragma unroll
    for (int n = 0; n + 1 < points; ++n) {
      if (!whole && n + 1 >= count_) break;
      Real const next = conductance(n);
      Real const inverse = fast_inverse(link + next + ground);
      Real const to_before = link * inverse;
      Real const to_next = next * inverse;
      before.ground = multiply_add(to_before, ground, before.ground);
      before.source = multiply_add(to_before, source, before.source);
      link *= to_next;
      ground = multiply_add(to_next, ground, excess_behind<whole>(n));
      source = multiply_add(to_next, source, value(n + 1));
    }
    return {link, Real{0}, ground, source};
  }
  template <bool whole>
  __device__ __forceinline__ void substitute_points(Real before, Real own) const {
    Real inverse[points];
    Real ground = excess(0) + before_;
    Real source = multiply_add(before_, before, value(0));
#pragma unroll
    for (int n = 0; n + 1 < points; ++n) {
      if (!whole && n + 1 >= count_) break;
      Real const next = conductance(n);
      inverse[n] = fast_inverse(ground + next);
      Real const share = next * inverse[n];
      value(n) = source;
      ground = multiply_add(share, ground, excess_behind<whole>(n));
      source = multiply_add(share, source, value(n + 1));
    }
    value(count_ - 1) = own;
#pragma unroll
    for (int n = points - 2; n >= 0; --n) {
      if (!whole && n + 1 >= count_) continue;
      own = multiply_add(conductance(n), own, value(n)) * inverse[n];
      value(n) = own;
    }
  }

  __device__ __forceinline__ Real& value(int n) const { return own_[n * pitch_]; }
  __device__ __forceinline__ Real conductance(int n) const {
    return uniform ? common_conductance_ : conductance_[n];
  }
  __device__ __forceinline__ Real excess(int n) const {
    return multiply_add(line_.mu, weight_[n], ground_[n]);
  }
  /// Returns the excess of point n + 1, which may be the line's last one if it is the part's.
  template <bool whole>
  __device__ __forceinline__ Real excess_behind(int n) const {
    bool const is_last = n + 2 == points || (!whole && n + 2 == count_);
    return uniform && !is_last ? common_excess_ : excess(n + 1);
  }

  TridiagonalTables<Real> const& tables_;
  TridiagonalLine<Real> line_;
  int first_;
  int count_;
  Real* own_;
  int pitch_;
  Real const* conductance_;  ///< tables from the first point of the part on
  Real const* ground_;
  Real const* weight_;
  Real before_;  ///< conductance to the node before
  Real common_conductance_ = 0;
  Real common_excess_ = 0;
};

}  // namespace isotherm::cuda
