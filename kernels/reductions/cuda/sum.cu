#include <algorithm>
#include <array>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/device/device_attribute.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/core/cuda/vector.cuh"
#include "kernels/reductions/cuda/sum.hpp"

namespace isotherm::cuda {

namespace {

constexpr int threads = 256;  ///< of a block

// --- The sum of a block's threads: the result is valid in thread 0.

/// Adds the values of a warp's lanes by shuffles. The result is valid in lane 0.
template <class Real>
__device__ Real warp_sum(Real value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(~0U, value, distance);
  }
  return value;
}

/// Adds neighbours. Every second thread works, then every fourth: threads of a warp diverge.
struct Neighboured {
  __device__ static float sum(float mine) {
    __shared__ float values[threads];
    int const t = threadIdx.x;
    values[t] = mine;
    for (int distance = 1; distance < threads; distance *= 2) {
      __syncthreads();
      if (t % (2 * distance) == 0) values[t] += values[t + distance];
    }
    return values[0];
  }
};

/// Adds neighbours by the first threads, so whole warps work or rest. Their accesses share banks.
struct NeighbouredByFirst {
  __device__ static float sum(float mine) {
    __shared__ float values[threads];
    int const t = threadIdx.x;
    values[t] = mine;
    for (int distance = 1; distance < threads; distance *= 2) {
      __syncthreads();
      int const at = 2 * distance * t;
      if (at < threads) values[at] += values[at + distance];
    }
    return values[0];
  }
};

/// Adds values half a block apart, then a quarter, until `left` sums remain: no divergence, no bank
/// conflicts.
/// @returns  the sum of the calling thread, valid in the first `left` threads
template <int left>
__device__ float halved(float mine) {
  __shared__ float values[threads];
  int const t = threadIdx.x;
  values[t] = mine;
  for (int distance = threads / 2; distance >= left; distance /= 2) {
    __syncthreads();
    if (t < distance) values[t] += values[t + distance];
  }
  return values[t];
}

/// Adds values half a block apart, down to one.
struct Interleaved {
  __device__ static float sum(float mine) { return halved<1>(mine); }
};

/// The same down to a warp, which adds the rest by shuffles without barriers.
struct InterleavedToWarp {
  __device__ static float sum(float mine) {
    float const rest = halved<32>(mine);
    return threadIdx.x < 32 ? warp_sum(rest) : 0.0F;
  }
};

/// Adds within warps by shuffles; one warp adds the sums of all.
template <class Real>
struct Shuffled {
  __device__ static Real sum(Real mine) {
    __shared__ Real sums[threads / 32];
    int const lane = threadIdx.x % 32;
    mine = warp_sum(mine);
    if (lane == 0) sums[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x >= 32) return 0;
    return warp_sum(lane < threads / 32 ? sums[lane] : Real{0});
  }
};

// --- The kernels.

/// Each thread adds `unroll` values a block apart; the block's sum is written as a partial sum. So
/// a block adds 256 · unroll values.
template <class Block, int unroll>
__global__ void __launch_bounds__(threads)
    sum_of_blocks(float const* values, std::int64_t count, float* parts) {
  std::int64_t const first = std::int64_t{blockIdx.x} * threads * unroll + threadIdx.x;
  float mine = 0.0F;
#pragma unroll
  for (int n = 0; n < unroll; ++n) {
    std::int64_t const i = first + n * threads;
    if (i < count) mine += values[i];
  }
  float const sum = Block::sum(mine);
  if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

/// Each thread adds its value to the result in global memory.
__global__ void __launch_bounds__(threads)
    sum_by_threads(float const* values, std::int64_t count, float* result) {
  std::int64_t const i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) atomicAdd(result, values[i]);
}

/// Each thread adds its value to one number in shared memory, each block that number to the result.
__global__ void __launch_bounds__(threads)
    sum_by_blocks(float const* values, std::int64_t count, float* result) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0.0F;
  __syncthreads();
  std::int64_t const i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) atomicAdd(&sum, values[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(result, sum);
}

/// As many threads as the device holds share all vectors of the array; a block adds its threads'
/// sums by shuffles, and its sum to the result.
template <class Real>
__global__ void __launch_bounds__(threads)
    sum_by_device(float const* values, std::int64_t count, Real* result) {
  constexpr int width = Vector<float>::width;
  std::int64_t const vectors = count / width;
  std::int64_t const step = std::int64_t{gridDim.x} * threads;
  std::int64_t const thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  Real mine[width] = {};
  for (std::int64_t i = thread; i < vectors; i += step) {
    Vector<float> const some = reinterpret_cast<Vector<float> const*>(values)[i];
#pragma unroll
    for (int n = 0; n < width; ++n) mine[n] += some.v[n];
  }
  if (thread < count - vectors * width) mine[0] += values[vectors * width + thread];
  Real const sum = Shuffled<Real>::sum(mine[0] + mine[1] + mine[2] + mine[3]);
  if (threadIdx.x == 0) atomicAdd(result, sum);
}

/// Converts the result of a form in float32.
__global__ void convert(float const* from, double* to) { *to = *from; }

// --- The forms.

/// Everything that a form works with.
struct Task {
  Queue& queue;
  float const* values;
  std::int64_t count;
  Buffer const& work;
  double* result;
};

/// Returns the number of blocks that add `count` values, `each` by a block.
unsigned blocks_of(std::int64_t count, std::int64_t each) {
  return static_cast<unsigned>(tiles(count, each));
}

/// Adds blocks, then their sums, until one is left.
template <class Block, int unroll>
void by_tree(Task const& task) {
  cudaStream_t const stream = make_current(task.queue);
  float const* from = task.values;
  auto* to = task.work.as<float>();
  std::int64_t count = task.count;
  do {
    unsigned const blocks = blocks_of(count, threads * unroll);
    sum_of_blocks<Block, unroll><<<blocks, threads, 0, stream>>>(from, count, to);
    check_launch();
    from = to;
    to += blocks;
    count = blocks;
  } while (count > 1);
  convert<<<1, 1, 0, stream>>>(from, task.result);
  check_launch();
}

/// Adds by atomic operations of a kernel with one thread a value.
template <void (*kernel)(float const*, std::int64_t, float*)>
void by_atomics(Task const& task) {
  cudaStream_t const stream = make_current(task.queue);
  auto* const sum = task.work.as<float>();
  check(cudaMemsetAsync(sum, 0, sizeof(float), stream));
  kernel<<<blocks_of(task.count, threads), threads, 0, stream>>>(task.values, task.count, sum);
  check_launch();
  convert<<<1, 1, 0, stream>>>(sum, task.result);
  check_launch();
}

/// Launches sum_by_device() with as many blocks as are resident on the device at a time.
template <class Real>
void on_device(Task const& task, Real* sum) {
  cudaStream_t const stream = make_current(task.queue);
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum_by_device<Real>, threads, 0));
  int const multiprocessors = multiprocessor_count(task.queue.device());
  check(cudaMemsetAsync(sum, 0, sizeof(Real), stream));
  sum_by_device<Real><<<static_cast<unsigned>(blocks * multiprocessors), threads, 0, stream>>>(
      task.values, task.count, sum);
  check_launch();
}
void by_device(Task const& task) {
  on_device(task, task.work.as<float>());
  convert<<<1, 1, 0, make_current(task.queue)>>>(task.work.as<float>(), task.result);
  check_launch();
}
void by_device_in_float64(Task const& task) { on_device(task, task.result); }
void by_cub(Task const& task) {
  add_up_by_cub(task.queue, task.values, task.count, task.work, task.result);
}

