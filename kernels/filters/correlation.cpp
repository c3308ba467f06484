#include "kernels/filters/correlation.hpp"

#include "kernels/core/dispatch.hpp"
#include "kernels/core/error.hpp"
#include "kernels/filters/cpu/correlation.hpp"
#include "kernels/filters/cuda/correlation.hpp"

namespace isotherm {

namespace {

bool is_odd_and_fits(int count) {
  return count > 0 && count % 2 == 1 && count <= WeightTable::most;
}

}  // namespace

template <class Real>
void correlate(Queue& queue, FieldView<Real const> from, FieldView<Real> to, LocalBox box,
               WeightTable const& table) {
  require(is_odd_and_fits(table.width) && is_odd_and_fits(table.height) &&
              table.values.size() ==
                  static_cast<std::size_t>(table.width) * static_cast<std::size_t>(table.height),
          "a table of weights needs odd numbers of rows and of weights in each");
  require(to.box.contains(box) &&
              (box.empty() || from.box.contains(box.grown({table.width / 2, table.height / 2, 0}))),
          "a correlation reaches past its fields");
  if (box.empty()) return;
  std::vector<Real> const weights(table.values.begin(), table.values.end());
  TableShape const shape{table.width, table.height};
  dispatch(
      queue, [&] { cpu::correlate(from, to, box, shape, weights.data()); },
      [&](auto) { cuda::correlate(queue, from, to, box, shape, weights); });
}

template void correlate(Queue&, FieldView<float const>, FieldView<float>, LocalBox,
                        WeightTable const&);
template void correlate(Queue&, FieldView<double const>, FieldView<double>, LocalBox,
                        WeightTable const&);

}  // namespace isotherm
