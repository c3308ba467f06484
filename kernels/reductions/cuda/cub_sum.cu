#include <cub/device/device_reduce.cuh>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/lane.hpp"
#include "kernels/reductions/cuda/sum.hpp"

// A source of its own, because CUB takes most of the compile time.

namespace isotherm::cuda {

namespace {

/// The operation of the sum.
struct Add {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

/// Calls CUB's reduction. Without memory it only sets `bytes`.
void reduce(void* work, std::size_t& bytes, float const* values, std::int64_t count, double* result,
            cudaStream_t stream) {
  // Older versions count the values in int.
  check(cub::DeviceReduce::Reduce(work, bytes, values, result, static_cast<int>(count), Add{}, 0.0F,
                                  stream));
}

}  // namespace

std::size_t cub_work_bytes(std::int64_t count) {
  std::size_t bytes = 0;
  reduce(nullptr, bytes, nullptr, count, nullptr, nullptr);
  return bytes;
}

void add_up_by_cub(Queue& queue, float const* values, std::int64_t count, Buffer const& work,
                   double* result) {
  std::size_t bytes = work.bytes();
  reduce(work.data(), bytes, values, count, result, make_current(queue));
}

}  // namespace isotherm::cuda
