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

/// Points that a row is worked on at a time: one or two vectors. Blocks start at multiples of this
/// from x = 0, where fields and rings are aligned, so that most loads touch one cache line.
constexpr std::size_t row_block_bytes = 64;
static_assert(Scratch::alignment % row_block_bytes == 0);
template <class Real>
constexpr auto row_block = static_cast<std::int64_t>(row_block_bytes / sizeof(Real));

/// The largest multiple of `unit` that is not above `value`, which may be negative.
constexpr std::int64_t round_down(std::int64_t value, std::int64_t unit) {
  return value - (value % unit + unit) % unit;
}

/// to[i] = from[i] without bringing the old values of `to` into the cache first, which is a third
/// of what a sweep would otherwise move. `from` and `to` are equally aligned.
template <class Real>
void stream_row(Real const* from, Real* to, Span span) {
#if defined(__SSE2__)
  constexpr std::int64_t block = row_block<Real>;
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

/// Makes streamed values visible to other threads.
inline void end_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// A field of which more is written in a pass leaves the cache before it is read again.
constexpr std::int64_t cached_bytes = std::int64_t{24} << 20;

/// Where the last step of a pass writes its rows: straight to the field while that stays in the
/// cache; to a row of its own, and from there past the cache, where it is larger.
template <class Real>
class OutputRow {
 public:
  /// For rows of `box`, a part of the pass's region of `points` points. `scratch` has room for the
  /// calling thread.
  OutputRow(Scratch& scratch, LocalBox const& box, std::int64_t points)
      : span_{box.lower.x, box.upper.x},
        streams_(points * static_cast<std::int64_t>(sizeof(Real)) > cached_bytes) {
    if (!streams_) return;
    std::int64_t const first = round_down(span_.lower, row_block<Real>);
    row_ = scratch.of_thread<Real>(omp_get_thread_num(), Scratch::Place::row, span_.upper - first) -
           first;
  }

  /// The point i = 0 to write instead of `row`, the field's.
  [[nodiscard]] Real* begin(Real* row) const { return streams_ ? row_ : row; }
  /// All points of the row have been written.
  void end(Real* row) const {
    if (streams_) stream_row(row_, row, span_);
  }

 private:
  Span span_;
  bool streams_;
  Real* row_ = nullptr;
};

}  // namespace isotherm::cpu
