#include "kernels/multigrid/first_sweep.hpp"

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/dispatch.hpp"
#include "kernels/core/error.hpp"
#include "kernels/multigrid/cuda/first_sweep.hpp"

namespace isotherm {

template <class Real, int dimension>
void sweep_from_zero(Queue& queue, Conductances<Real, dimension> const& of, Real weight,
                     FieldView<Real const> source, FieldView<Real> values, LocalBox box) {
  if (box.empty()) return;
  require(source.box.contains(box) && values.box.contains(box),
          "a first sweep reaches past its fields");
  dispatch(
      queue,
      [&] {
        cpu::for_each_row(box, [&](std::int64_t j, std::int64_t k) {
          auto const row = of.row(j, k);
          for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
            values(i, j, k) = weight * row.point(i).share_of(source(i, j, k));
          }
        });
      },
      [&](auto) { cuda::sweep_from_zero(queue, of, weight, source, values, box); });
}

#define ISOTHERM_INSTANTIATE(Real, dimension)                                       \
  template void sweep_from_zero(Queue&, Conductances<Real, dimension> const&, Real, \
                                FieldView<Real const>, FieldView<Real>, LocalBox);
ISOTHERM_INSTANTIATE(float, 2)
ISOTHERM_INSTANTIATE(float, 3)
ISOTHERM_INSTANTIATE(double, 2)
ISOTHERM_INSTANTIATE(double, 3)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
