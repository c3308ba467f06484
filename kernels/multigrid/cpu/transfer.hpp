#pragma once

#include <vector>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/multigrid/transfer.hpp"

namespace isotherm::cpu {

/// Restricts to one coarse row. Adds up the fine rows that contribute, with their weights along y
/// and z, and then applies the stencils along x to the sum.
/// @param sum  working memory
/// @param coarse  the coarse row, as a pointer to i = 0
template <class Real>
void restrict_row(FieldView<Real const> fine, LocalBox const& box,
                  AxisStencils<RestrictionStencil<Real>> const& stencils, Real factor,
                  std::int64_t j, std::int64_t k, Real* coarse, std::vector<Real>& sum) {
  auto const& first = stencils.x[0];
  auto const& last = stencils.x[box.extent().x - 1];
  // The fine points that the whole coarse row needs are contiguous, since stencils are monotone.
  std::int64_t const from = first.first;
  std::int64_t const count = last.first + last.count - from;
  sum.assign(static_cast<std::size_t>(count), Real{0});
  // The stencils along y and z are those of the row.
  auto const& along_y = stencils.y[j - box.lower.y];
  auto const& along_z = stencils.z[k - box.lower.z];
  for (int c = 0; c < along_z.count; ++c) {
    for (int b = 0; b < along_y.count; ++b) {
      Real const weight = factor * along_z.weights[c] * along_y.weights[b];
      Real const* const row = row_of(fine, along_y.first + b, along_z.first + c) + from;
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) sum[static_cast<std::size_t>(i)] += weight * row[i];
    }
  }
  for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
    auto const& along_x = stencils.x[i - box.lower.x];
    Real const* const here = sum.data() + (along_x.first - from);
    Real value = 0;
    // The stencil along x combines the summed fine rows.
    for (int a = 0; a < along_x.count; ++a) value += along_x.weights[a] * here[a];
    coarse[i] = value;
  }
}

/// Restricts row by row. A coarse point costs approximately as much as 8 fine ones. See
/// kernels/multigrid/transfer.hpp.
template <class Real>
void restrict_field(FieldView<Real const> fine, FieldView<Real> coarse, LocalBox box,
                    AxisStencils<RestrictionStencil<Real>> const& stencils, Real factor) {
#pragma omp parallel if (box.point_count() * 8 >= smallest_parallel_work)
  {
    std::vector<Real> sum;
#pragma omp for collapse(2) schedule(static)
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
        restrict_row(fine, box, stencils, factor, j, k, row_of(coarse, j, k), sum);
      }
    }
  }
}

/// Prolongates to one fine row. Mixes the coarse rows around it, with their weights along y and z,
/// and then interpolates the mix along x.
/// @param mix  working memory
/// @param fine  the fine row, as a pointer to i = 0
template <class Real>
void prolongate_row(FieldView<Real const> coarse, LocalBox const& box,
                    AxisStencils<ProlongationStencil<Real>> const& stencils, std::int64_t j,
                    std::int64_t k, Real* fine, std::vector<Real>& mix, ProlongationMode mode) {
  std::int64_t const length = box.extent().x;
  auto const& last = stencils.x[length - 1];
  // The coarse points that the whole fine row needs are contiguous, since stencils are monotone.
  std::int64_t const from = stencils.x[0].lower;
  std::int64_t const count = last.lower + (last.share != Real{0} ? 2 : 1) - from;
  mix.assign(static_cast<std::size_t>(count) + 1, Real{0});  // the last element has weight 0
  auto const& along_y = stencils.y[j - box.lower.y];
  auto const& along_z = stencils.z[k - box.lower.z];
  for (int c = 0; c < (along_z.share != Real{0} ? 2 : 1); ++c) {
    for (int b = 0; b < (along_y.share != Real{0} ? 2 : 1); ++b) {
      Real const weight = (c == 0 ? 1 - along_z.share : along_z.share) *
                          (b == 0 ? 1 - along_y.share : along_y.share);
      Real const* const row = row_of(coarse, along_y.lower + b, along_z.lower + c) + from;
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) mix[static_cast<std::size_t>(i)] += weight * row[i];
    }
  }
  for (std::int64_t i = 0; i < length; ++i) {
    auto const& along_x = stencils.x[i];
    Real const* const here = mix.data() + (along_x.lower - from);
    // Without a weight, here[1] may be the additional zero element.
    Real const value = here[0] + along_x.share * (here[1] - here[0]);
    Real& to = fine[box.lower.x + i];
    to = mode == ProlongationMode::add ? to + value : value;
  }
}

/// Prolongates row by row. See kernels/multigrid/transfer.hpp.
template <class Real>
void prolongate_field(FieldView<Real const> coarse, FieldView<Real> fine, LocalBox box,
                      AxisStencils<ProlongationStencil<Real>> const& stencils,
                      ProlongationMode mode) {
#pragma omp parallel if (box.point_count() >= smallest_parallel_work)
  {
    std::vector<Real> mix;
#pragma omp for collapse(2) schedule(static)
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
        prolongate_row(coarse, box, stencils, j, k, row_of(fine, j, k), mix, mode);
      }
    }
  }
}

}  // namespace isotherm::cpu
