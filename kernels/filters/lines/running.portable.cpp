#include "kernels/filters/lines/running.hpp"

#include <vector>

#include "kernels/core/byte_count.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"
#include "kernels/core/queue/memory.hpp"
#include "kernels/filters/lines/line_sums.hpp"

namespace isotherm {

namespace {

/// Returns the extent of the array of the blocks' results: one for each block of each line.
Extent3 blocks_of(Extent3 extent, int axis) {
  extent[axis] = line_blocks(extent[axis]);
  return extent;
}

/// Adds up: the operation of sums and integrals.
struct Add {
  ISOTHERM_HOST_DEVICE double operator()(double a, double b) const { return a + b; }
};

/// Chooses the larger or the smaller value. A NaN is final, as in LineExtreme.
struct Choose {
  bool largest;
  ISOTHERM_HOST_DEVICE double operator()(double a, double b) const {
    bool const beyond = largest ? b > a : b < a;
    // NOLINTNEXTLINE(misc-redundant-expression): true for NaN, and for nothing else
    return beyond || b != b ? b : a;
  }
};

/// The values of a line that are combined: those of its points, or the areas between them.
template <class Real>
struct Terms {
  std::int64_t stride;
  double const* gaps;  ///< null: the values themselves

  /// Returns the term of point m. @param value  address of the point's value
  ISOTHERM_HOST_DEVICE double operator()(Real const* value, std::int64_t m) const {
    auto const here = static_cast<double>(*value);
    if (gaps == nullptr) return here;
    // The integral begins at the first point.
    if (m == 0) return 0.0;
    return (0.5 * gaps[m]) * (static_cast<double>(value[-stride]) + here);
  }
};

/// What all three stages know of the lines.
template <class Real, class Combine>
struct Lines {
  FieldView<Real const> from;
  double* results;  ///< of blocks: dense, x fastest
  Index3 first;     ///< first point of the box
  Extent3 blocks;   ///< extent of `results`
  std::int64_t points;
  int axis;
  Terms<Real> terms;
  Combine combine;

  /// Returns the address of a block's result. `p` has the block's number along the axis, and
  /// indices from the start of the box along the others.
  [[nodiscard]] ISOTHERM_HOST_DEVICE double* result(Index3 p) const {
    return results + (p.z * blocks.y + p.y) * blocks.x + p.x;
  }
  /// Returns the distance of the results of a line's blocks.
  [[nodiscard]] ISOTHERM_HOST_DEVICE std::int64_t result_stride() const {
    return axis == 0 ? 1 : axis == 1 ? blocks.x : blocks.x * blocks.y;
  }
  /// Returns the local index of the first point of a block.
  [[nodiscard]] ISOTHERM_HOST_DEVICE Index3 start(Index3 p) const {
    p[axis] *= line_block;
    return {first.x + p.x, first.y + p.y, first.z + p.z};
  }
  /// Returns the number of the last point of block b, plus 1.
  [[nodiscard]] ISOTHERM_HOST_DEVICE std::int64_t end(std::int64_t b) const {
    std::int64_t const full = (b + 1) * line_block;
    return full < points ? full : points;
  }
};

/// Stage 1: reduces each block to one result.
template <class Real, class Combine>
struct ReduceBlock {
  Lines<Real, Combine> lines;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 const p{i, j, k};
    Index3 const at = lines.start(p);
    Real const* value = &lines.from(at.x, at.y, at.z);
    std::int64_t m = p[lines.axis] * line_block;
    double sum = lines.terms(value, m);
    for (++m; m < lines.end(p[lines.axis]); ++m) {
      value += lines.terms.stride;
      sum = lines.combine(sum, lines.terms(value, m));
    }
    *lines.result(p) = sum;
  }
};

/// Stage 2: scans the results of a line's blocks.
template <class Real, class Combine>
struct ScanBlocks {
  Lines<Real, Combine> lines;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    double* result = lines.result({i, j, k});
    std::int64_t const stride = lines.result_stride();
    for (std::int64_t b = 1; b < lines.blocks[lines.axis]; ++b) {
      double const before = *result;
      result += stride;
      *result = lines.combine(before, *result);
    }
  }
};

