#include "kernels/conduction/face_conductances.hpp"

#include "kernels/conduction/cpu/face_conductances.hpp"
#include "kernels/conduction/cuda/face_conductances.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"

namespace isotherm {

template <class Real>
void set_conductances(Queue& queue, int axis, FieldView<Real const> conductivity,
                      VolumeRows<Real> const& volumes, FieldView<Real> conductances, LocalBox box) {
  if (box.empty()) return;
  LocalBox read = box;
  ++read.upper[axis];
  require(conductivity.box.contains(read) && conductances.box.contains(box),
          "face conductances extend beyond their fields");
  dispatch(
      queue, [&] { cpu::set_conductances(axis, conductivity, volumes, conductances, box); },
      [&](auto) { cuda::set_conductances(queue, axis, conductivity, volumes, conductances, box); });
}

template void set_conductances(Queue&, int, FieldView<float const>, VolumeRows<float> const&,
                               FieldView<float>, LocalBox);
template void set_conductances(Queue&, int, FieldView<double const>, VolumeRows<double> const&,
                               FieldView<double>, LocalBox);

}  // namespace isotherm
