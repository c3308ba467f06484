#include "kernels/multigrid/coarsest/modes.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/multigrid/coarsest/cpu/modes.hpp"
#include "kernels/multigrid/coarsest/cuda/modes.hpp"

namespace isotherm {

template <class Real>
void solve_by_modes(Queue& queue, Modes<Real> const& modes, FieldView<Real const> from,
                    FieldView<Real> to, LocalBox box) {
  if (box.empty()) return;
  // The limit is that of CUDA; it holds on every backend.
  require(box.point_count() <= max_mode_points,
          "the box has too many points for a solution by eigenmodes");
  require(box.extent() == Extent3{modes.x.count, modes.y.count, modes.z.count},
          "the eigenmodes belong to a box of another size");
  require(from.box.contains(box) && to.box.contains(box),
          "a solution by eigenmodes extends beyond its fields");
  dispatch(
      queue, [&] { cpu::solve_by_modes(modes, from, to, box); },
      [&](auto) { cuda::solve_by_modes(queue, modes, from, to, box); });
}

template void solve_by_modes(Queue&, Modes<float> const&, FieldView<float const>, FieldView<float>,
                             LocalBox);
template void solve_by_modes(Queue&, Modes<double> const&, FieldView<double const>,
                             FieldView<double>, LocalBox);

}  // namespace isotherm
