#pragma once

#include "kernels/core/queue/queue.hpp"
#include "kernels/transforms/fft/cuda/line_field.hpp"
#include "kernels/transforms/fft/line_transform.hpp"
#include "kernels/transforms/spectrum.hpp"

namespace isotherm::cuda {

/// What the kernels of transforms in registers need.
template <class Real>
struct RegisterTask {
  LineField<Real const> from;  ///< `first` is the place of node 0, which may have no value;
  LineField<Real> to;          ///< `along` leads from one node to the next
  int axis;
  int lines;   ///< real lines of a plane of the box
  int planes;  ///< planes of lines
  int tiles;   ///< of a plane: blocks along y and z, bundles of lines along x
  /// Number of lines before the box in the first bundle, so bundles along x are aligned to 16
  /// bytes.
  int shift;
  Complex<Real> const* roots;
  LineSteps<Real> steps;  ///< of the first transform
  LineSteps<Real> back;   ///< of the transform back
  Spectrum<Real> spectrum;
};

/// Starts the transform of lines with N intervals, one of those in lengths_*.real.cu.
/// @returns  false if the device has too little shared memory, or no clusters and they are needed;
///   then nothing was enqueued
template <int N, class Real>
bool start_registers(Queue& queue, RegisterTask<Real> task, bool solve);

/// Enqueues a transform whose values stay in registers, if there is such a kernel: for some
/// numbers of intervals, see register_transform.real.cu. A solve must be along y or z. Rows of a
/// field and the vectors in them must be aligned, as those of Field are.
/// @returns  false if nothing was enqueued
template <class Real>
bool transform_in_registers(Queue& queue, LineTransform<Real> const& transform, LinePass pass,
                            FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
                            int axis, Spectrum<Real> const& spectrum);

}  // namespace isotherm::cuda
