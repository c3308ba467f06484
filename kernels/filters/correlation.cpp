#include "kernels/filters/correlation.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/filters/cpu/correlation.hpp"
#include "kernels/filters/cuda/correlation.hpp"

namespace isotherm {

template <class Real>
void correlate(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
               WeightTable const& table) {
  Extent3 const n = table.extent;
  require(is_table(n) && table.values.size() == static_cast<std::size_t>(n.x * n.y * n.z),
          "a table of weights needs odd numbers of planes, rows and weights per row");
  require(to.box.contains(box) && (box.empty() || from.box.contains(box.grown(table.reach()))),
          "a correlation reaches past its fields");
  if (box.empty()) return;
  // Rounded once to the field's precision, on every backend alike.
  std::vector<Real> const weights(table.values.begin(), table.values.end());
  TableShape const shape{static_cast<int>(n.x), static_cast<int>(n.y), static_cast<int>(n.z),
                         from.stride_y, from.stride_z};
  dispatch(
      queue, [&] { cpu::correlate(from, to, box, shape, weights.data()); },
      [&](auto) { cuda::correlate(queue, from, to, box, shape, weights); });
}

template void correlate(Queue&, FieldView<float const>, FieldView<float>, LocalBox,
                        WeightTable const&);
template void correlate(Queue&, FieldView<double const>, FieldView<double>, LocalBox,
                        WeightTable const&);

}  // namespace isotherm
