#include "kernels/conduction/correction_flow.hpp"

#include "kernels/conduction/cuda/correction_flow.hpp"
#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"

namespace isotherm {

namespace {

template <class Set>
void at_all_points(Queue& queue, Set const& set, LocalBox box) {
  dispatch(
      queue,
      [&] {
        cpu::for_each_row(box, [&](std::int64_t j, std::int64_t k) {
          for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) set(i, j, k);
        });
      },
      [&](auto) { cuda::set_flow(queue, set, box); });
}

}  // namespace

template <class From, class To, int dimension>
void set_correction_flow(Queue& queue, Conductances<From, dimension> const& of, double shift,
                         LocalBox grid, FlowFields<To> const& flow, LocalBox box) {
  if (box.empty()) return;
  require(flow.x.box.contains(box) && of.x.box.contains(box),
          "the operator of the correction extends beyond its fields");
  SetCorrectionFlow<From, To, dimension> const set{of, static_cast<From>(shift), grid, flow};
  at_all_points(queue, set, box);
}

template <class Real, int dimension>
void set_per_total(Queue& queue, Conductances<Real, dimension> const& of, FieldView<Real> per_total,
                   LocalBox box) {
  if (box.empty()) return;
  require(per_total.box.contains(box) && of.x.box.contains(box),
          "the inverse diagonal extends beyond its fields");
  at_all_points(queue, SetPerTotal<Real, dimension>{of, per_total}, box);
}

#define ISOTHERM_INSTANTIATE(From, To, dimension)                                         \
  template void set_correction_flow(Queue&, Conductances<From, dimension> const&, double, \
                                    LocalBox, FlowFields<To> const&, LocalBox);
ISOTHERM_INSTANTIATE(float, float, 2)
ISOTHERM_INSTANTIATE(float, float, 3)
ISOTHERM_INSTANTIATE(double, float, 2)
ISOTHERM_INSTANTIATE(double, float, 3)
ISOTHERM_INSTANTIATE(double, double, 2)
ISOTHERM_INSTANTIATE(double, double, 3)
#undef ISOTHERM_INSTANTIATE

template void set_per_total(Queue&, Conductances<float, 2> const&, FieldView<float>, LocalBox);
template void set_per_total(Queue&, Conductances<float, 3> const&, FieldView<float>, LocalBox);
template void set_per_total(Queue&, Conductances<double, 2> const&, FieldView<double>, LocalBox);
template void set_per_total(Queue&, Conductances<double, 3> const&, FieldView<double>, LocalBox);

}  // namespace isotherm
