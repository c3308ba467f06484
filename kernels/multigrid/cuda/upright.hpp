#pragma once

#include "kernels/core/field.hpp"
#include "kernels/multigrid/residual.hpp"
#include "kernels/multigrid/transfer.hpp"
#include "kernels/sweep/sweep.hpp"

// Exchange of the axes y and z of two-dimensional problems.
//
// Kernels march along columns of planes in z. In 2D there is only one plane, so they should march
// through its rows. Exchanging y and z makes rows look like planes (the plane is "upright").

namespace isotherm::cuda {

/// Returns true for a single plane with more than one row.
inline bool lies_flat(LocalBox const& box) {
  Extent3 const n = box.extent();
  return n.z == 1 && n.y > 1;
}

/// Returns the box, field view, pass or stencils with y and z exchanged.
inline LocalBox upright(LocalBox const& box) {
  return {{box.lower.x, box.lower.z, box.lower.y}, {box.upper.x, box.upper.z, box.upper.y}};
}
template <class T>
FieldView<T> upright(FieldView<T> const& field) {
  return {field.origin, field.stride_z, field.stride_y, upright(field.box)};
}

template <class From, class To>
ResidualPass<From, To> upright(ResidualPass<From, To> pass) {
  pass.u = upright(pass.u);
  pass.source = upright(pass.source);
  pass.out = upright(pass.out);
  pass.box = upright(pass.box);
  pass.correction = upright(pass.correction);
  pass.corrected = upright(pass.corrected);
  return pass;
}
template <class Real>
Pass<Real> upright(Pass<Real> pass) {
  pass.in = upright(pass.in);
  pass.out = upright(pass.out);
  if (pass.source) pass.source = upright(pass.source);
  pass.region = upright(pass.region);
  pass.free = upright(pass.free);
  return pass;
}
template <class Stencil>
AxisStencils<Stencil> upright(AxisStencils<Stencil> const& stencils) {
  return {stencils.x, stencils.z, stencils.y, stencils.widest};
}

}  // namespace isotherm::cuda
