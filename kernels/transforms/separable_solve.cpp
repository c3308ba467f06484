#include "kernels/transforms/separable_solve.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Returns the eigenvalues of an axis, 0 if it has no transform.
template <class Real>
std::vector<Real> rounded_eigenvalues(std::optional<SeparableAxis<Real>> const& axis) {
  if (!axis) return {Real{0}};
  std::vector<double> const exact = axis->eigenvalues();
  return {exact.begin(), exact.end()};
}

}  // namespace

template <class Real>
SeparableSolve<Real>::SeparableSolve(Queue& queue, Axes axes, double shift, bool drop_constant,
                                     bool whole)
    : axes_(std::move(axes)), shift_(static_cast<Real>(shift)), drop_constant_(drop_constant) {
  bool const is_any = std::any_of(axes_.begin(), axes_.end(), [](auto& axis) { return !!axis; });
  require(is_any, "a separable problem without unknown points");
  find_last_axis();
  for (int axis = 0; axis < 3; ++axis) {
    std::size_t const modes = axes_[axis] ? static_cast<std::size_t>(axes_[axis]->count()) : 1;
    eigenvalues_[axis] = Buffer(queue, Space::device, modes * sizeof(Real));
  }
  copy_eigenvalues(queue);
  plan_steps();
  bool const needs_work =
      std::any_of(steps_.begin(), steps_.end(), [](Step const& step) { return step.to_work; });
  if (whole && needs_work) work_.emplace(queue, extent(), Index3{0, 0, 0});
}

template <class Real>
void SeparableSolve<Real>::copy_eigenvalues(Queue& queue) {
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<Real> const values = rounded_eigenvalues(axes_[axis]);
    copy_bytes(queue, eigenvalues_[axis].data(), values.data(), eigenvalues_[axis].bytes());
    queue.wait();  // the host's values end here
  }
}

template <class Real>
void SeparableSolve<Real>::set_operator(Queue& queue, PerAxis<double> const& weights,
                                        double shift) {
  for (int axis = 0; axis < 3; ++axis) {
    if (axes_[axis]) axes_[axis]->weight = weights[axis];
  }
  shift_ = static_cast<Real>(shift);
  copy_eigenvalues(queue);
}

template <class Real>
void SeparableSolve<Real>::set_systems(Queue& queue, TridiagonalRows const& rows) {
  SeparableAxis<Real>& axis = *axes_[last_axis_];
  require(axis.is_tridiagonal() && static_cast<std::size_t>(axis.count()) == rows.weight.size(),
          "tridiagonal systems of an axis that has none, or of another size");
  queue.wait();  // the old systems end here
  axis.transform = TridiagonalSolve<Real>(queue, rows);
}

template <class Real>
void SeparableSolve<Real>::find_last_axis() {
  int tridiagonal = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (!axes_[axis]) continue;
    bool const is_tridiagonal = axes_[axis]->is_tridiagonal();
    if (is_tridiagonal || tridiagonal == 0) last_axis_ = axis;
    if (is_tridiagonal) ++tridiagonal;
  }
  require(tridiagonal <= 1, "a separable problem with several tridiagonal axes");
}

template <class Real>
std::vector<int> SeparableSolve<Real>::other_axes() const {
  std::vector<int> others;
  for (int axis = 0; axis < 3; ++axis) {
    if (axes_[axis] && axis != last_axis_) others.push_back(axis);
  }
  return others;
}

template <class Real>
void SeparableSolve<Real>::plan_steps() {
  std::vector<int> present = other_axes();
  for (int const axis : present) steps_.push_back({axis, LineTask::to_modes, false});
  steps_.push_back({last_axis_, LineTask::solve, false});
  std::reverse(present.begin(), present.end());
  for (int const axis : present) steps_.push_back({axis, LineTask::to_points, false});
  // The last step writes the result. Before a step that cannot work in place, the values are in the
  // other field.
  bool to_work = false;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    step->to_work = to_work;
    bool const in_place = step->task == LineTask::solve || axes_[step->axis]->works_in_place();
    to_work = to_work == in_place;
  }
}

template <class Real>
Spectrum<Real> SeparableSolve<Real>::spectrum(Index3 first) const {
  return {eigenvalues_[0].template as<Real const>() + first.x,
          eigenvalues_[1].template as<Real const>() + first.y,
          eigenvalues_[2].template as<Real const>() + first.z, shift_, drop_constant_};
}

template <class Real>
bool SeparableSolve<Real>::needs_work() const {
  std::vector<int> const others = other_axes();
  return std::ranges::any_of(others, [&](int axis) { return !axes_[axis]->works_in_place(); });
}

