#pragma once

#include "kernels/transforms/fft/cuda/line_field.hpp"
#include "kernels/transforms/fft/line_transform.hpp"
#include "kernels/transforms/spectrum.hpp"

namespace isotherm::cuda {

/// How a block divides its work. A block transforms `pairs` complex lines, each by `threads`
/// threads. Its values lie in shared memory, node by node if the transform is along y or z, else
/// line by line.
struct TileShape {
  int axis;
  int pairs;
  int threads;      ///< per pair
  int pitch;        ///< nodes of a line, rounded up to a multiple of 8
  int pair_stride;  ///< from one pair to the next in shared memory
  int node_stride;  ///< from one node to the next
  int lines;        ///< real lines of a plane of the box
  int tiles;        ///< blocks per plane
};

/// Points that a thread transforms: its registers hold this many complex values, and a few more if
/// the length is not a multiple of the radix.
constexpr int points_per_thread = 16;
/// Number of threads of the largest block.
constexpr int max_threads = 512;
/// Values of a pair of lines in shared memory in addition to its nodes: partial sums and two long
/// waves.
constexpr int sums_of_pair = odd_sum_parts + 2;

/// A block's share of the lines of a box.
template <class Real>
class Tile {
 public:
  __device__ Tile(TileShape const& shape, Complex<Real>* memory) : shape_(shape), memory_(memory) {
    auto const thread = static_cast<int>(threadIdx.x);
    // Adjacent threads access adjacent addresses.
    pair_ = rows() ? thread / shape.threads : thread % shape.pairs;
    thread_ = rows() ? thread % shape.threads : thread / shape.pairs;
    auto const block = static_cast<int>(blockIdx.x);
    plane_ = block / shape.tiles;
    first_line_ = block % shape.tiles * 2 * shape.pairs;
  }

  /// Returns the number of this thread among those of its pair of lines.
  [[nodiscard]] __device__ int thread() const { return thread_; }
  [[nodiscard]] __device__ int threads() const { return shape_.threads; }

  /// Returns the place of a node of this thread's pair in shared memory.
  __device__ Complex<Real>& at(int node) const { return memory_[place(pair_, node)]; }
  /// Returns the place of a partial sum of this thread's pair.
  __device__ Complex<Real>& part(int number) const {
    return memory_[shape_.pairs * (shape_.pitch + number) + pair_];
  }
  /// Returns the places of the long waves of this thread's pair: mode 0, then mode 1.
  __device__ Complex<Real>& wave(int mode) const { return part(odd_sum_parts + mode); }

  /// Copies the values of all lines of the tile to their nodes; lines beyond the box are 0.
  __device__ void load(LineField<Real const> const& from, LineSteps<Real> const& steps) const {
    for_each_value(steps.count, [&](int line, int point) {
      int const node = steps.from.first + point * steps.from.step;
      bool const at_end = node == 0 || node == steps.length;
      Real const value =
          first_line_ + line < shape_.lines ? from.first[offset(from, line, point)] : Real{0};
      real(line, node) = at_end ? steps.end_scale * value : value;
    });
    clear_ends(steps.from, steps);
  }

  /// Copies the values at the nodes to the field.
  __device__ void store(LineField<Real> const& to, LineSteps<Real> const& steps) const {
    for_each_value(steps.count, [&](int line, int point) {
      if (first_line_ + line >= shape_.lines) return;
      to.first[offset(to, line, point)] = real(line, steps.to.first + point * steps.to.step);
    });
  }

  /// Multiplies this thread's modes by the inverse eigenvalues.
  __device__ void divide(Spectrum<Real> const& spectrum, LineSteps<Real> const& back) const {
    int const last = shape_.lines - 1;
    int const line = min(first_line_ + 2 * pair_, last);
    int const other = min(first_line_ + 2 * pair_ + 1, last);
    for (int mode = thread_; mode < back.count; mode += shape_.threads) {
      Complex<Real>& value = at(back.from.first + mode);
      value = {value.re * inverse(spectrum, mode, line), value.im * inverse(spectrum, mode, other)};
    }
    clear_ends(back.from, back);
  }

 private:
  [[nodiscard]] __device__ bool rows() const { return shape_.axis == 0; }

  /// The permutation of groups of eight nodes avoids bank conflicts of strides that are powers of
  /// two.
  [[nodiscard]] __device__ int place(int pair, int node) const {
    return pair * shape_.pair_stride + (node ^ ((node >> 3) & 7)) * shape_.node_stride;
  }

  /// Returns the place of a value of a real line.
  __device__ Real& real(int line, int node) const {
    Complex<Real>& value = memory_[place(line / 2, node)];
    return line % 2 == 0 ? value.re : value.im;
  }

  template <class Value>
  [[nodiscard]] __device__ std::int64_t offset(LineField<Value> const& field, int line,
                                               int point) const {
    return point * field.along + (first_line_ + line) * field.across + plane_ * field.third;
  }

  /// Calls visit(line, point) for this thread's share of the values of all lines. Adjacent threads
  /// get adjacent addresses of the field.
  template <class Visit>
  __device__ void for_each_value(int count, Visit const& visit) const {
    auto const thread = static_cast<int>(threadIdx.x);
    auto const all = static_cast<int>(blockDim.x);
    int const lines = 2 * shape_.pairs;
    if (rows()) {
      int const width = min(all, 32);
      int const groups = all / width;
      if (thread >= groups * width) return;
      for (int line = thread / width; line < lines; line += groups) {
#pragma unroll 4
        for (int point = thread % width; point < count; point += width) visit(line, point);
      }
    } else {
      // `lines` and the number of threads are both multiples of `pairs`.
#pragma unroll 8
      for (int value = thread; value < lines * count; value += all) {
        visit(value % lines, value / lines);
      }
    }
  }

  /// Sets nodes 0 and N to 0 if they have no value.
  __device__ void clear_ends(NodeOrder const& order, LineSteps<Real> const& steps) const {
    int const last = order.first + order.step * (steps.count - 1);
    if (thread_ != 0) return;
    if (min(order.first, last) > 0) at(0) = {};
    if (max(order.first, last) < steps.length) at(steps.length) = {};
  }

  [[nodiscard]] __device__ Real inverse(Spectrum<Real> const& spectrum, int mode, int line) const {
    return shape_.axis == 0   ? spectrum.inverse(mode, line, plane_)
           : shape_.axis == 1 ? spectrum.inverse(line, mode, plane_)
                              : spectrum.inverse(line, plane_, mode);
  }

  TileShape shape_;
  Complex<Real>* memory_;
  int pair_;
  int thread_;
  int plane_;
  int first_line_;
};

}  // namespace isotherm::cuda
