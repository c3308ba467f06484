#include "kernels/multigrid/relaxation.hpp"

#include "kernels/core/dispatch.hpp"
#include "kernels/core/error.hpp"
#include "kernels/multigrid/cuda/relaxation.hpp"

namespace isotherm {

bool relaxes_at_once(Backend backend) { return backend == Backend::cuda; }

template <class Real>
void relax_at_once(Queue& queue, int dimension, Relaxation<Real> const& relaxation) {
  if (relaxation.region.empty()) return;
  require(relaxation.weights.size() <= most_sweeps_at_once, "too many sweeps at once");
  require(relaxation.source && bool(relaxation.rest) != bool(relaxation.correction),
          "a relaxation has a source, and leaves a rest only where it starts from zero");
  require(relaxation.out.box.contains(relaxation.region) &&
              (!relaxation.rest || relaxation.rest.box.contains(relaxation.region)),
          "a relaxation reaches past its result");
  dispatch(
      queue, [&] { throw Error("the CPU backend does not relax at once"); },
      [&](auto) { cuda::relax_at_once(queue, dimension, relaxation); });
}

template void relax_at_once(Queue&, int, Relaxation<float> const&);
template void relax_at_once(Queue&, int, Relaxation<double> const&);

}  // namespace isotherm
