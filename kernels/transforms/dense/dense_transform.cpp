#include "kernels/transforms/dense/dense_transform.hpp"

#include <algorithm>
#include <string>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/transforms/dense/cpu/dense.hpp"
#include "kernels/transforms/dense/cuda/dense.hpp"

namespace isotherm {

namespace {

/// Returns the addresses of the blocks of a matrix.
template <class Real>
DenseMatrix<Real> matrix_at(Real const* values, DenseOffsets const& offsets) {
  return {{values + offsets.across[0], values + offsets.across[1]},
          {values + offsets.along[0], values + offsets.along[1]}};
}

template <class Real>
DensePacking<Real> packing_for(Backend backend, ModeBlocks const& blocks) {
  return dispatch(
      backend, [&] { return cpu::pack_dense<Real>(blocks); },
      [&](auto) { return cuda::pack_dense<Real>(blocks); });
}

}  // namespace

template <class Real>
DenseTransform<Real>::DenseTransform(Queue& queue, ModeMatrices const& modes) {
  ModeBlocks const blocks = mode_blocks(modes);
  DensePacking<Real> const packing = packing_for<Real>(queue.backend(), blocks);
  std::size_t const bytes = packing.values.size() * sizeof(Real);
  matrices_ = Buffer(queue, Space::device, bytes);
  copy_bytes(queue, matrices_.data(), packing.values.data(), bytes);
  queue.wait();  // the host's values end here
  auto const* const values = matrices_.as<Real const>();
  tables_ = {modes.count, blocks.is_mirrored, matrix_at(values, packing.to_modes),
             matrix_at(values, packing.to_points)};
  eigenvalues_ = blocks.eigenvalues;
  works_in_place_ = dispatch(
      queue, [] { return true; }, [&](auto) { return cuda::works_in_place(tables_); });
}

template <class Real>
void DenseTransform<Real>::run(Queue& queue, DensePass<Real>& pass, FieldView<Real const> from,
                               FieldView<Real> to, LocalBox box, int axis) const {
  require(axis >= 0 && axis < 3, "a transform along axis " + std::to_string(axis));
  if (box.empty()) return;
  require(box.extent()[axis] == count(), "lines of " + std::to_string(box.extent()[axis]) +
                                             " points for a transform of " +
                                             std::to_string(count()));
  require(from.box.contains(box) && to.box.contains(box), "a transform extends beyond its fields");
  require(pass.task == LineTask::solve || works_in_place_ || from.origin != to.origin,
          "a transform of this size cannot work in place");
  pass.tables = tables_;
  pass.from = lines_along(from, box, axis);
  pass.to = lines_along(to, box, axis);
  pass.lines = line_count(box, axis);
  dispatch(
      queue, [&] { cpu::transform(queue, pass, axis); },
      [&](auto) { cuda::transform(queue, pass, axis); });
}

template <class Real>
void DenseTransform<Real>::to_modes(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                                    LocalBox box, int axis) const {
  DensePass<Real> pass{LineTask::to_modes};
  run(queue, pass, from, to, box, axis);
}

template <class Real>
void DenseTransform<Real>::to_points(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                                     LocalBox box, int axis) const {
  DensePass<Real> pass{LineTask::to_points};
  run(queue, pass, from, to, box, axis);
}

template <class Real>
void DenseTransform<Real>::solve(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                                 LocalBox box, int axis, Spectrum<Real> const& spectrum) const {
  DensePass<Real> pass{LineTask::solve};
  pass.spectrum = spectrum_along(spectrum, axis);
  run(queue, pass, from, to, box, axis);
}

template <class Real>
std::size_t DenseTransform<Real>::footprint(Backend backend, int count) {
  // More points are refused, so the product does not overflow.
  int const n = std::clamp(count, 1, max_dense_points);
  auto const bytes_of = [&](std::size_t values) {
    return Buffer::footprint(backend, Space::device, values * sizeof(Real));
  };
  return dispatch(
      backend, [&] { return bytes_of(cpu::packed_values<Real>(n)); },
      [&](auto) {
        return sum_of_bytes(bytes_of(cuda::packed_values<Real>(n)), cuda::solve_scratch_bytes);
      });
}

template class DenseTransform<float>;
template class DenseTransform<double>;

}  // namespace isotherm
