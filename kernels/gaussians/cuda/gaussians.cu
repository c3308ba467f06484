#include "kernels/core/cuda/each_point.cuh"
#include "kernels/gaussians/cuda/gaussians.hpp"

namespace isotherm::cuda {

namespace {

constexpr std::size_t most_constant_terms = 1600;  // 64,000 of the 65,536 bytes there are

// Every thread reads the same term at the same time: what constant memory broadcasts.
__constant__ PreparedGaussian constant_terms[most_constant_terms];

struct FromConstantMemory {
  __device__ PreparedGaussian const& operator[](int n) const { return constant_terms[n]; }
};
struct FromGlobalMemory {
  PreparedGaussian const* terms;
  __device__ PreparedGaussian const& operator[](int n) const { return terms[n]; }
};

template <class Real, class Terms>
struct AddGaussians {
  FieldView<Real> field;
  PointFrame frame;
  int dimension;
  Terms terms;
  int count;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    Position const here = position(frame, dimension, i, j, k);
    double sum = 0.0;
    for (int n = 0; n < count; ++n) sum += gaussian_at(terms[n], here);
    field(i, j, k) = static_cast<Real>(static_cast<double>(field(i, j, k)) + sum);
  }
};

}  // namespace

template <class Real>
void add_gaussians(Queue& queue, FieldView<Real> field, LocalBox box, PointFrame const& frame,
                   int dimension, std::vector<PreparedGaussian> const& terms) {
  std::size_t const bytes = terms.size() * sizeof(PreparedGaussian);
  int const count = static_cast<int>(terms.size());
  if (terms.size() <= most_constant_terms) {
    check(cudaMemcpyToSymbolAsync(constant_terms, terms.data(), bytes, 0, cudaMemcpyHostToDevice,
                                  stream_of(queue)));
    for_each_point(queue, box,
                   AddGaussians<Real, FromConstantMemory>{field, frame, dimension, {}, count});
  } else {
    Buffer const memory(queue, Space::device, bytes);
    copy_bytes(queue, memory.data(), terms.data(), bytes);
    for_each_point(queue, box,
                   AddGaussians<Real, FromGlobalMemory>{
                       field, frame, dimension, {memory.as<PreparedGaussian>()}, count});
    queue.wait();  // the terms must live until the kernel has ended
    return;
  }
  queue.wait();  // another call may overwrite the constant terms from another queue
}

template void add_gaussians(Queue&, FieldView<float>, LocalBox, PointFrame const&, int,
                            std::vector<PreparedGaussian> const&);
template void add_gaussians(Queue&, FieldView<double>, LocalBox, PointFrame const&, int,
                            std::vector<PreparedGaussian> const&);

}  // namespace isotherm::cuda
