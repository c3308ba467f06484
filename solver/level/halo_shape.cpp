#include "solver/level/halo_shape.hpp"

#include "solver/problem/conditions.hpp"

namespace isotherm {

HaloShape halo_shape(Problem const& problem, int depth) {
  HaloShape shape;
  shape.depth = depth;
  if (is_heterogeneous(problem)) return shape;  // its conductances end at the faces
  for (Face const face : faces(problem.grid)) {
    shape.mirrored[face] = is(problem, face, BoundaryKind::neumann);
  }
  return shape;
}

}  // namespace isotherm
