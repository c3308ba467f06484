#pragma once

#include <cstddef>
#include <vector>

#include "kernels/core/queue/kernel_form.hpp"
#include "kernels/gaussians/gaussian_sum.hpp"

namespace isotherm::cuda {

/// Returns the forms of CUDA. See kernels/memories/gaussian_forms.hpp.
std::vector<KernelForm> gaussian_forms();

/// Copies terms to the constant memory of the queue's device, and waits for it.
void set_constant_gaussians(Queue& queue, std::vector<PreparedGaussian> const& terms);

/// Enqueues adding Gaussians by a form.
/// @param form   its number in gaussian_forms()
/// @param terms  in the memory of the device
void add_gaussians_by_form(Queue& queue, std::size_t form, FieldView<float> field,
                           LocalBox const& box, PointFrame const& frame, int dimension,
                           PreparedGaussian const* terms, int count);

}  // namespace isotherm::cuda
