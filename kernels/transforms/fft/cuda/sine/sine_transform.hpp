#pragma once

#include "kernels/core/queue/queue.hpp"
#include "kernels/transforms/fft/cuda/line_field.hpp"
#include "kernels/transforms/fft/line_transform.hpp"
#include "kernels/transforms/spectrum.hpp"

namespace isotherm::cuda {

/// What the kernels of sine transforms in registers need.
struct SineTask {
  LineField<double const> from;
  LineField<double> to;
  int axis;
  int lines;   ///< real lines of a plane of the box
  int planes;  ///< planes of lines
  int tiles;   ///< of a plane: blocks along y and z, pairs of lines along x
  /// 1 if columns are paired from the one before the box on, so pairs are aligned to 16 bytes.
  int shift;
  Complex<double> const* roots;
  double const* inverse_sines;
  double scale;       ///< of the first transform
  double scale_back;  ///< of the transform back
  Spectrum<double> spectrum;
};

/// Starts the transform of lines with N intervals; see sine_kernels.cuh. N is 64, 128, 256, 512 or
/// 1024.
template <int N>
void start_sine(Queue& queue, SineTask task, bool solve);

/// Enqueues a transform whose values stay in registers, if there is such a kernel: sine transforms
/// in float64 of 64, 128, 256, 512 or 1024 intervals. Rows must have aligned Dirichlet points, and
/// a solve must be along y or z.
/// @returns  false if nothing was enqueued
bool transform_in_registers(Queue& queue, LineTransform<double> const& transform, LinePass pass,
                            FieldView<double const> from, FieldView<double> to, LocalBox const& box,
                            int axis, Spectrum<double> const& spectrum);

}  // namespace isotherm::cuda
