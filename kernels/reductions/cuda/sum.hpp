#pragma once

#include "kernels/reductions/sum.hpp"

namespace isotherm::cuda {

/// Returns the forms of CUDA.
std::vector<KernelForm> sum_forms();

/// Returns the bytes of working memory that every form manages with.
std::size_t sum_work_bytes(std::int64_t count);

/// Enqueues adding up `count` numbers by a form.
/// @param form    its number in sum_forms()
/// @param work    sum_work_bytes() bytes, which are overwritten
/// @param result  receives the sum, in device memory
void add_up(Queue& queue, std::size_t form, float const* values, std::int64_t count,
            Buffer const& work, double* result);

/// Returns the bytes of working memory of CUB's reduction. @pre count < 2³¹
std::size_t cub_work_bytes(std::int64_t count);
/// Enqueues CUB's reduction, cub::DeviceReduce.
void add_up_by_cub(Queue& queue, float const* values, std::int64_t count, Buffer const& work,
                   double* result);

}  // namespace isotherm::cuda
