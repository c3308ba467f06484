#include "kernels/core/error.hpp"
#include "kernels/filters/correlation.hpp"
#include "kernels/memories/cuda/block_loop.cuh"
#include "kernels/memories/cuda/table_forms.hpp"

namespace isotherm::cuda {

namespace {

/// The table of the constant form. Each device has its own.
__constant__ float constant_table[WeightTable::max_weights];

extern __shared__ float shared_table[];

// A table: prepare() is called by all threads of a block before they read weights. weight(n, m,
// row) is the n-th weight, which is the m-th of a row.

/// All threads of a warp read the same weight, which the cache broadcasts.
struct GlobalTable {
  float const* weights;
  __device__ void prepare(int /*count*/) const {}
  __device__ float weight(int n, int /*m*/, int /*row*/) const { return weights[n]; }
};

/// Constant memory has a cache of its own, which serves one address for a whole warp.
struct ConstantTable {
  __device__ void prepare(int /*count*/) const {}
  __device__ float weight(int n, int /*m*/, int /*row*/) const { return constant_table[n]; }
};

/// Each block copies the table.
struct SharedTable {
  float const* weights;
  __device__ void prepare(int count) const {
    for (int n = static_cast<int>(threadIdx.x); n < count; n += static_cast<int>(blockDim.x)) {
      shared_table[n] = weights[n];
    }
    __syncthreads();
  }
  __device__ float weight(int n, int /*m*/, int /*row*/) const { return shared_table[n]; }
};

/// The texture units read the nearest weight, without a filter.
struct TextureTable {
  cudaTextureObject_t texture;
  __device__ void prepare(int /*count*/) const {}
  __device__ float weight(int /*n*/, int m, int row) const {
    return tex2D<float>(texture, static_cast<float>(m) + 0.5F, static_cast<float>(row) + 0.5F);
  }
};

/// Returns the weighted sum of a point, in the order of sum_of_table().
template <class Table>
__device__ float sum_by(Table const& table, TableShape const& shape, float const* value) {
  float sum = -0.0F;
  int n = 0;
  int row_number = 0;
  for (int plane = 0; plane < shape.depth; ++plane) {
    float const* row = value;
    for (int y = 0; y < shape.height; ++y) {
      for (int m = 0; m < shape.width; ++m) {
        sum = multiply_add(table.weight(n, m, row_number), row[m], sum);
        ++n;
      }
      row += shape.stride_y;
      ++row_number;
    }
    value += shape.stride_z;
  }
  return sum;
}

template <class Table>
__global__ void __launch_bounds__(threads_per_block)
    correlate_points(Table table, TableShape shape, FieldView<float const> from,
                     FieldView<float> to, LocalBox box) {
  table.prepare(shape.width * shape.height * shape.depth);
  for_my_points(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    to(i, j, k) = sum_by(table, shape, shape.first(&from(i, j, k)));
  });
}

}  // namespace

std::vector<KernelForm> table_forms() {
  return {{"global", "table in global memory and its caches"},
          {"shared", "table copied to the shared memory of each block"},
          {"constant", "table in constant memory"},
          {"texture", "table in a 2D texture"}};
}

void set_constant_table(Queue& queue, std::vector<float> const& weights) {
  cudaStream_t const stream = make_current(queue);
  check(cudaMemcpyToSymbolAsync(constant_table, weights.data(), weights.size() * sizeof(float), 0,
                                cudaMemcpyHostToDevice, stream));
  queue.wait();
}

void correlate_by_form(Queue& queue, std::size_t form, FieldView<float const> from,
                       FieldView<float> to, LocalBox const& box, TableShape const& shape,
                       float const* weights, std::uint64_t texture) {
  auto const launch = [&](auto const& table, std::size_t shared_bytes) {
    correlate_points<<<study_blocks(queue, box.point_count()), threads_per_block, shared_bytes,
                       make_current(queue)>>>(table, shape, from, to, box);
    check_launch();
  };
  auto const count = static_cast<std::size_t>(shape.width) *
                     static_cast<std::size_t>(shape.height) * static_cast<std::size_t>(shape.depth);
  switch (form) {
    case 0:
      return launch(GlobalTable{weights}, 0);
    case 1:
      return launch(SharedTable{weights}, count * sizeof(float));
    case 2:
      return launch(ConstantTable{}, 0);
    case 3:
      return launch(TextureTable{texture}, 0);
    default:
      throw Error("there is no such form of a table");
  }
}

}  // namespace isotherm::cuda
