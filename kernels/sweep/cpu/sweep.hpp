#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/sweep/cpu/output_row.hpp"
#include "kernels/sweep/sweep.hpp"

namespace isotherm::cpu {

/// Where row (j, k) of `box` meets `free`; empty where the row is fixed as a whole.
inline Span free_span(LocalBox const& box, LocalBox const& free, std::int64_t j, std::int64_t k) {
  if (j < free.lower.y || j >= free.upper.y || k < free.lower.z || k >= free.upper.z) {
    return {box.upper.x, box.upper.x};
  }
  std::int64_t const lower = std::clamp(free.lower.x, box.lower.x, box.upper.x);
  return {lower, std::clamp(free.upper.x, lower, box.upper.x)};
}

/// The rows that a rule reads around one row, each a pointer to the point at i = 0.
template <class Real>
struct Rows {
  Real const* centre;
  Real const* south;  ///< j − 1
  Real const* north;  ///< j + 1
  Real const* below;  ///< k − 1
  Real const* above;  ///< k + 1

  Real operator()(std::int64_t i, int di, int dj, int dk) const {
    if (dk != 0) return dk < 0 ? below[i] : above[i];
    if (dj != 0) return dj < 0 ? south[i] : north[i];
    return centre[i + di];
  }
};

/// after[i] = rule(rows around i), and the source's share, for first <= i < first + count, with the
/// rule of this row; `source` may be null and `after` overlaps nothing. With a constant count, a
/// vector instruction or two.
template <class Rule, class Real = typename Rule::Real>
[[gnu::always_inline]] inline void sweep_points(Rule const& rule, Rows<Real> const& rows,
                                                Real const* source, Real* __restrict after,
                                                std::int64_t first, std::int64_t count) {
  // A call for each point would hide the vectors, so nothing here is left to the compiler's choice.
  auto const around = [&](std::int64_t i) __attribute__((always_inline)) {
    return [&rows, i ](int di, int dj, int dk) __attribute__((always_inline)) {
      return rows(i, di, dj, dk);
    };
  };
  // The check does not look into the pragmas' loops, which differ.
  if (source != nullptr) {  // NOLINT(bugprone-branch-clone)
#pragma omp simd
    for (std::int64_t i = first; i < first + count; ++i) {
      auto const here = rule.point(i);
      after[i] = here.plus(here(around(i)), source[i]);
    }
  } else {
#pragma omp simd
    for (std::int64_t i = first; i < first + count; ++i) after[i] = rule.point(i)(around(i));
  }
}

/// The same for the points of `span`. The first and the last block lie where the span begins and
/// ends; what they share with their neighbours is computed twice, which costs less than a loop over
/// single points.
template <class Rule, class Real = typename Rule::Real>
void sweep_row(Rule rule, Rows<Real> rows, Real const* source, Real* after, Span span) {
  constexpr std::int64_t block = row_block<Real>;
  std::int64_t const count = span.upper - span.lower;
  if (count < block) return sweep_points(rule, rows, source, after, span.lower, count);
  sweep_points(rule, rows, source, after, span.lower, block);
  std::int64_t first = round_down(span.lower, block) + block;
  for (; first + block <= span.upper; first += block) {
    sweep_points(rule, rows, source, after, first, block);
  }
  if (first < span.upper) sweep_points(rule, rows, source, after, span.upper - block, block);
}

/// after[i] = before[i]. Mostly a point or none, for which a library's copy would be a long way.
template <class Real>
void keep_points(Real const* before, Real* after, Span span) {
  if (span.upper - span.lower > row_block<Real>) {
    std::copy(before + span.lower, before + span.upper, after + span.lower);
  } else {
    for (std::int64_t i = span.lower; i < span.upper; ++i) after[i] = before[i];
  }
}

/// One row of one step: the free points of `box`'s row (j, k) by the rule, the others as before.
template <class Rule, class Real = typename Rule::Real>
Span step_row(Rule const& rule, Rows<Real> rows, Pass<Real> const& pass, LocalBox const& box,
              std::int64_t j, std::int64_t k, Real* after) {
  Span const span = free_span(box, pass.free, j, k);
  Real const* const source = pass.source ? &pass.source(0, j, k) : nullptr;
  keep_points(rows.centre, after, {box.lower.x, span.lower});
  sweep_row(rule.row(j, k), rows, source, after, span);
  keep_points(rows.centre, after, {span.upper, box.upper.x});
  return span;
}

/// Adds one row's change to the norms. Of a row that holds a NaN the sum is NaN, not surely the
/// maximum.
template <class Real>
void add_change(Real const* before, Real const* after, Span span, double& largest,
                double& sum_of_squares) {
  Real row_largest = 0;
  double row_sum = 0;
#pragma omp simd reduction(max : row_largest) reduction(+ : row_sum)
  for (std::int64_t i = span.lower; i < span.upper; ++i) {
    Real const change = std::abs(after[i] - before[i]);
    row_largest = std::max(row_largest, change);
    row_sum += static_cast<double>(change) * static_cast<double>(change);
  }
  largest = std::max(largest, static_cast<double>(row_largest));
  sum_of_squares += row_sum;
}

/// Adds a thread's norms to the pass's accumulators.
inline void add_to(Change* total, double largest, double sum_of_squares) {
  if (total == nullptr) return;
  total->largest = std::max(total->largest, largest);
  total->sum_of_squares += sum_of_squares;
}

/// One step on pass.region, row by row.
template <class Rule, class Real = typename Rule::Real>
void sweep_plain(Scratch& scratch, Rule const& rule, Pass<Real> const& pass) {
  LocalBox const box = pass.region;
  FieldView<Real const> const in = pass.in;
  double largest = 0;
  double sum = 0;
  scratch.make_room_for(cpu_threads());
#pragma omp parallel reduction(max : largest) \
    reduction(+ : sum) if (box.point_count() >= smallest_parallel_work)
  {
    OutputRow<Real> const output(scratch, box, box.point_count());
#pragma omp for collapse(2) schedule(static)
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
        Real const* const row = &in(0, j, k);
        Rows<Real> const rows{row, row - in.stride_y, row + in.stride_y, row - in.stride_z,
                              row + in.stride_z};
        Real* const after = output.begin(&pass.out(0, j, k));
        Span const span = step_row(rule.of_step(0), rows, pass, box, j, k, after);
        if (pass.change != nullptr) add_change(row, after, span, largest, sum);
        output.end(&pass.out(0, j, k));
      }
    }
    end_streams();
  }
  add_to(pass.change, largest, sum);
}

}  // namespace isotherm::cpu
