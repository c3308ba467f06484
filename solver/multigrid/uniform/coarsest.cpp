#include "solver/multigrid/uniform/coarsest.hpp"

#include <vector>

#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/multigrid/uniform/axis_modes.hpp"

namespace isotherm {

template <class Real>
CoarsestSolve<Real>::CoarsestSolve(Queue& queue, Problem const& correction) : queue_(&queue) {
  PerAxis<double> const weights = relaxation_weights(correction.grid, correction.sigma);
  PerAxis<AxisModeValues> values;
  // All axes share one array: eigenvalues, transform to modes, transform to points.
  std::vector<Real> numbers;
  auto const append = [&](std::vector<double> const& more) {
    numbers.insert(numbers.end(), more.begin(), more.end());
  };
  for (int axis = 0; axis < 3; ++axis) {
    values[axis] = axis_modes(correction, axis, weights[axis]);
    append(values[axis].eigenvalues);
    append(values[axis].to_modes);
    append(values[axis].to_points);
  }
  std::size_t const bytes = numbers.size() * sizeof(Real);
  numbers_ = Buffer(queue, Space::device, bytes);
  copy_bytes(queue, numbers_.data(), numbers.data(), bytes);
  queue.wait();  // the vector goes away

  // The pointers advance through the array in the order in which it was filled.
  Real const* at = numbers_.template as<Real const>();
  auto const take = [&](std::vector<double> const& taken) {
    Real const* const first = at;
    at += taken.size();
    return first;
  };
  auto const modes_of = [&](AxisModeValues const& axis_mode_values) {
    AxisModes<Real> modes;
    modes.count = axis_mode_values.count;
    modes.eigenvalues = take(axis_mode_values.eigenvalues);
    modes.to_modes = take(axis_mode_values.to_modes);
    modes.to_points = take(axis_mode_values.to_points);
    return modes;
  };
  modes_.x = modes_of(values[0]);
  modes_.y = modes_of(values[1]);
  modes_.z = modes_of(values[2]);
  modes_.shift = static_cast<Real>(relaxation_shift(correction.grid, correction.sigma));
}

template <class Real>
std::size_t CoarsestSolve<Real>::footprint(Backend backend, Problem const& correction) {
  std::size_t numbers = 0;
  for (int axis = 0; axis < 3; ++axis) {
    auto const points = correction.grid.points[axis];
    auto const pitch = static_cast<std::size_t>(mode_pitch(static_cast<int>(points)));
    numbers += pitch + 2 * static_cast<std::size_t>(points) * pitch;
  }
  return Buffer::footprint(backend, Space::device, numbers * sizeof(Real));
}

template class CoarsestSolve<float>;
template class CoarsestSolve<double>;

}  // namespace isotherm
