#include "kernels/conduction/cuda/face_conductances.hpp"
#include "kernels/conduction/point_conductance.hpp"
#include "kernels/core/cuda/each_point.cuh"

namespace isotherm::cuda {

namespace {

template <class Real>
struct SetConductance {
  ConductanceOf<Real> of;
  FieldView<Real> conductances;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k,
                             std::int64_t /*item*/) const {
    conductances(i, j, k) = of(i, j, k);
  }
};

}  // namespace

template <class Real>
void set_conductances(Queue& queue, int axis, FieldView<Real const> conductivity,
                      VolumeRows<Real> const& volumes, FieldView<Real> conductances, LocalBox box) {
  for_each_point(queue, box, SetConductance<Real>{{axis, conductivity, volumes}, conductances});
}

template void set_conductances(Queue&, int, FieldView<float const>, VolumeRows<float> const&,
                               FieldView<float>, LocalBox);
template void set_conductances(Queue&, int, FieldView<double const>, VolumeRows<double> const&,
                               FieldView<double>, LocalBox);

}  // namespace isotherm::cuda
