#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/multigrid/cpu/residual.hpp"
#include "kernels/multigrid/heterogeneous_residual.hpp"

namespace isotherm::cpu {

/// Computes the residuals of one row: balances[i] belongs to point box.lower.x + i.
template <class Real, class Operator, class From, class To>
void residual_row(Operator const& op, ResidualPass<From, To> const& pass, std::int64_t j,
                  std::int64_t k, std::vector<HeterogeneousResidual<Real>>& residuals) {
  auto const row = op.row(j, k);
  // Values are converted to Real before any arithmetic: the residual is small compared with its
  // terms.
  From const* const here = row_of(pass.u, j, k);
  From const* const source = pass.source ? row_of(pass.source, j, k) : nullptr;
  auto const shift = static_cast<Real>(pass.shift);
  for (std::int64_t i = pass.box.lower.x; i < pass.box.upper.x; ++i) {
    auto const at = [&](int di, int dj, int dk) {
      return static_cast<Real>(here[i + di + dj * pass.u.stride_y + dk * pass.u.stride_z]);
    };
    auto const flow_in = source != nullptr ? static_cast<Real>(source[i]) : Real{0};
    residuals[static_cast<std::size_t>(i - pass.box.lower.x)] = heterogeneous_residual_at(
        row.point(i), flow_in, shift, pass.mass_term_only, pass.norms_by_diagonal, at);
  }
}

/// Evaluates the residual row by row. See kernels/multigrid/heterogeneous_residual.hpp.
template <class Real, class Operator, class From, class To>
void evaluate_heterogeneous_residual(Operator const& op, ResidualPass<From, To> const& pass) {
  LocalBox const box = pass.box;
  auto const scale = static_cast<Real>(pass.scale);
  // Norms of r · factor. OpenMP merges those of the threads.
  double largest = 0.0;
  double sum = 0.0;
#pragma omp parallel reduction(max : largest) \
    reduction(+ : sum) if (box.point_count() >= smallest_parallel_work)
  {
    // A buffer for one row, for each thread.
    std::vector<HeterogeneousResidual<Real>> residuals(static_cast<std::size_t>(box.extent().x));
#pragma omp for collapse(2) schedule(static)
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
        residual_row(op, pass, j, k, residuals);
        if (pass.out) {
          To* out = row_of(pass.out, j, k) + box.lower.x;
          for (auto const& [residual, factor] : residuals) {
            *out++ = static_cast<To>(scale * residual);
          }
        }
        if (pass.change == nullptr) continue;
        for (auto const& [residual, factor] : residuals) {
          double const size = std::abs(static_cast<double>(residual * factor));
          largest = std::max(largest, size);
          sum += size * size;
        }
      }
    }
  }
  if (pass.change == nullptr) return;
  pass.change->largest = std::max(pass.change->largest, largest);
  pass.change->sum_of_squares += sum;
}

}  // namespace isotherm::cpu
