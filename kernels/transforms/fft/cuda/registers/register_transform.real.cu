#include <cstdint>
#include <type_traits>

#include "kernels/core/cuda/vector.cuh"
#include "kernels/transforms/fft/cuda/registers/register_transform.hpp"

namespace isotherm::cuda {

namespace {

/// Returns the number of values by which an address exceeds a multiple of 16 bytes.
template <class Real>
int misalignment(Real const* address) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) / sizeof(Real) %
                          Vector<Real>::width);
}

/// Returns true if all rows have the alignment of the first one.
template <class Value>
bool has_aligned_strides(FieldView<Value> const& field) {
  constexpr int width = Vector<std::remove_const_t<Value>>::width;
  return field.stride_y % width == 0 && field.stride_z % width == 0;
}

/// Returns start(std::integral_constant<int, N>) for the N that equals `length`, false if there is
/// no kernel for this length.
template <int... lengths, class Start>
bool with_length(int length, Start const& start) {
  return ((length == lengths && start(std::integral_constant<int, lengths>{})) || ...);
}

bool uses_pairs_of_nodes(LineForm form) {
  return form == LineForm::sine || form == LineForm::cosine;
}

/// Returns the lines with the place of node 0 in front, in the order of nodes.
template <class Value>
LineField<Value> in_order_of_nodes(LineField<Value> lines, NodeOrder const& order) {
  lines.along *= order.step;
  lines.first -= order.first * lines.along;
  return lines;
}

}  // namespace

template <class Real>
bool transform_in_registers(Queue& queue, LineTransform<Real> const& transform, LinePass pass,
                            FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
                            int axis, Spectrum<Real> const& spectrum) {
  bool const solve = pass == LinePass::solve;
  if (axis == 0 && solve) return false;
  if (!has_aligned_strides(from) || !has_aligned_strides(to)) return false;

  RegisterTask<Real> task{};
  task.steps = pass == LinePass::to_points ? transform.to_points : transform.to_modes;
  task.back = transform.to_points;
  LineField<Real const> const source = lines_of(from, box, axis);
  LineField<Real> const result = lines_of(to, box, axis);
  task.from = in_order_of_nodes(source, task.steps.from);
  task.to = in_order_of_nodes(result, solve ? task.back.to : task.steps.to);
  int const shift = misalignment<Real>(source.first);
  if (axis == 0 && uses_pairs_of_nodes(task.steps.form) &&
      misalignment<Real>(task.from.first) % 2 != 0) {
    return false;
  }
  if (axis != 0 && shift != misalignment<Real>(result.first)) return false;
  task.axis = axis;
  task.lines = static_cast<int>(box.extent()[axis == 0 ? 1 : 0]);
  task.planes = static_cast<int>(box.extent()[axis == 2 ? 1 : 2]);
  task.shift = axis == 0 ? 0 : shift;
  task.roots = transform.roots;
  task.spectrum = spectrum;
  return with_length<64, 128, 192, 256, 320, 384, 512, 640, 768, 1024, 2048, 4096>(
      transform.plan.length,
      [&](auto length) { return start_registers<length()>(queue, task, solve); });
}

template bool transform_in_registers(Queue&, LineTransform<ISOTHERM_REAL> const&, LinePass,
                                     FieldView<ISOTHERM_REAL const>, FieldView<ISOTHERM_REAL>,
                                     LocalBox const&, int, Spectrum<ISOTHERM_REAL> const&);

}  // namespace isotherm::cuda
