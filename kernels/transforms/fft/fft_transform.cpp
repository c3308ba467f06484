#include "kernels/transforms/fft/fft_transform.hpp"

#include <string>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/transforms/fft/cpu/transform_lines.hpp"
#include "kernels/transforms/fft/cuda/transform_lines.hpp"
#include "kernels/transforms/fft/fft_tables.hpp"

namespace isotherm {

namespace {

/// The forms of both directions, and the factors that complete them.
struct Forms {
  LineForm to_modes;
  LineForm to_points;
  double scale;       ///< to modes
  double scale_back;  ///< to points, times N
};

Forms forms_of(AxisEnds ends) {
  switch (ends) {
    case AxisEnds::dirichlet:
      return {LineForm::sine, LineForm::sine, 0.25, 0.5};
    case AxisEnds::neumann:
      return {LineForm::cosine, LineForm::cosine, 0.25, 0.5};
    case AxisEnds::periodic:
      return {LineForm::periodic_to_modes, LineForm::periodic_to_points, 0.5, 1.0};
    default:
      return {LineForm::quarter_to_modes, LineForm::quarter_to_points, 0.5, 1.0};
  }
}

/// Returns the nodes of the points, counted from the Neumann end if the other one is Dirichlet's.
NodeOrder points_of(AxisEnds ends, int intervals) {
  if (ends == AxisEnds::dirichlet) return {1, 1};
  if (ends == AxisEnds::dirichlet_neumann) return {intervals - 1, -1};
  return {0, 1};
}

/// The shortest axis whose longest waves are added after the Fourier transform to points.
constexpr std::int64_t shortest_without_long_waves = 4;

/// Returns both directions of a transform, without tables.
template <class Real>
LineTransform<Real> line_transform(AxisEnds ends, std::int64_t intervals, Integration integration) {
  Forms const forms = forms_of(ends);
  LineTransform<Real> both;
  both.plan = fft_plan(intervals);
  LineSteps<Real>& steps = both.to_modes;
  steps.form = forms.to_modes;
  steps.length = both.plan.length;
  steps.count = static_cast<int>(point_count(ends, intervals));
  steps.scale = static_cast<Real>(forms.scale);
  steps.from = points_of(ends, steps.length);
  steps.to = {ends == AxisEnds::dirichlet ? 1 : 0, 1};

  both.to_points = steps;
  both.to_points.form = forms.to_points;
  both.to_points.scale = static_cast<Real>(forms.scale_back / static_cast<double>(intervals));
  std::swap(both.to_points.from, both.to_points.to);

  bool const has_half_cells = ends != AxisEnds::dirichlet && ends != AxisEnds::periodic;
  if (has_half_cells && integration == Integration::integrated) steps.end_scale = 2;
  return both;
}

/// Returns the bytes of all tables: N roots, and N/2 + 1 quarter turns, or as many inverse sines
/// and values of mode 1.
template <class Real>
std::size_t table_bytes(std::int64_t intervals) {
  auto const n = static_cast<std::size_t>(intervals);
  return (n + n / 2 + 1) * sizeof(Complex<Real>);
}

/// Appends a table to the buffer and returns its address there.
template <class Entry>
Entry const* append(Queue& queue, Buffer const& buffer, std::size_t& used,
                    std::vector<Entry> const& table) {
  std::size_t const bytes = table.size() * sizeof(Entry);
  std::byte* const to = buffer.as<std::byte>() + used;
  if (bytes > 0) copy_bytes(queue, to, table.data(), bytes);
  used += bytes;
  return reinterpret_cast<Entry const*>(to);
}

}  // namespace

template <class Real>
bool FftTransform<Real>::supports(Backend backend, AxisEnds ends, std::int64_t intervals) {
  if (!is_fft_length(intervals) || point_count(ends, intervals) < 1) return false;
  return backend == Backend::cpu || intervals <= cuda::max_length;
}

template <class Real>
FftTransform<Real>::FftTransform(Queue& queue, AxisEnds ends, std::int64_t intervals,
                                 Integration integration) {
  require(supports(queue.backend(), ends, intervals),
          "no fast Fourier transform of " + std::to_string(intervals) +
              " intervals: the number must be a product of 2, 3, 5 and 7 and within the limits of "
              "FftTransform::supports");
  eigenvalues_ = fft_eigenvalues(ends, intervals);
  transform_ = line_transform<Real>(ends, intervals, integration);
  FftTables<Real> const tables = fft_tables<Real>(ends, intervals);
  tables_ = Buffer(queue, Space::device, table_bytes<Real>(intervals));
  std::size_t used = 0;
  transform_.roots = append(queue, tables_, used, tables.roots);
  for (LineSteps<Real>* const steps : {&transform_.to_modes, &transform_.to_points}) {
    std::size_t behind_roots = used;
    steps->quarter_turns = append(queue, tables_, behind_roots, tables.quarter_turns);
    steps->inverse_sines = append(queue, tables_, behind_roots, tables.inverse_sines);
    if (steps != &transform_.to_points || intervals < shortest_without_long_waves) continue;
    if (tables.first_mode.empty()) continue;
    steps->first_mode = append(queue, tables_, behind_roots, tables.first_mode);
  }
  queue.wait();  // the tables on the host end here
}

template <class Real>
void FftTransform<Real>::run(Queue& queue, LinePass pass, FieldView<Real const> from,
                             FieldView<Real> to, LocalBox const& box, int axis,
                             Spectrum<Real> const& spectrum) const {
  if (box.empty()) return;
  require(axis >= 0 && axis < 3, "a transform needs axis 0, 1 or 2");
  require(box.extent()[axis] == count(), "a transform of " + std::to_string(count()) +
                                             " points cannot transform lines of " +
                                             std::to_string(box.extent()[axis]));
  require(from.box.contains(box) && to.box.contains(box), "a transform extends beyond its fields");
  dispatch(
      queue, [&] { cpu::transform_lines(queue, transform_, pass, from, to, box, axis, spectrum); },
      [&](auto) { cuda::transform_lines(queue, transform_, pass, from, to, box, axis, spectrum); });
}

template <class Real>
void FftTransform<Real>::to_modes(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                                  LocalBox box, int axis) const {
  run(queue, LinePass::to_modes, from, to, box, axis, {});
}

template <class Real>
void FftTransform<Real>::to_points(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                                   LocalBox box, int axis) const {
  run(queue, LinePass::to_points, from, to, box, axis, {});
}

template <class Real>
void FftTransform<Real>::solve(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                               LocalBox box, int axis, Spectrum<Real> const& spectrum) const {
  run(queue, LinePass::solve, from, to, box, axis, spectrum);
}

template <class Real>
std::size_t FftTransform<Real>::footprint(Backend backend, AxisEnds ends, std::int64_t intervals) {
  if (!supports(backend, ends, intervals)) return 0;
  return Buffer::footprint(backend, Space::device, table_bytes<Real>(intervals));
}

template class FftTransform<float>;
template class FftTransform<double>;

}  // namespace isotherm
