#include "kernels/multigrid/first_sweep.hpp"

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/multigrid/cuda/first_sweep.hpp"

namespace isotherm {

namespace {

/// Performs one sweep on the CPU.
template <class Real, int dimension>
void on_cpu(SmoothingConductances<Real, dimension> const& conductances, Real weight,
            FieldView<Real const> source, FieldView<Real> values, LocalBox box) {
  // Rows are independent, since the first sweep reads no neighbours.
  cpu::for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    auto const row = conductances.row(j, k);
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
      values(i, j, k) = weight * row.point(i).share_of(source(i, j, k));
    }
  });
}

/// Performs one sweep, or two in 3D if two weights are given and points are free.
/// @returns  the number of sweeps that were performed
template <class Real, int dimension>
std::size_t on_device(Queue& queue, SmoothingConductances<Real, dimension> const& conductances,
                      std::span<double const> weights, FieldView<Real const> source,
                      FieldView<Real> values, LocalBox box, LocalBox free) {
  auto const first = static_cast<Real>(weights.front());
  if constexpr (dimension == 3) {
    if (weights.size() > 1 && !intersection(box, free).empty()) {
      require(source.box.contains(intersection(box.grown({1, 1, 1}), free)),
              "two first sweeps reach past their source (which needs a halo)");
      cuda::two_sweeps_from_zero(queue, conductances, first, static_cast<Real>(weights[1]), source,
                                 values, box, free);
      return 2;
    }
  }
  cuda::sweep_from_zero(queue, conductances, first, source, values, box);
  return 1;
}

}  // namespace

template <class Real, int dimension>
std::size_t sweep_from_zero(Queue& queue,
                            SmoothingConductances<Real, dimension> const& conductances,
                            std::span<double const> weights, FieldView<Real const> source,
                            FieldView<Real> values, LocalBox box, LocalBox free) {
  require(!weights.empty(), "a first pass needs at least one sweep");
  require(source.box.contains(box) && values.box.contains(box),
          "a first sweep reaches past its fields");
  if (box.empty()) return 1;  // nothing to do; reported as one sweep
  std::size_t taken = 1;
  dispatch(
      queue, [&] { on_cpu(conductances, static_cast<Real>(weights.front()), source, values, box); },
      [&](auto) { taken = on_device(queue, conductances, weights, source, values, box, free); });
  return taken;
}

#define ISOTHERM_INSTANTIATE(Real, dimension)                                                 \
  template std::size_t sweep_from_zero(Queue&, SmoothingConductances<Real, dimension> const&, \
                                       std::span<double const>, FieldView<Real const>,        \
                                       FieldView<Real>, LocalBox, LocalBox);
ISOTHERM_INSTANTIATE(float, 2)
ISOTHERM_INSTANTIATE(float, 3)
ISOTHERM_INSTANTIATE(double, 2)
ISOTHERM_INSTANTIATE(double, 3)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
