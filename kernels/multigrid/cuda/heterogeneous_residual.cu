#include "kernels/multigrid/cuda/heterogeneous_residual.hpp"
#include "kernels/multigrid/instances.hpp"
#include "kernels/operators/cuda/operator_columns.cuh"
#include "kernels/sweep/cuda/change.cuh"

namespace isotherm::cuda {

namespace {

/// The kernel: evaluates the residual at a thread's columns of points, and sums its norms. Operator
/// and values are in registers; see for_my_operator_columns().
template <class Real, class Operator, class From, class To>
__global__ void __launch_bounds__(block_threads, operator_blocks<Operator, true>)
    heterogeneous_residual_kernel(Operator op, ResidualPass<From, To> pass) {
  ThreadChange change;
  auto const scale = static_cast<Real>(pass.scale);
  auto const shift = static_cast<Real>(pass.shift);
  for_my_operator_columns(
      op, pass.u, pass.source, pass.out, pass.box,
      [&](std::int64_t, std::int64_t, std::int64_t, auto const& point, auto const& at,
          From source) {
        // Values are converted to Real before any arithmetic: the residual is small compared with
        // its terms.
        auto const wide = [&](int di, int dj, int dk) { return static_cast<Real>(at(di, dj, dk)); };
        auto const [residual, factor] =
            heterogeneous_residual_at(point, static_cast<Real>(source), shift, pass.mass_term_only,
                                      pass.norms_by_diagonal, wide);
        if (pass.change != nullptr) {
          change.add(0.0, static_cast<double>(residual * factor));
        }
        return static_cast<To>(scale * residual);
      });
  if (pass.change != nullptr) add_to<block_threads>(pass.change, change);
}

}  // namespace

template <class Real, class Operator, class From, class To>
void evaluate_heterogeneous_residual(Queue& queue, Operator const& op,
                                     ResidualPass<From, To> const& pass) {
  require_vectors(op, pass.u, pass.source);
  Launch const over = operator_launch<From, Operator::dimension>(pass.box);
  heterogeneous_residual_kernel<Real><<<over.grid, over.block, 0, make_current(queue)>>>(op, pass);
  check_launch();
}

#define ISOTHERM_INSTANTIATE_WITH(Real, From, To, Operator)                             \
  template void evaluate_heterogeneous_residual<Real>(Queue&, Operator<From, 2> const&, \
                                                      ResidualPass<From, To> const&);   \
  template void evaluate_heterogeneous_residual<Real>(Queue&, Operator<From, 3> const&, \
                                                      ResidualPass<From, To> const&);
#define ISOTHERM_INSTANTIATE(Real, From, To) ISOTHERM_INSTANTIATE_WITH(Real, From, To, Conductances)
ISOTHERM_FOR_EACH_RESIDUAL(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE
// For the norms of fields that are swept with separable coefficients.
ISOTHERM_INSTANTIATE_WITH(double, float, float, SeparableConductances)
ISOTHERM_INSTANTIATE_WITH(double, double, double, SeparableConductances)
#undef ISOTHERM_INSTANTIATE_WITH

}  // namespace isotherm::cuda
