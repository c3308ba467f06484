#pragma once

#include <algorithm>
#include <cstdint>
#include <omp.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "kernels/core/box.hpp"
#include "kernels/core/cpu/scratch.hpp"

namespace isotherm::cpu {

/// The points lower <= i < upper of one row.
struct Span {
  std::int64_t lower;
  std::int64_t upper;
};

/// Bytes of a row that are computed at a time: one or two vectors. Blocks begin at multiples of
/// this from x = 0. Fields and rings are aligned there, so most loads touch a single cache line.
constexpr std::size_t row_block_bytes = 64;
static_assert(Scratch::alignment % row_block_bytes == 0);
/// Points of such a block.
template <class Real>
constexpr auto row_block = static_cast<std::int64_t>(row_block_bytes / sizeof(Real));

/// Returns the largest multiple of `unit` that is <= `value`, which may be negative.
constexpr std::int64_t round_down(std::int64_t value, std::int64_t unit) {
  return value - (value % unit + unit) % unit;
}

/// Copies to[i] = from[i] by non-temporal (streaming) stores.
///
/// Streaming stores do not first read the old cache lines of `to` (no write-allocate). This saves a
/// third of a sweep's memory traffic.
/// @pre `from` and `to` have the same alignment relative to a block.
template <class Real>
void stream_row(Real const* from, Real* to, Span span) {
#if defined(__SSE2__)
  constexpr std::int64_t block = row_block<Real>;
  // A vector store has 16 bytes, a quarter of a block.
  constexpr std::int64_t quarter = block / 4;
  std::int64_t const lower = std::min(round_down(span.lower + block - 1, block), span.upper);
  std::int64_t const upper = std::max(round_down(span.upper, block), lower);
  std::copy(from + span.lower, from + lower, to + span.lower);
  for (std::int64_t i = lower; i < upper; i += quarter) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_load_si128(reinterpret_cast<__m128i const*>(from + i)));
  }
  std::copy(from + upper, from + span.upper, to + upper);
#else
  std::copy(from + span.lower, from + span.upper, to + span.lower);
#endif
}

/// Makes streamed values visible to other threads (a store fence).
inline void end_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Passes that write more bytes than this stream their output: such a field would leave the cache
/// before the next pass reads it.
constexpr std::int64_t cached_bytes = std::int64_t{24} << 20;

/// Destination of the last step's rows.
///
/// If the field fits the cache, the step writes directly to the field. Otherwise it writes to a row
/// buffer, which is then streamed to the field past the cache.
///
/// Each thread has its own OutputRow.
template <class Real>
class OutputRow {
 public:
  /// Creates the destination for rows of `box`, a part of a region of `points` points.
  /// @pre `scratch` has room for the calling thread.
  OutputRow(Scratch& scratch, LocalBox const& box, std::int64_t points)
      : span_{box.lower.x, box.upper.x},
        streams_(points * static_cast<std::int64_t>(sizeof(Real)) > cached_bytes) {
    if (!streams_) return;
    std::int64_t const first = round_down(span_.lower, row_block<Real>);
    row_ = scratch.of_thread<Real>(omp_get_thread_num(), Scratch::Place::row, span_.upper - first) -
           first;
  }

  /// Returns the destination that replaces `row`, the field's row; both point to i = 0.
  [[nodiscard]] Real* begin(Real* row) const { return streams_ ? row_ : row; }
  /// Finishes a row: call it when all its points have been written.
  void end(Real* row) const {
    if (streams_) stream_row(row_, row, span_);
  }

 private:
  Span span_;            ///< the points of a row
  bool streams_;         ///< whether rows pass through the row buffer
  Real* row_ = nullptr;  ///< the row buffer, as a pointer to i = 0; null without streaming
};

}  // namespace isotherm::cpu