template <class Real>
FieldView<Real> SeparableSolve<Real>::to_modes(Queue& queue, FieldView<Real const> source,
                                               FieldView<Real> field, FieldView<Real> other,
                                               LocalBox box) const {
  // The first transform may also work out of place.
  bool is_in_field = source.origin == field.origin;
  for (int const axis : other_axes()) {
    bool const stays = is_in_field && !axes_[axis]->works_in_place();
    FieldView<Real> const to = stays ? other : field;
    run(queue, {axis, LineTask::to_modes, false}, source, to, box);
    if (stays) std::swap(field, other);
    source = to;
    is_in_field = true;
  }
  return field;
}

template <class Real>
FieldView<Real> SeparableSolve<Real>::to_points(Queue& queue, FieldView<Real> field,
                                                FieldView<Real> other, FieldView<Real> result,
                                                LocalBox box) const {
  std::vector<int> axes = other_axes();
  while (!axes.empty()) {
    int const axis = axes.back();
    axes.pop_back();
    bool const is_last = axes.empty() && result.origin != nullptr;
    bool const in_place = axes_[axis]->works_in_place();
    FieldView<Real> const to = is_last ? result : in_place ? field : other;
    run(queue, {axis, LineTask::to_points, false}, field, to, box);
    if (is_last) return result;
    if (!in_place) std::swap(field, other);
  }
  return field;
}

template <class Real>
void SeparableSolve<Real>::divide(Queue& queue, FieldView<Real> field, LocalBox box,
                                  Index3 first) const {
  run(queue, {last_axis(), LineTask::solve, false}, field, field, box, first);
}

template <class Real>
FieldView<Real> SeparableSolve<Real>::work_at(LocalBox const& box) {
  if (!work_) return {};
  FieldView<Real> view = work_->view();
  Index3 const first = box.lower;
  view.origin -= first.x + first.y * view.stride_y + first.z * view.stride_z;
  view.box = box;
  return view;
}

template <class Real>
void SeparableSolve<Real>::run(Queue& queue, Step const& step, FieldView<Real const> from,
                               FieldView<Real> to, LocalBox const& box, Index3 first) const {
  auto const act = [&](auto const& transform) {
    if (step.task == LineTask::solve) {
      transform.solve(queue, from, to, box, step.axis, spectrum(first));
      return;
    }
    // Only the last axis may be tridiagonal.
    if constexpr (!std::is_same_v<decltype(transform), TridiagonalSolve<Real> const&>) {
      if (step.task == LineTask::to_modes) {
        transform.to_modes(queue, from, to, box, step.axis);
      } else {
        transform.to_points(queue, from, to, box, step.axis);
      }
    }
  };
  std::visit(act, axes_[step.axis]->transform);
}

template <class Real>
void SeparableSolve<Real>::operator()(Queue& queue, FieldView<Real const> source,
                                      FieldView<Real> result, LocalBox box) {
  require(box.extent() == extent(), "a separable problem and a box of another size");
  require(source.box.contains(box) && result.box.contains(box),
          "a separable problem extends beyond its fields");
  require(source.origin != result.origin, "a separable problem would overwrite its source");
  FieldView<Real> const work = work_at(box);
  FieldView<Real const> from = source;
  for (Step const& step : steps_) {
    FieldView<Real> const to = step.to_work ? work : result;
    run(queue, step, from, to, box);
    from = to;
  }
}

template <class Real>
Extent3 SeparableSolve<Real>::extent() const {
  Extent3 n{1, 1, 1};
  for (int axis = 0; axis < 3; ++axis) {
    if (axes_[axis]) n[axis] = axes_[axis]->count();
  }
  return n;
}

template <class Real>
std::string SeparableSolve<Real>::name() const {
  std::string text;
  for (auto const& axis : axes_) {
    if (axis) text += (text.empty() ? "" : " x ") + std::string(axis->name());
  }
  return text;
}

template <class Real>
std::size_t SeparableSolve<Real>::footprint(Backend backend, Extent3 extent, bool work_in_place) {
  std::size_t bytes = work_in_place ? 0 : Field<Real>::footprint(backend, extent, {0, 0, 0});
  for (int axis = 0; axis < 3; ++axis) {
    std::size_t const values =
        product_of_bytes(static_cast<std::size_t>(extent[axis]), sizeof(Real));
    bytes = sum_of_bytes(bytes, Buffer::footprint(backend, Space::device, values));
  }
  return bytes;
}

template class SeparableSolve<float>;
template class SeparableSolve<double>;

}  // namespace isotherm
