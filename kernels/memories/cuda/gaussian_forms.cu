#include "kernels/core/error.hpp"
#include "kernels/memories/cuda/block_loop.cuh"
#include "kernels/memories/cuda/gaussian_forms.hpp"
#include "kernels/memories/gaussian_forms.hpp"

namespace isotherm::cuda {

namespace {

// Plain numbers, since a constant must not have initialisers.
constexpr int numbers_per_term = sizeof(PreparedGaussian) / sizeof(double);
__constant__ double constant_terms[max_gaussian_terms * numbers_per_term];

extern __shared__ double shared_terms[];

/// Returns a term from five numbers.
__device__ PreparedGaussian term_at(double const* numbers) {
  return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
}

// The terms: prepare() is called by all threads of a block before they read terms.

struct GlobalTerms {
  PreparedGaussian const* terms;
  __device__ void prepare(int /*count*/) const {}
  __device__ PreparedGaussian term(int n) const { return terms[n]; }
};

struct ConstantTerms {
  __device__ void prepare(int /*count*/) const {}
  __device__ PreparedGaussian term(int n) const {
    return term_at(constant_terms + n * numbers_per_term);
  }
};

struct SharedTerms {
  PreparedGaussian const* terms;
  __device__ void prepare(int count) const {
    double const* const numbers = &terms->x;
    for (int n = static_cast<int>(threadIdx.x); n < count * numbers_per_term;
         n += static_cast<int>(blockDim.x)) {
      shared_terms[n] = numbers[n];
    }
    __syncthreads();
  }
  __device__ PreparedGaussian term(int n) const {
    return term_at(shared_terms + n * numbers_per_term);
  }
};

template <class Terms>
__global__ void __launch_bounds__(threads_per_block)
    add_terms(Terms terms, int count, FieldView<float> field, LocalBox box, PointFrame frame,
              int dimension) {
  terms.prepare(count);
  for_my_points(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    Position const here = position(frame, dimension, i, j, k);
    double sum = 0.0;
    for (int n = 0; n < count; ++n) sum += gaussian_at(terms.term(n), here);
    field(i, j, k) = static_cast<float>(static_cast<double>(field(i, j, k)) + sum);
  });
}

}  // namespace

std::vector<KernelForm> gaussian_forms() {
  return {{"global", "terms in global memory and its caches"},
          {"shared", "terms copied to the shared memory of each block"},
          {"constant", "terms in constant memory"}};
}

void set_constant_gaussians(Queue& queue, std::vector<PreparedGaussian> const& terms) {
  cudaStream_t const stream = make_current(queue);
  check(cudaMemcpyToSymbolAsync(constant_terms, terms.data(),
                                terms.size() * sizeof(PreparedGaussian), 0, cudaMemcpyHostToDevice,
                                stream));
  queue.wait();
}

void add_gaussians_by_form(Queue& queue, std::size_t form, FieldView<float> field,
                           LocalBox const& box, PointFrame const& frame, int dimension,
                           PreparedGaussian const* terms, int count) {
  auto const launch = [&](auto const& where, std::size_t shared_bytes) {
    add_terms<<<study_blocks(queue, box.point_count()), threads_per_block, shared_bytes,
                make_current(queue)>>>(where, count, field, box, frame, dimension);
    check_launch();
  };
  switch (form) {
    case 0:
      return launch(GlobalTerms{terms}, 0);
    case 1:
      // At most 48 KB, which every device has.
      return launch(SharedTerms{terms}, static_cast<std::size_t>(count) * sizeof(PreparedGaussian));
    case 2:
      return launch(ConstantTerms{}, 0);
    default:
      throw Error("there is no such form of a sum of Gaussians");
  }
}

}  // namespace isotherm::cuda
