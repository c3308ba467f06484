#pragma once

#include "kernels/core/arithmetic.hpp"
#include "kernels/sweep/cuda/copy_value.cuh"
#include "kernels/transforms/cuda/fast_inverse.cuh"
#include "kernels/transforms/cuda/line_tiles.hpp"
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
  __device__ TridiagonalTile(TridiagonalPass<Real> const& pass, Real* memory,
                             TridiagonalShape shape, LineTile const& lines)
      : pass_(pass), memory_(memory), shape_(shape), lines_(lines) {}

  /// Returns the number of elements of lines that have `parts` parts.
  static constexpr std::int64_t elements(int parts, int lines) {
    return std::int64_t{parts} * points_of_part * pitch(lines);
  }
  /// Returns the number of elements from one point of a line to the next.
  __device__ __forceinline__ int pitch() const { return pitch(shape_.lines); }
  __device__ __forceinline__ Real& operator()(int p, int lane) const {
    return memory_[p * pitch() + lane];
  }
  /// Starts copying the lines from global memory; lanes without a line get zeros.
  __device__ __forceinline__ void start_loading() const {
    for_each_share([&](TridiagonalShare share) {
      bool const wanted = lines_.has(share.lane);
      copy(pass_.from, share,
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
      if (!lines_.has(share.lane)) return;
      copy(pass_.to, share, [](Real* field, Real const* tile) { *field = *tile; });
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
  template <class Value, class Act>
  __device__ __forceinline__ void copy(LineSet<Value> const& lines, TridiagonalShare share,
                                       Act const& act) const {
    Value* field = lines.first_of(lines_.line(share.lane)) + share.first * lines.step;
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
      if (!lines_.has(lane)) continue;
      pass_.to.first_of(lines_.line(lane))[p * pass_.to.step] = (*this)(p, lane);
    }
  }

  TridiagonalPass<Real> const& pass_;
  Real* memory_;
  TridiagonalShape shape_;
  LineTile lines_;
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

/// A thread's part of a line, the last point of which is its node.
///
/// All threads have the same number of points, so the warps of a block take the same time. Points
/// behind the end of the line are linked to nothing, and their values are 0.
/// @tparam uniform  TridiagonalTables::is_uniform: only ends need the tables
template <class Real, bool uniform>
class TridiagonalPart {
 public:
  static constexpr int points = points_of_part;

  /// @param part  number of the part, which exists
  __device__ TridiagonalPart(TridiagonalPass<Real> const& pass, TridiagonalTile<Real> const& tile,
                             TridiagonalLine<Real> line, int part, int lane)
      : tables_(pass.tables),
        mu_(line.mu),
        first_(part * points),
        end_(pass.tables.count - 1 - first_),
        own_(&tile(first_, lane)),
        pitch_(tile.pitch()),
        conductance_(pass.tables.conductance + first_),
        ground_((line.is_singular ? pass.tables.pinned_ground : pass.tables.ground) + first_),
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
    prepare_ends();
    before = {};
    Real link = before_;  // from the node before to point n
    Real ground = excess(0);
    Real source = value(0);
#pragma unroll
    for (int n = 0; n + 1 < points; ++n) {
      Real const next = conductance(n);
      Real const inverse = fast_inverse(link + next + ground);
      Real const to_before = link * inverse;
      Real const to_next = next * inverse;
      before.ground = multiply_add(to_before, ground, before.ground);
      before.source = multiply_add(to_before, source, before.source);
      link *= to_next;
      ground = multiply_add(to_next, ground, excess_behind(n));
      source = multiply_add(to_next, source, value(n + 1));
    }
    return {link, Real{0}, ground, source};
  }
  /// Replaces the right-hand side of all points by their values.
  /// @param before  value of the node of the part before
  /// @param own  value of the own node
  __device__ __forceinline__ void substitute(Real before, Real own) const {
    Real inverse[points];
    Real ground = excess(0) + before_;
    Real source = multiply_add(before_, before, value(0));
#pragma unroll
    for (int n = 0; n + 1 < points; ++n) {
      Real const next = conductance(n);
      inverse[n] = fast_inverse(ground + next);
      Real const share = next * inverse[n];
      value(n) = source;
      ground = multiply_add(share, ground, excess_behind(n));
      source = multiply_add(share, source, value(n + 1));
    }
    value(points - 1) = own;
#pragma unroll
    for (int n = points - 2; n >= 0; --n) {
      own = multiply_add(conductance(n), own, value(n)) * inverse[n];
      value(n) = own;
    }
  }
  /// Makes the values of a pinned line those of the singular line; see singular_line_factors().
  /// @param last  value of the line's last point
  __device__ __forceinline__ void remove_pin(Real last) const {
    for (int n = 0; n < points && n <= end_; ++n) value(n) -= tables_.singular[first_ + n] * last;
  }

 private:
  /// Scales the right-hand side at the ends of the line, and sets it to 0 behind the end.
  __device__ __forceinline__ void prepare_ends() const {
    if (first_ == 0) value(0) *= tables_.first_factor;
    if (end_ >= points) return;
    value(end_) *= tables_.last_factor;
    for (int n = end_ + 1; n < points; ++n) value(n) = Real{0};
  }
  __device__ __forceinline__ Real& value(int n) const { return own_[n * pitch_]; }
  __device__ __forceinline__ Real conductance(int n) const {
    if constexpr (!uniform) return conductance_[n];
    return n < end_ ? common_conductance_ : Real{0};
  }
  __device__ __forceinline__ Real excess(int n) const {
    return multiply_add(mu_, weight_[n], ground_[n]);
  }
  /// Returns the excess of point n + 1.
  __device__ __forceinline__ Real excess_behind(int n) const {
    return uniform && n + 1 < end_ ? common_excess_ : excess(n + 1);
  }

  TridiagonalTables<Real> const& tables_;
  Real mu_;
  int first_;
  int end_;  ///< number in the part of the line's last point, which may be in another part
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
