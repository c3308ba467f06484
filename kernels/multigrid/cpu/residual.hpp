#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/multigrid/residual.hpp"

namespace isotherm::cpu {

/// Computes the residual of one row in Real: residual[i] belongs to point box.lower.x + i. The
/// order of operations is that of the CUDA backend: source, shift, then the axes x, y, z.
template <class Real, class From>
void residual_row(AxisWeights<Real> const& w, ResidualPass<From, Real> const& pass, std::int64_t j,
                  std::int64_t k, Real* residual) {
  std::int64_t const lower = pass.box.lower.x;
  std::int64_t const upper = pass.box.upper.x;
  From const* const here = row_of(pass.u, j, k);
  // Adds the differences along one axis to the residual.
  // The loop over x is innermost and vectorised; axes without a weight cost nothing.
  auto const add = [&](Real weight, From const* before, From const* after) {
    if (weight == Real{0}) return;
#pragma omp simd
    for (std::int64_t i = lower; i < upper; ++i) {
      auto const u = static_cast<Real>(here[i]);
      residual[i - lower] +=
          weight * ((static_cast<Real>(before[i]) - u) + (static_cast<Real>(after[i]) - u));
    }
  };
  if (pass.source) {
    From const* const source = row_of(pass.source, j, k);
    for (std::int64_t i = lower; i < upper; ++i) residual[i - lower] = static_cast<Real>(source[i]);
  } else {
    std::fill(residual, residual + (upper - lower), Real{0});
  }
  // Without a shift the result has exactly the bits of a pass without one.
  if (auto const shift = static_cast<Real>(pass.shift); shift != Real{0}) {
#pragma omp simd
    for (std::int64_t i = lower; i < upper; ++i) {
      residual[i - lower] -= shift * static_cast<Real>(here[i]);
    }
  }
  add(w.x, here - 1, here + 1);
  add(w.y, here - pass.u.stride_y, here + pass.u.stride_y);
  add(w.z, here - pass.u.stride_z, here + pass.u.stride_z);
}

/// Computes corrected(p) = u(p) + scale · correction(p) at the points of `box`, in the wider
/// precision.
template <class From, class To>
void add_scaled(FieldView<To const> u, FieldView<From const> correction, double scale,
                FieldView<To> corrected, LocalBox box) {
  using Real = std::common_type_t<From, To>;
  auto const factor = static_cast<Real>(scale);
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    // `corrected` may be `u` itself: each point depends on itself only.
    To const* const before = row_of(u, j, k);
    From const* const by = row_of(correction, j, k);
    To* const to = row_of(corrected, j, k);
#pragma omp simd
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
      to[i] = static_cast<To>(static_cast<Real>(before[i]) + factor * static_cast<Real>(by[i]));
    }
  });
}

/// Adds a correction to a field in place.
template <class From, class To>
void add_correction(FieldView<From const> correction, FieldView<To> u, LocalBox box, double scale) {
  add_scaled<From, To>(u, correction, scale, u, box);
}

/// Applies the fused correction at all points that the residual reads.
template <class Real, class From, class To>
void correct(AxisWeights<Real> const& w, ResidualPass<From, To> const& pass) {
  add_scaled<To, From>(pass.u, pass.correction, pass.correction_scale, pass.corrected,
                       read_by(pass.box, w));
}

/// Evaluates the residual row by row. A fused correction is applied to the whole field first.
template <class Real, class From, class To>
void evaluate_residual(AxisWeights<Real> const& w, ResidualPass<From, To> const& pass) {
  LocalBox const box = pass.box;
  if (pass.correction) {
    // Then evaluate the residual of the corrected field.
    auto corrected = pass;
    corrected.correction = {};
    corrected.u = pass.corrected;
    correct(w, pass);
    return evaluate_residual(w, corrected);
  }
  // A pass without outputs that computes rows in Real.
  ResidualPass<From, Real> const rows{pass.u, pass.source, {}, box, 1.0, nullptr, pass.shift};
  auto const scale = static_cast<Real>(pass.scale);
  double largest = 0.0;
  double sum = 0.0;
#pragma omp parallel reduction(max : largest) \
    reduction(+ : sum) if (box.point_count() >= smallest_parallel_work)
  {
    // A buffer for one row, for each thread. Norms are computed from the unscaled residual in Real,
    // before rounding to To.
    std::vector<Real> residual(static_cast<std::size_t>(box.extent().x));
#pragma omp for collapse(2) schedule(static)
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
        residual_row(w, rows, j, k, residual.data());
        if (pass.out) {
          To* const out = row_of(pass.out, j, k) + box.lower.x;
          for (std::size_t i = 0; i < residual.size(); ++i) {
            out[i] = static_cast<To>(scale * residual[i]);
          }
        }
        if (pass.change == nullptr) continue;
        double row_largest = 0.0;
        double row_sum = 0.0;
        for (Real const value : residual) {
          auto const size = std::abs(static_cast<double>(value));
          row_largest = std::max(row_largest, size);
          row_sum += size * size;
        }
        largest = std::max(largest, row_largest);
        sum += row_sum;
      }
    }
  }
  // Norms are accumulated, not overwritten.
  if (pass.change == nullptr) return;
  pass.change->largest = std::max(pass.change->largest, largest);
  pass.change->sum_of_squares += sum;
}

}  // namespace isotherm::cpu
