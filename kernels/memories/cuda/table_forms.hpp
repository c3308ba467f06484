#pragma once

#include <cstdint>
#include <vector>

#include "kernels/core/queue/kernel_form.hpp"
#include "kernels/filters/table_sum.hpp"

namespace isotherm::cuda {

/// Returns the forms of CUDA. See kernels/memories/table_forms.hpp.
std::vector<KernelForm> table_forms();

/// Copies a table to the constant memory of the queue's device, and waits for it.
void set_constant_table(Queue& queue, std::vector<float> const& weights);

/// Enqueues a correlation by a form.
/// @param form     its number in table_forms()
/// @param weights  the table in the memory of the device
/// @param texture  the table as a 2D texture, planes one below the other
void correlate_by_form(Queue& queue, std::size_t form, FieldView<float const> from,
                       FieldView<float> to, LocalBox const& box, TableShape const& shape,
                       float const* weights, std::uint64_t texture);

}  // namespace isotherm::cuda
