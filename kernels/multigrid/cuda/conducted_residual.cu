#include "kernels/core/cuda/columns.cuh"
#include "kernels/multigrid/cuda/conducted_residual.hpp"
#include "kernels/multigrid/instances.hpp"
#include "kernels/sweep/cuda/change.cuh"

namespace isotherm::cuda {

namespace {

/// A field that may be corrected on the way, at the places around a point.
template <class Real, class From, class To>
struct Looked {
  ResidualPass<From, To> const& pass;
  std::int64_t i, j, k;
  Real factor;

  __device__ __forceinline__ Real operator()(int di, int dj, int dk) const {
    From const before = pass.u(i + di, j + dj, k + dk);
    if (!pass.correction) return static_cast<Real>(before);
    auto const by = static_cast<Real>(pass.correction(i + di, j + dj, k + dk));
    Real const sum = static_cast<Real>(before) + factor * by;
    return static_cast<Real>(static_cast<From>(sum));  // as it will be stored
  }
};

template <class Real, int dimension, class From, class To>
__global__ void __launch_bounds__(block_threads)
    conducted_residual_kernel(Conductances<From, dimension> of, ResidualPass<From, To> pass) {
  ThreadChange change;
  auto const scale = static_cast<Real>(pass.scale);
  auto const shift = static_cast<Real>(pass.shift);
  for_my_columns(pass.box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    for (; k < end; ++k) {
      Looked<Real, From, To> const at{pass, i, j, k, static_cast<Real>(pass.correction_scale)};
      auto const source = pass.source ? static_cast<Real>(pass.source(i, j, k)) : Real{0};
      auto const [residual, per_volume] =
          flow_balance(of.row(j, k).point(i), source, shift, pass.at_rest, at);
      if (pass.correction) pass.corrected(i, j, k) = static_cast<From>(at(0, 0, 0));
      if (pass.out) pass.out(i, j, k) = static_cast<To>(scale * residual);
      if (pass.change != nullptr) change.add(0.0, static_cast<double>(residual * per_volume));
    }
  });
  if (pass.change != nullptr) add_to<block_threads>(pass.change, change);
}

}  // namespace

template <class Real, int dimension, class From, class To>
void evaluate_conducted_residual(Queue& queue, Conductances<From, dimension> const& of,
                                 ResidualPass<From, To> const& pass) {
  Launch const over = launch_over(pass.box);
  conducted_residual_kernel<Real><<<over.grid, over.block, 0, make_current(queue)>>>(of, pass);
  check_launch();
}

#define ISOTHERM_INSTANTIATE(Real, From, To)                                            \
  template void evaluate_conducted_residual<Real>(Queue&, Conductances<From, 2> const&, \
                                                  ResidualPass<From, To> const&);       \
  template void evaluate_conducted_residual<Real>(Queue&, Conductances<From, 3> const&, \
                                                  ResidualPass<From, To> const&);
ISOTHERM_FOR_EACH_RESIDUAL(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
