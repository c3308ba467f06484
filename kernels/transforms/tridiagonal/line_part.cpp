#include "kernels/transforms/tridiagonal/line_part.hpp"

#include <string>
#include <vector>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Returns the links of a part to its separators. @throws Error  if the part is invalid
template <class Real>
SeparatorLinks<Real> links_of(TridiagonalRows const& rows, std::int64_t begin, std::int64_t end) {
  auto const count = static_cast<std::int64_t>(rows.weight.size());
  require(begin >= 0 && end <= count && end - begin >= 3,
          "a part of " + std::to_string(end - begin) + " points of a tridiagonal system");
  auto const at = [&](std::int64_t gap) {
    return static_cast<Real>(rows.conductance[static_cast<std::size_t>(gap)]);
  };
  bool const is_last = end == count;
  return {begin > 0 ? at(begin) : Real{0}, is_last ? Real{0} : at(end - 1)};
}

/// Returns the rows of the inner points, whose links to separators lead to the ground.
TridiagonalRows inner_rows(TridiagonalRows const& rows, std::int64_t begin, std::int64_t end) {
  auto const count = static_cast<std::int64_t>(rows.weight.size());
  std::int64_t const first = begin > 0 ? begin + 1 : 0;
  auto const part = [](std::vector<double> const& values, std::int64_t from, std::int64_t to) {
    return std::vector<double>(values.begin() + from, values.begin() + to);
  };
  TridiagonalRows inner{part(rows.conductance, first, end - 1), part(rows.ground, first, end),
                        part(rows.weight, first, end)};
  SeparatorLinks<double> const links = links_of<double>(rows, begin, end);
  inner.ground.front() += links.before;
  inner.ground.back() += links.after;
  if (begin == 0) inner.first_factor = rows.first_factor;
  if (end == count) inner.last_factor = rows.last_factor;
  return inner;
}

}  // namespace

template <class Real>
LinePart<Real>::LinePart(Queue& queue, TridiagonalRows const& rows, std::int64_t begin,
                         std::int64_t end)
    : count_(end - begin),
      links_(links_of<Real>(rows, begin, end)),
      solve_(queue, inner_rows(rows, begin, end)) {
  std::vector<Real> values;
  for (std::vector<double> const* all : {&rows.ground, &rows.weight}) {
    for (std::int64_t p = begin; p < end; ++p) {
      auto const n = static_cast<std::size_t>(p);
      double const first = p == 0 ? rows.first_factor : 1.0;
      double const factor = n + 1 == all->size() ? first * rows.last_factor : first;
      values.push_back(static_cast<Real>((*all)[n] / factor));
    }
  }
  excess_ = Buffer(queue, Space::device, values.size() * sizeof(Real));
  copy_bytes(queue, excess_.data(), values.data(), excess_.bytes());
  queue.wait();  // the host's values end here
}

template <class Real>
LocalBox LinePart<Real>::inner(LocalBox box, int axis) const {
  require(box.extent()[axis] == count_, "lines of another number of points than their part");
  if (links_.before > Real{0}) ++box.lower[axis];
  return box;
}

template <class Real>
void LinePart<Real>::write_grounds(Queue& queue, FieldView<Real> scratch, FieldView<Real> planes,
                                   LocalBox box, int axis, Spectrum<Real> const& spectrum) const {
  auto const* const ground = excess_.as<Real const>();
  write_excess(queue, scratch, box, axis, ground, ground + count_, spectrum);
  solve_.solve_ends(queue, scratch, scratch, inner(box, axis), axis, spectrum);
  write_planes<Real>(queue, scratch, scratch, planes, box, axis, links_);
}

template <class Real>
void LinePart<Real>::write_links(Queue& queue, FieldView<Real> scratch, FieldView<Real> planes,
                                 LocalBox box, int axis, Spectrum<Real> const& spectrum) const {
  write_at_end(queue, scratch, box, axis, links_.after);
  solve_.solve_ends(queue, scratch, scratch, inner(box, axis), axis, spectrum);
  write_planes<Real>(queue, scratch, scratch, planes, box, axis, links_);
}

template <class Real>
void LinePart<Real>::reduce(Queue& queue, FieldView<Real const> sources, FieldView<Real> scratch,
                            FieldView<Real> planes, LocalBox box, int axis,
                            Spectrum<Real> const& spectrum) const {
  solve_.solve_ends(queue, sources, scratch, inner(box, axis), axis, spectrum);
  write_planes<Real>(queue, sources, scratch, planes, box, axis, links_);
}

template <class Real>
void LinePart<Real>::substitute(Queue& queue, FieldView<Real const> planes, FieldView<Real> field,
                                LocalBox box, int axis, Spectrum<Real> const& spectrum) const {
  add_flows(queue, planes, field, box, axis, links_);
  solve_.solve(queue, field, field, inner(box, axis), axis, spectrum);
}

template <class Real>
std::size_t LinePart<Real>::footprint(Backend backend, std::int64_t count) {
  std::size_t const values = product_of_bytes(2 * static_cast<std::size_t>(count), sizeof(Real));
  return sum_of_bytes(TridiagonalSolve<Real>::footprint(backend, count),
                      Buffer::footprint(backend, Space::device, values));
}

template class LinePart<float>;
template class LinePart<double>;

}  // namespace isotherm