/// Stage 3: scans the points of each block, from the result of the blocks before it.
template <class Real, class Combine>
struct ScanPoints {
  Lines<Real, Combine> lines;
  FieldView<Real> to;
  std::int64_t to_stride;
  double const* lengths;  ///< divisors, or null

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Index3 const p{i, j, k};
    std::int64_t const block = p[lines.axis];
    Index3 const at = lines.start(p);
    Real const* value = &lines.from(at.x, at.y, at.z);
    Real* written = &to(at.x, at.y, at.z);
    std::int64_t m = block * line_block;
    double sum = lines.terms(value, m);
    for (;;) {
      double const total =
          block == 0 ? sum : lines.combine(*(lines.result(p) - lines.result_stride()), sum);
      *written = made_of(total, m, *value);
      if (++m == lines.end(block)) return;
      value += lines.terms.stride;
      written += to_stride;
      sum = lines.combine(sum, lines.terms(value, m));
    }
  }

 private:
  /// Returns the value of point m.
  [[nodiscard]] ISOTHERM_HOST_DEVICE Real made_of(double total, std::int64_t m, Real value) const {
    if (lengths == nullptr) return static_cast<Real>(total);
    // The mean over a length of 0 is the value itself.
    return m == 0 ? value : static_cast<Real>(total / lengths[m]);
  }
};

/// Returns the distance of each point from the first one.
std::vector<double> lengths_of(std::span<double const> gaps) {
  std::vector<double> lengths(gaps.size());
  for (std::size_t m = 1; m < gaps.size(); ++m) lengths[m] = lengths[m - 1] + gaps[m];
  return lengths;
}

/// Copies numbers to the device.
Buffer on_device(Queue& queue, std::span<double const> numbers) {
  Buffer memory(queue, Space::device, numbers.size_bytes());
  if (!numbers.empty()) copy_bytes(queue, memory.data(), numbers.data(), numbers.size_bytes());
  return memory;
}

/// Runs the three stages.
template <class Real, class Combine>
void scan(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box, int axis,
          Combine const& combine, double const* gaps, double const* lengths) {
  Extent3 const blocks = blocks_of(box.extent(), axis);
  LocalBox const all{{}, blocks};
  Buffer const results(queue, Space::device,
                       static_cast<std::size_t>(all.point_count()) * sizeof(double));
  Lines<Real, Combine> const lines{
      from, results.as<double>(),          box.lower, blocks, box.extent()[axis],
      axis, {stride_of(from, axis), gaps}, combine};
  LocalBox first = all;
  first.upper[axis] = 1;
  for_each_point(queue, all, ReduceBlock<Real, Combine>{lines});
  for_each_point(queue, first, ScanBlocks<Real, Combine>{lines});
  for_each_point(queue, all, ScanPoints<Real, Combine>{lines, to, stride_of(to, axis), lengths});
  queue.wait();  // the results must live until the kernels have ended
}

}  // namespace

std::size_t running_footprint(Backend backend, Extent3 extent, int axis) {
  auto const bytes_of = [&](Extent3 numbers) {
    std::size_t bytes = sizeof(double);
    for (int a : {0, 1, 2}) {
      bytes = product_of_bytes(bytes, static_cast<std::size_t>(numbers[a]));
    }
    return Buffer::footprint(backend, Space::device, bytes);
  };
  std::size_t const numbers = bytes_of({extent[axis], 1, 1});  // gaps, and lengths
  return sum_of_bytes(bytes_of(blocks_of(extent, axis)), sum_of_bytes(numbers, numbers));
}

template <class Real>
void running_along(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
                   int axis, Running what, std::span<double const> gaps) {
  require(from.box.contains(box) && to.box.contains(box),
          "a running operation reaches past its fields");
  if (box.empty()) return;
  if (what == Running::maximum || what == Running::minimum) {
    return scan(queue, from, to, box, axis, Choose{what == Running::maximum}, nullptr, nullptr);
  }
  if (what == Running::sum) return scan(queue, from, to, box, axis, Add{}, nullptr, nullptr);
  require(static_cast<std::int64_t>(gaps.size()) == box.extent()[axis],
          "a running integral needs the gap before each point of a line");
  std::vector<double> const lengths =
      what == Running::mean ? lengths_of(gaps) : std::vector<double>();
  Buffer const device_gaps = on_device(queue, gaps);
  Buffer const device_lengths = on_device(queue, lengths);
  scan(queue, from, to, box, axis, Add{}, device_gaps.as<double const>(),
       device_lengths.as<double const>());
}

template void running_along(Queue&, FieldView<float const>, FieldView<float>, LocalBox, int,
                            Running, std::span<double const>);
template void running_along(Queue&, FieldView<double const>, FieldView<double>, LocalBox, int,
                            Running, std::span<double const>);

}  // namespace isotherm
