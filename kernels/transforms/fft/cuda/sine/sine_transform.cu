#include <cstdint>

#include "kernels/transforms/fft/cuda/sine/sine_transform.hpp"

namespace isotherm::cuda {

namespace {

/// Returns the number of values by which an address exceeds a multiple of 16 bytes.
int misalignment(double const* address) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) / sizeof(double) % 2);
}

/// Returns true if all rows have the alignment of the first one.
template <class Value>
bool has_even_strides(FieldView<Value> const& field) {
  return field.stride_y % 2 == 0 && field.stride_z % 2 == 0;
}

bool has_kernel(int length) {
  return length == 64 || length == 128 || length == 256 || length == 512 || length == 1024;
}

void start(Queue& queue, int length, SineTask const& task, bool solve) {
  switch (length) {
    case 64:
      return start_sine<64>(queue, task, solve);
    case 128:
      return start_sine<128>(queue, task, solve);
    case 256:
      return start_sine<256>(queue, task, solve);
    case 512:
      return start_sine<512>(queue, task, solve);
    default:
      return start_sine<1024>(queue, task, solve);
  }
}

}  // namespace

bool transform_in_registers(Queue& queue, LineTransform<double> const& transform, LinePass pass,
                            FieldView<double const> from, FieldView<double> to, LocalBox const& box,
                            int axis, Spectrum<double> const& spectrum) {
  bool const solve = pass == LinePass::solve;
  int const length = transform.plan.length;
  if (transform.to_modes.form != LineForm::sine || !has_kernel(length)) return false;
  if (!has_even_strides(from) || !has_even_strides(to) || (axis == 0 && solve)) return false;

  SineTask task{};
  task.from = lines_of(from, box, axis);
  task.to = lines_of(to, box, axis);
  int const shift = misalignment(task.from.first);
  if (axis == 0 && shift == 0) return false;  // the Dirichlet points are not aligned
  if (axis != 0 && shift != misalignment(task.to.first)) return false;
  task.axis = axis;
  task.lines = static_cast<int>(box.extent()[axis == 0 ? 1 : 0]);
  task.planes = static_cast<int>(box.extent()[axis == 2 ? 1 : 2]);
  task.shift = axis == 0 ? 0 : shift;
  task.roots = transform.roots;
  task.inverse_sines = transform.to_modes.inverse_sines;
  task.scale = pass == LinePass::to_points ? transform.to_points.scale : transform.to_modes.scale;
  task.scale_back = transform.to_points.scale;
  task.spectrum = spectrum;
  start(queue, length, task, solve);
  return true;
}

}  // namespace isotherm::cuda
