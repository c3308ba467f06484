#include "kernels/conduction/face_conductances.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"

namespace isotherm {

namespace {

/// Computes the conductance between a point and the next one along an axis.
template <class Real>
struct SetConductance {
  int axis;
  FieldView<Real const> conductivity;
  VolumeRows<Real> volumes;
  FieldView<Real> conductances;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Real const here = conductivity(i, j, k);
    Real const next = conductivity(i + (axis == 0), j + (axis == 1), k + (axis == 2));
    // The area is the product of the widths along the other two axes.
    Real const width_x = axis == 0 ? Real{1} : volumes.width.x[i];
    Real const width_y = axis == 1 ? Real{1} : volumes.width.y[j];
    Real const width_z = axis == 2 ? Real{1} : volumes.width.z[k];
    Real const inverse_gap = volumes.inverse_gap.of(axis)[axis == 0 ? i : axis == 1 ? j : k];
    Real const g = conductance_between(here, next, inverse_gap) * (width_x * width_y * width_z);
    conductances(i, j, k) = axis == 0 && std::signbit(here) ? -g : g;
  }
};

}  // namespace

template <class Real>
void set_conductances(Queue& queue, int axis, FieldView<Real const> conductivity,
                      VolumeRows<Real> const& volumes, FieldView<Real> conductances, LocalBox box) {
  if (box.empty()) return;
  LocalBox read = box;
  ++read.upper[axis];
  require(conductivity.box.contains(read) && conductances.box.contains(box),
          "conductances reach past their fields");
  for_each_point(queue, box, SetConductance<Real>{axis, conductivity, volumes, conductances});
}

template void set_conductances(Queue&, int, FieldView<float const>, VolumeRows<float> const&,
                               FieldView<float>, LocalBox);
template void set_conductances(Queue&, int, FieldView<double const>, VolumeRows<double> const&,
                               FieldView<double>, LocalBox);

}  // namespace isotherm
