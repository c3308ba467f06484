#pragma once

#include "kernels/transforms/cuda/copy_value.cuh"
#include "kernels/transforms/cuda/fast_inverse.cuh"
#include "kernels/transforms/tridiagonal/tridiagonal_tables.hpp"

namespace isotherm::cuda {

/// How a thread block divides its lines: a thread has one part of one line.
struct TridiagonalShape {
  int lines;  ///< lines of a block, a power of 2
  int parts;  ///< parts of a line
};

/// The lines of a thread block, in shared memory. An odd number of elements between the points
/// keeps accesses in both directions without bank conflicts.
template <class Real>
class TridiagonalTile {
 public:
  /// @param first  number of the block's first line
  __device__ TridiagonalTile(TridiagonalPass<Real> const& pass, Real* memory, int lines,
                             std::int64_t first)
      : pass_(pass), memory_(memory), lines_(lines), first_(first) {}

  /// Returns the number of elements for `count` points.
  static constexpr std::int64_t elements(int count, int lines) {
    return std::int64_t{count} * pitch(lines);
  }
  __device__ __forceinline__ Real& operator()(int p, int lane) const {
    return memory_[p * pitch(lines_) + lane];
  }
  /// Returns true if there is a line in a lane.
  __device__ __forceinline__ bool has(int lane) const { return first_ + lane < pass_.lines; }

  /// Calls act(p, lane) for all points of the block's lines. Consecutive threads have adjacent
  /// points in memory: of one line along x, else of adjacent lines.
  template <bool along_x, class Act>
  __device__ __forceinline__ void for_each(Act const& act) const {
    int const n = pass_.tables.count;
    int const thread = static_cast<int>(threadIdx.x);
    int const threads = static_cast<int>(blockDim.x);
    if (along_x) {
      for (int lane = thread / 32; lane < lines_; lane += threads / 32) {
        for (int p = thread % 32; p < n; p += 32) act(p, lane);
      }
    } else {
      int const lane = thread % lines_;
      for (int p = thread / lines_; p < n; p += threads / lines_) act(p, lane);
    }
  }
  /// Starts copying the lines from global memory; lanes without a line get zeros.
  template <bool along_x>
  __device__ __forceinline__ void start_loading() const {
    for_each<along_x>([&](int p, int lane) {
      Real const* const line = pass_.from.first_of(has(lane) ? first_ + lane : first_);
      copy_value_or_zero(&(*this)(p, lane), line + p * pass_.from.step, has(lane));
    });
    copy_commit();
  }
  /// Copies the lines to global memory, or their ends only.
  template <bool along_x>
  __device__ __forceinline__ void store() const {
    if (pass_.ends_only) {
      store_end(0);
      return store_end(pass_.tables.count - 1);
    }
    for_each<along_x>([&](int p, int lane) {
      if (has(lane)) pass_.to.first_of(first_ + lane)[p * pass_.to.step] = (*this)(p, lane);
    });
  }

 private:
  __host__ __device__ static constexpr int pitch(int lines) { return lines | 1; }
  __device__ __forceinline__ void store_end(int p) const {
    int const threads = static_cast<int>(blockDim.x);
    for (int lane = static_cast<int>(threadIdx.x); lane < lines_; lane += threads) {
      if (has(lane)) pass_.to.first_of(first_ + lane)[p * pass_.to.step] = (*this)(p, lane);
    }
  }

  TridiagonalPass<Real> const& pass_;
  Real* memory_;
  int lines_;
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

/// A thread's part of a line: `points` points at most, the last of which is its node.
template <class Real, int points>
class TridiagonalPart {
 public:
  /// @param part  number of the part, which exists
  __device__ TridiagonalPart(TridiagonalPass<Real> const& pass, TridiagonalTile<Real> const& tile,
                             TridiagonalLine<Real> line, int part, int lane)
      : tables_(pass.tables),
        tile_(tile),
        line_(line),
        lane_(lane),
        first_(part * points),
        last_(min(first_ + points, pass.tables.count) - 1),
        before_(part > 0 ? pass.tables.conductance[first_ - 1] : Real{0}) {}

  /// Eliminates all points but the last one.
  /// @param before  receives what the elimination adds to the node of the part before
  __device__ __forceinline__ TridiagonalNode<Real> eliminate(TridiagonalNode<Real>& before) const {
    before = {};
    Real link = before_;  // from the node before to point p
    Real ground = excess(first_);
    Real source = source_at(first_);
#pragma unroll
    for (int n = 0; n + 1 < points; ++n) {
      int const p = first_ + n;
      if (p >= last_) break;
      Real const next = tables_.conductance[p];
      Real const inverse = fast_inverse(link + next + ground);
      Real const to_before = link * inverse;
      Real const to_next = next * inverse;
      before.ground += to_before * ground;
      before.source += to_before * source;
      link *= to_next;
      ground = excess(p + 1) + to_next * ground;
      source = source_at(p + 1) + to_next * source;
    }
    return {link, Real{0}, ground, source};
  }
  /// Computes the values of all points and stores them in the tile.
  /// @param before  value of the node of the part before
  /// @param own  value of the own node
  /// @param constant  value of the line's last point if the line is singular, else 0
  __device__ __forceinline__ void substitute(Real before, Real own, Real constant) const {
    Real inverse[points];
    Real ground = excess(first_) + before_;
    Real source = source_at(first_) + before_ * before;
#pragma unroll
    for (int n = 0; n + 1 < points; ++n) {
      int const p = first_ + n;
      if (p >= last_) break;
      Real const next = tables_.conductance[p];
      inverse[n] = fast_inverse(ground + next);
      Real const share = next * inverse[n];
      tile_(p, lane_) = source;
      ground = excess(p + 1) + share * ground;
      source = source_at(p + 1) + share * source;
    }
    put(last_, own, constant);
    Real value = own;
#pragma unroll
    for (int n = points - 2; n >= 0; --n) {
      int const p = first_ + n;
      if (p >= last_) continue;
      value = (tile_(p, lane_) + tables_.conductance[p] * value) * inverse[n];
      put(p, value, constant);
    }
  }

 private:
  __device__ __forceinline__ Real excess(int p) const { return tables_.excess(p, line_.mu); }
  __device__ __forceinline__ Real source_at(int p) const {
    return tile_(p, lane_) * tables_.factor(p);
  }
  __device__ __forceinline__ void put(int p, Real value, Real constant) const {
    tile_(p, lane_) = line_.is_singular ? value - tables_.singular[p] * constant : value;
  }

  TridiagonalTables<Real> const& tables_;
  TridiagonalTile<Real> const& tile_;
  TridiagonalLine<Real> line_;
  int lane_;
  int first_;
  int last_;
  Real before_;  ///< conductance to the node before
};

}  // namespace isotherm::cuda
