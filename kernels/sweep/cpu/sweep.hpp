#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/sweep/cpu/output_row.hpp"
#include "kernels/sweep/sweep.hpp"

namespace isotherm::cpu {

/// Returns the free points of row (j, k) of `box`. The span is empty if all points of the row keep
/// their values.
inline Span free_span(LocalBox const& box, LocalBox const& free, std::int64_t j, std::int64_t k) {
  if (j < free.lower.y || j >= free.upper.y || k < free.lower.z || k >= free.upper.z) {
    return {box.upper.x, box.upper.x};
  }
  std::int64_t const lower = std::clamp(free.lower.x, box.lower.x, box.upper.x);
  return {lower, std::clamp(free.upper.x, lower, box.upper.x)};
}

/// The rows that a rule reads when it updates one row. Each pointer refers to the point at i = 0.
template <class Real>
struct Rows {
  Real const* centre;
  Real const* south;  ///< j − 1
  Real const* north;  ///< j + 1
  Real const* below;  ///< k − 1
  Real const* above;  ///< k + 1

  /// Returns the neighbour's value at offset (di, dj, dk) from point i of the central row.
  Real operator()(std::int64_t i, int di, int dj, int dk) const {
    if (dk != 0) return dk < 0 ? below[i] : above[i];
    if (dj != 0) return dj < 0 ? south[i] : north[i];
    return centre[i + di];
  }
};

/// Computes after[i] = rule(neighbours of i), plus the source's share, for first <= i < first +
/// count. `rule` is that of this row; `source` may be null.
///
/// With a constant `count` the compiler vectorises the loop without a remainder. `rule` and `rows`
/// are local copies in sweep_row(), so stores to `after` cannot alias them.
/// @pre `after` overlaps none of the inputs.
template <class Rule, class Real = typename Rule::Real>
[[gnu::always_inline]] inline void sweep_points(Rule const& rule, Rows<Real> const& rows,
                                                Real const* source, Real* __restrict after,
                                                std::int64_t first, std::int64_t count) {
  // A call per point would prevent vectorisation, so inlining is forced.
  auto const around = [&](std::int64_t i) __attribute__((always_inline)) {
    return [&rows, i ](int di, int dj, int dk) __attribute__((always_inline)) {
      return rows(i, di, dj, dk);
    };
  };
  // clang-tidy does not look into the loops of the pragmas, which differ.
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

/// Computes the points of `span` in blocks.
///
/// The first block begins at the span's beginning and the last one ends at its end. They overlap
/// their neighbours, so some points are computed twice; this costs less than a loop over single
/// points.
/// @pre `after` overlaps none of the rows.
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

/// Copies after[i] = before[i]. Usually this is one point or none, for which calling the library's
/// copy would be slow.
template <class Real>
void keep_points(Real const* before, Real* after, Span span) {
  if (span.upper - span.lower > row_block<Real>) {
    std::copy(before + span.lower, before + span.upper, after + span.lower);
  } else {
    for (std::int64_t i = span.lower; i < span.upper; ++i) after[i] = before[i];
  }
}

/// Computes one row of one step: applies the rule to the free points of row (j, k) of `box` and
/// copies the others. Returns the span of the free points.
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

/// Adds the change of one row to the norms. If the row contains NaN, the sum becomes NaN; the
/// maximum may not.
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

/// Adds the norms of a pass to its accumulators, if it has any.
inline void add_to(Change* total, double largest, double sum_of_squares) {
  if (total == nullptr) return;
  total->largest = std::max(total->largest, largest);
  total->sum_of_squares += sum_of_squares;
}

/// Performs one step on pass.region, row by row: the plan "plain".
///
/// OpenMP threads share the rows. With constant weights, a point of a large field moves two values
/// through memory, and a third one if there is a source.
template <class Rule, class Real = typename Rule::Real>
void sweep_plain(Scratch& scratch, Rule const& rule, Pass<Real> const& pass) {
  LocalBox const box = pass.region;
  FieldView<Real const> const in = pass.in;
  // Each thread has its own norms, which OpenMP merges at the end of the parallel region.
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
