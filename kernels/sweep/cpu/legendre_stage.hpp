#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/sweep/cpu/sweep.hpp"
#include "kernels/sweep/legendre_rate.hpp"

namespace isotherm::cpu {

/// Returns the rows that an operator reads when it is applied to row (j, k).
template <class Real>
Rows<Real> rows_around(FieldView<Real const> const& u, std::int64_t j, std::int64_t k) {
  Real const* const row = &u(0, j, k);
  return {row, row - u.stride_y, row + u.stride_y, row - u.stride_z, row + u.stride_z};
}

/// Computes rate[i] = M(u) at the points of a row. `row` is the operator there; `source` may be
/// null. Arguments are local copies, which stores cannot alias.
template <class Row, class Real>
void set_rates(Row row, Rows<Real> rows, Real const* source, Real* __restrict rate, Span span) {
  auto const around = [&](std::int64_t i) __attribute__((always_inline)) {
    return [&rows, i ](int di, int dj, int dk) __attribute__((always_inline)) {
      return rows(i, di, dj, dk);
    };
  };
  // clang-tidy does not look into the loops of the pragmas, which differ.
  if (source != nullptr) {  // NOLINT(bugprone-branch-clone)
#pragma omp simd
    for (std::int64_t i = span.lower; i < span.upper; ++i) {
      auto const here = row.point(i);
      rate[i] = rate_at(here, around(i)) + rate_of_source(here, source[i]);
    }
  } else {
#pragma omp simd
    for (std::int64_t i = span.lower; i < span.upper; ++i) {
      rate[i] = rate_at(row.point(i), around(i));
    }
  }
}

/// See isotherm::take_first_stage().
template <class Operator, class Real>
void take_first_stage(Operator const& op, Real factor, FirstStage<Real> const& stage) {
  for_each_row(stage.region, [&](std::int64_t j, std::int64_t k) {
    Span const span = free_span(stage.region, stage.free, j, k);
    Real const* const u = &stage.u(0, j, k);
    Real* __restrict const rate = &stage.rate(0, j, k);
    Real* __restrict const start = &stage.start(0, j, k);
    Real* __restrict const out = &stage.out(0, j, k);
    std::int64_t const from = stage.region.lower.x;
    std::int64_t const to = stage.region.upper.x;
    std::fill(rate + from, rate + span.lower, Real{0});
    std::fill(rate + span.upper, rate + to, Real{0});
    set_rates(op.row(j, k), rows_around(stage.u, j, k),
              stage.source ? &stage.source(0, j, k) : nullptr, rate, span);
#pragma omp simd
    for (std::int64_t i = from; i < to; ++i) {
      start[i] = u[i];
      out[i] = multiply_add(factor, rate[i], u[i]);
    }
  });
}

/// Computes a row of a later stage in place of Y_{j−2}. The rates stay in registers.
template <class Row, class Real>
void take_later_row(Row row, Rows<Real> rows, LegendreFactors<Real> factors, Real const* source,
                    Real const* start, Real const* first, Real* __restrict out, Span span) {
  auto const around = [&](std::int64_t i) __attribute__((always_inline)) {
    return [&rows, i ](int di, int dj, int dk) __attribute__((always_inline)) {
      return rows(i, di, dj, dk);
    };
  };
  if (source != nullptr) {  // NOLINT(bugprone-branch-clone)
#pragma omp simd
    for (std::int64_t i = span.lower; i < span.upper; ++i) {
      auto const here = row.point(i);
      Real const rate = rate_at(here, around(i)) + rate_of_source(here, source[i]);
      out[i] = after_stage(factors, start[i], rows.centre[i], out[i], rate, first[i]);
    }
  } else {
#pragma omp simd
    for (std::int64_t i = span.lower; i < span.upper; ++i) {
      Real const rate = rate_at(row.point(i), around(i));
      out[i] = after_stage(factors, start[i], rows.centre[i], out[i], rate, first[i]);
    }
  }
}

/// See isotherm::take_later_stage().
template <class Operator, class Real>
void take_later_stage(Operator const& op, LegendreFactors<Real> const& factors,
                      LaterStage<Real> const& stage) {
  for_each_row(stage.box, [&](std::int64_t j, std::int64_t k) {
    take_later_row(op.row(j, k), rows_around(stage.latest, j, k), factors,
                   stage.source ? &stage.source(0, j, k) : nullptr, &stage.start(0, j, k),
                   &stage.rate(0, j, k), &stage.out(0, j, k),
                   {stage.box.lower.x, stage.box.upper.x});
  });
}

}  // namespace isotherm::cpu
