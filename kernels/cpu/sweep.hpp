#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/cpu/rows.hpp"
#include "kernels/sweep.hpp"

namespace isotherm::cpu {

/// The points lower <= i < upper of one row that a rule changes.
struct Span {
  std::int64_t lower;
  std::int64_t upper;
};

/// Where row (j, k) of `box` meets `free`; empty where the row is fixed as a whole.
inline Span free_span(LocalBox const& box, LocalBox const& free, std::int64_t j, std::int64_t k) {
  if (j < free.lower.y || j >= free.upper.y || k < free.lower.z || k >= free.upper.z) {
    return {box.upper.x, box.upper.x};
  }
  std::int64_t const lower = std::clamp(free.lower.x, box.lower.x, box.upper.x);
  return {lower, std::clamp(free.upper.x, lower, box.upper.x)};
}

/// after[i] = rule(before around i) + source[i] for the points of `span`; the pointers are those
/// of i = 0, the strides those of `before`. Compiles to vector instructions.
template <class Rule, class Real = typename Rule::Real>
void sweep_row(Rule const& rule, Real const* __restrict before, std::int64_t stride_y,
               std::int64_t stride_z, Real const* __restrict source, Real* __restrict after,
               Span span) {
  auto const rule_at = [&](std::int64_t i) {
    return rule(
        [&](int di, int dj, int dk) { return before[i + di + dj * stride_y + dk * stride_z]; });
  };
  if (source != nullptr) {
#pragma omp simd
    for (std::int64_t i = span.lower; i < span.upper; ++i) after[i] = rule_at(i) + source[i];
  } else {
#pragma omp simd
    for (std::int64_t i = span.lower; i < span.upper; ++i) after[i] = rule_at(i);
  }
}

/// Adds one row's change to the norms. NaN is kept: a comparison that fails takes the new value.
template <class Real>
void add_change(Real const* before, Real const* after, Span span, double& largest,
                double& sum_of_squares) {
  Real row_largest = 0;
  double row_sum = 0;
  for (std::int64_t i = span.lower; i < span.upper; ++i) {
    Real const change = std::abs(after[i] - before[i]);
    row_largest = change <= row_largest ? row_largest : change;
    row_sum += static_cast<double>(change) * static_cast<double>(change);
  }
  largest = static_cast<double>(row_largest) <= largest ? largest : row_largest;
  sum_of_squares += row_sum;
}

/// One step on pass.region, row by row.
template <class Rule>
void sweep_plain(Rule const& rule, Pass<typename Rule::Real> const& pass) {
  LocalBox const box = pass.region;
  double largest = 0;
  double sum = 0;
#pragma omp parallel for collapse(2) schedule(static) reduction(max : largest) \
    reduction(+ : sum) if (box.point_count() >= smallest_parallel_work)
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      auto const* const before = &pass.in(0, j, k);
      auto* const after = &pass.out(0, j, k);
      auto const* const source = pass.source ? &pass.source(0, j, k) : nullptr;
      Span const span = free_span(box, pass.free, j, k);
      std::copy(before + box.lower.x, before + span.lower, after + box.lower.x);
      sweep_row(rule, before, pass.in.stride_y, pass.in.stride_z, source, after, span);
      std::copy(before + span.upper, before + box.upper.x, after + span.upper);
      if (pass.change != nullptr) add_change(before, after, span, largest, sum);
    }
  }
  if (pass.change != nullptr) {
    pass.change->largest = largest <= pass.change->largest ? pass.change->largest : largest;
    pass.change->sum_of_squares += sum;
  }
}

}  // namespace isotherm::cpu
