#include "kernels/multigrid/coarsest/dense.hpp"

#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/multigrid/coarsest/cuda/dense.hpp"

namespace isotherm {

namespace {

/// Copies the points to contiguous memory first: each row of the matrix is then a vectorised
/// inner product.
template <class Real>
void multiply_on_cpu(Real const* matrix, FieldView<Real const> from, FieldView<Real> to,
                     LocalBox box) {
  std::vector<Real> values;
  values.reserve(static_cast<std::size_t>(box.point_count()));
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k)
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j)
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) values.push_back(from(i, j, k));
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        Real sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::size_t q = 0; q < values.size(); ++q) sum += matrix[q] * values[q];
        to(i, j, k) = sum;
        matrix += values.size();
      }
    }
  }
}

}  // namespace

template <class Real>
void multiply_dense(Queue& queue, Real const* matrix, FieldView<Real const> from,
                    FieldView<Real> to, LocalBox box) {
  if (box.empty()) return;
  require(from.box.contains(box) && to.box.contains(box), "a product reaches past its fields");
  dispatch(
      queue, [&] { multiply_on_cpu(matrix, from, to, box); },
      [&](auto) { cuda::multiply_dense(queue, matrix, from, to, box); });
}

template void multiply_dense(Queue&, float const*, FieldView<float const>, FieldView<float>,
                             LocalBox);
template void multiply_dense(Queue&, double const*, FieldView<double const>, FieldView<double>,
                             LocalBox);

}  // namespace isotherm
