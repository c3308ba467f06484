#include <cuda.h>
#include <cuda_runtime.h>

#include <vector>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/driver_function.hpp"
#include "kernels/core/cuda/lane.hpp"
#include "kernels/core/cuda/runtime.hpp"

namespace isotherm::cuda {

namespace {

/// The type of the driver's function cuStreamBatchMemOp.
using BatchMemOp = CUresult (*)(CUstream, unsigned, CUstreamBatchMemOpParams*, unsigned);

/// Returns the driver's function that makes a stream wait for or write a memory word without a
/// kernel. Null if the driver is too old. All devices share one driver, hence one static variable.
BatchMemOp batch_mem_op() {
  static auto const function = reinterpret_cast<BatchMemOp>(driver_function("cuStreamBatchMemOp"));
  return function;
}

/// A box has at most 26 neighbours; 32 flags suit one warp.
constexpr int max_flags = 32;
/// The addresses of the flags, passed to kernels by value.
struct FlagList {
  std::uint32_t* flags[max_flags]{};
  int count = 0;
};

/// Copies the addresses to a list.
/// @throws Error  if there are more than max_flags
FlagList list_of(std::span<std::uint32_t* const> flags) {
  require(flags.size() <= max_flags, "more flags than a box has neighbours");
  FlagList list;
  for (std::uint32_t* const flag : flags) list.flags[list.count++] = flag;
  return list;
}

// Fallback for drivers without stream memory operations: kernels of one warp, whose thread i
// handles flag i.

/// Writes the value to all flags. The fence orders all earlier writes of the stream before it, also
/// for other devices and the host.
__global__ void raise(FlagList list, std::uint32_t value) {
  __threadfence_system();
  if (threadIdx.x < list.count) {
    *static_cast<std::uint32_t volatile*>(list.flags[threadIdx.x]) = value;
  }
}

/// Polls the flags until all have reached the value. The fence orders later reads behind them.
__global__ void await(FlagList list, std::uint32_t value) {
  if (threadIdx.x < list.count) {
    auto const* const flag = static_cast<std::uint32_t volatile*>(list.flags[threadIdx.x]);
    // The signed difference remains correct when the sequence numbers wrap around.
    while (static_cast<std::int32_t>(*flag - value) < 0) __nanosleep(200);
  }
  __threadfence_system();
}

/// Enqueues the operations by the driver. Returns false if the driver or the device does not
/// support them.
/// @throws Error  if the driver refuses an operation that it supports
bool run_batch(cudaStream_t stream, std::vector<CUstreamBatchMemOpParams> operations) {
  if (batch_mem_op() == nullptr) return false;
  CUresult const status =
      batch_mem_op()(stream, static_cast<unsigned>(operations.size()), operations.data(), 0);
  if (status == CUDA_ERROR_NOT_SUPPORTED) return false;
  require(status == CUDA_SUCCESS, "a stream refused an operation on a flag (CUDA driver error " +
                                      std::to_string(status) + ")");
  return true;
}

CUdeviceptr address_of(std::uint32_t* flag) { return reinterpret_cast<CUdeviceptr>(flag); }

}  // namespace

void raise_flags(Queue const& queue, std::span<std::uint32_t* const> flags, std::uint32_t value) {
  FlagList const list = list_of(flags);
  std::vector<CUstreamBatchMemOpParams> operations(flags.size());
  for (std::size_t i = 0; i < flags.size(); ++i) {
    operations[i].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[i].writeValue.address = address_of(flags[i]);
    operations[i].writeValue.value = value;
    // Ordered behind all earlier writes of the stream.
    operations[i].writeValue.flags = CU_STREAM_WRITE_VALUE_DEFAULT;
  }
  cudaStream_t const stream = make_current(queue);
  if (run_batch(stream, std::move(operations))) return;
  raise<<<1, max_flags, 0, stream>>>(list, value);
  check_launch();
}

void await_flags(Queue const& queue, std::span<std::uint32_t* const> flags, std::uint32_t value) {
  FlagList const list = list_of(flags);
  std::vector<CUstreamBatchMemOpParams> operations(flags.size());
  for (std::size_t i = 0; i < flags.size(); ++i) {
    operations[i].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    operations[i].waitValue.address = address_of(flags[i]);
    operations[i].waitValue.value = value;
    // Cyclic comparison: flag - value >= 0 as signed.
    operations[i].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
  }
  cudaStream_t const stream = make_current(queue);
  if (run_batch(stream, std::move(operations))) return;
  await<<<1, max_flags, 0, stream>>>(list, value);
  check_launch();
}

}  // namespace isotherm::cuda
