#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/multigrid/coarsest/modes.hpp"

namespace isotherm::cpu {

/// Transforms along an axis of `count` entries that lie `stride` apart, in place:
///
///   values[…, p, …] ← Σ_q by[q · pitch + p] values[…, q, …]
///
/// @param line  working memory of at least count · stride values
template <class Real>
void transform_along(Real const* by, int count, std::size_t stride, std::vector<Real>& values,
                     std::vector<Real>& line) {
  auto const n = static_cast<std::size_t>(count);
  auto const pitch = static_cast<std::size_t>(mode_pitch(count));
  // Each group of count · stride values is transformed separately; the innermost loop is
  // contiguous.
  for (std::size_t first = 0; first < values.size(); first += n * stride) {
    for (std::size_t p = 0; p < n; ++p) {
      Real* const sums = &line[p * stride];
      std::fill(sums, sums + stride, Real{0});
      for (std::size_t q = 0; q < n; ++q) {
        Real const weight = by[q * pitch + p];
        Real const* const from = &values[first + q * stride];
#pragma omp simd
        for (std::size_t i = 0; i < stride; ++i) sums[i] += weight * from[i];
      }
    }
    std::copy_n(line.begin(), n * stride, values.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

/// Calls visit(i, j, k) at each point of a box, x fastest.
template <class Visit>
void visit_in_order(LocalBox const& box, Visit const& visit) {
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) visit(i, j, k);
    }
  }
}

/// Transforms to modes, divides by the eigenvalues and transforms back. See
/// kernels/multigrid/coarsest/modes.hpp.
template <class Real>
void solve_by_modes(Modes<Real> const& modes, FieldView<Real const> from, FieldView<Real> to,
                    LocalBox box) {
  // Copy the points to contiguous memory, x fastest.
  auto const nx = static_cast<std::size_t>(modes.x.count);
  auto const ny = static_cast<std::size_t>(modes.y.count);
  std::vector<Real> values;
  values.reserve(static_cast<std::size_t>(box.point_count()));
  visit_in_order(box, [&](auto i, auto j, auto k) { values.push_back(from(i, j, k)); });
  // The stride of an axis is the product of the counts of the axes before it.
  std::vector<Real> line(values.size());
  transform_along(modes.x.to_modes, modes.x.count, 1, values, line);
  transform_along(modes.y.to_modes, modes.y.count, nx, values, line);
  transform_along(modes.z.to_modes, modes.z.count, nx * ny, values, line);
  // Divide by the eigenvalues.
  std::size_t at = 0;
  visit_in_order({{0, 0, 0}, box.extent()}, [&](auto i, auto j, auto k) {
    values[at++] *= modes.inverse(static_cast<int>(i), static_cast<int>(j), static_cast<int>(k));
  });
  transform_along(modes.x.to_points, modes.x.count, 1, values, line);
  transform_along(modes.y.to_points, modes.y.count, nx, values, line);
  transform_along(modes.z.to_points, modes.z.count, nx * ny, values, line);
  at = 0;
  visit_in_order(box, [&](auto i, auto j, auto k) { to(i, j, k) = values[at++]; });
}

}  // namespace isotherm::cpu
