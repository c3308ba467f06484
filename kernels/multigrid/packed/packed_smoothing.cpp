#include "kernels/multigrid/packed/packed_smoothing.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/multigrid/packed/cuda/packed_smoothing.hpp"

namespace isotherm {

bool has_packed_smoothing(Queue const& queue) {
  return dispatch(
      queue, [] { return false; }, [&](auto) { return cuda::has_packed_smoothing(queue); });
}

void smooth_packed(Queue& queue, PackedPass pass, PackedSmoothing const& by) {
  if (by.region.empty()) return;
  int const depth = packed_depth(pass);
  LocalBox const seen = by.free.grown({1, 1, 1});
  LocalBox const read = intersection(by.region.grown({depth, depth, depth}), seen);
  require(bool(by.correction) == (pass != PackedPass::three_sweeps_from_zero) &&
              bool(by.residual) == (pass == PackedPass::sweep_and_residual),
          "a smoothing pass has the wrong fields");
  require(by.source.box.contains(by.region) && by.out.box.contains(by.region) &&
              (!by.correction || by.correction.box.contains(intersection(read, by.free))) &&
              (!by.residual || by.residual.box.contains(by.region)) &&
              by.op.x_and_y.box.contains(packed_box(intersection(read, by.free))),
          "a smoothing pass reaches past its fields (which need a deeper halo)");
  dispatch(
      queue, [] { throw Error("the CPU backend has no packed smoothing"); },
      [&](auto) { cuda::smooth_packed(queue, pass, by); });
}

}  // namespace isotherm