/// A form and the function that enqueues it.
struct Form {
  char const* name;
  char const* description;
  void (*enqueue)(Task const&);
};
constexpr std::array<Form, 13> forms{{
    {"atomics-thread", "an atomic operation a thread on one number", by_atomics<sum_by_threads>},
    {"atomics-block", "one a thread in shared memory, one a block", by_atomics<sum_by_blocks>},
    {"neighboured", "a tree of neighbours, diverging warps", by_tree<Neighboured, 1>},
    {"neighboured-first", "a tree of neighbours by the first threads",
     by_tree<NeighbouredByFirst, 1>},
    {"interleaved", "a tree of values half a block apart", by_tree<Interleaved, 1>},
    {"unrolled-2", "the same; two values a thread first", by_tree<Interleaved, 2>},
    {"unrolled-4", "four values a thread first", by_tree<Interleaved, 4>},
    {"unrolled-8", "eight values a thread first", by_tree<Interleaved, 8>},
    {"unrolled-8-warp", "the same; the last warp by shuffles", by_tree<InterleavedToWarp, 8>},
    {"shuffle-8", "eight values a thread, then shuffles", by_tree<Shuffled<float>, 8>},
    {"atomics-device", "a resident grid, vectors; an atomic a block", by_device},
    {"atomics-float64", "the same, accumulators in float64", by_device_in_float64},
    {"cub", "cub::DeviceReduce", by_cub},
}};

}  // namespace

std::vector<KernelForm> sum_forms() {
  std::vector<KernelForm> all;
  for (Form const& form : forms) all.push_back({form.name, form.description});
  return all;
}

// The partial sums of a tree are fewer than count / 255, and one more in each level.
std::size_t sum_work_bytes(std::int64_t count) {
  constexpr std::size_t levels = 64;
  auto const parts = static_cast<std::size_t>(count / (threads - 1)) + levels;
  return std::max(parts * sizeof(float), cub_work_bytes(count));
}

void add_up(Queue& queue, std::size_t form, float const* values, std::int64_t count,
            Buffer const& work, double* result) {
  forms[form].enqueue({queue, values, count, work, result});
}

}  // namespace isotherm::cuda
