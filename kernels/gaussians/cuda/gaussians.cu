#include "kernels/core/cuda/each_point.cuh"
#include "kernels/gaussians/cuda/gaussians.hpp"

namespace isotherm::cuda {

namespace {

// All threads of a warp read the same term at the same time, which the cache broadcasts. So does
// constant memory, see constant_gaussians.cu.
template <class Real>
struct AddGaussians {
  FieldView<Real> field;
  PointFrame frame;
  int dimension;
  PreparedGaussian const* terms;
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
  Buffer const memory(queue, Space::device, bytes);
  copy_bytes(queue, memory.data(), terms.data(), bytes);
  for_each_point(queue, box,
                 AddGaussians<Real>{field, frame, dimension, memory.as<PreparedGaussian>(),
                                    static_cast<int>(terms.size())});
  queue.wait();  // the terms must live until the kernel has ended
}

template void add_gaussians(Queue&, FieldView<float>, LocalBox, PointFrame const&, int,
                            std::vector<PreparedGaussian> const&);
template void add_gaussians(Queue&, FieldView<double>, LocalBox, PointFrame const&, int,
                            std::vector<PreparedGaussian> const&);

}  // namespace isotherm::cuda
