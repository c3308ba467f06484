#include "kernels/transforms/tridiagonal/separators.hpp"

#include "kernels/core/for_each_point.hpp"

namespace isotherm {

namespace {

/// The points of lines along an axis.
template <class T>
struct PointsOfLines {
  FieldView<T> field;
  int axis;

  /// Returns the point of the line through (i, j, k) with index p.
  ISOTHERM_INLINE T& operator()(std::int64_t i, std::int64_t j, std::int64_t k,
                                std::int64_t p) const {
    return field(axis == 0 ? p : i, axis == 1 ? p : j, axis == 2 ? p : k);
  }
};

/// Returns one point of each line.
LocalBox one_of_each(LocalBox lines, int axis) {
  lines.lower[axis] = 0;
  lines.upper[axis] = 1;
  return lines;
}

template <class Real>
struct WriteExcess {
  FieldView<Real> to;
  Index3 first;
  int axis;
  Real const* ground;
  Real const* weight;
  Spectrum<Real> spectrum;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    std::int64_t const p = axis == 0 ? i - first.x : axis == 1 ? j - first.y : k - first.z;
    Real const x = axis == 0 ? Real{0} : spectrum.x[i - first.x];
    Real const y = axis == 1 ? Real{0} : spectrum.y[j - first.y];
    Real const z = axis == 2 ? Real{0} : spectrum.z[k - first.z];
    Real const mu = x + y + z + spectrum.shift;
    to(i, j, k) = ground[p] + mu * weight[p];
  }
};

template <class Real>
struct WriteAtEnd {
  FieldView<Real> to;
  std::int64_t last;
  int axis;
  Real value;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    std::int64_t const p = axis == 0 ? i : axis == 1 ? j : k;
    to(i, j, k) = p == last ? value : Real{0};
  }
};

template <class Real>
struct WritePlanes {
  PointsOfLines<Real const> sources;
  PointsOfLines<Real const> inner;
  PointsOfLines<Real> planes;
  std::int64_t begin;  ///< of the part
  std::int64_t end;
  SeparatorLinks<Real> links;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    bool const has_separator = links.before > Real{0};
    planes(i, j, k, 0) = has_separator
                             ? sources(i, j, k, begin) + links.before * inner(i, j, k, begin + 1)
                             : Real{0};
    planes(i, j, k, 1) = links.after * inner(i, j, k, end - 1);
  }
};

template <class Real>
struct AddFlows {
  PointsOfLines<Real const> planes;
  PointsOfLines<Real> field;
  std::int64_t begin;
  std::int64_t end;
  SeparatorLinks<Real> links;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    if (links.before > Real{0}) {
      Real const own = planes(i, j, k, 0);
      field(i, j, k, begin) = own;
      field(i, j, k, begin + 1) += links.before * own;
    }
    field(i, j, k, end - 1) += links.after * planes(i, j, k, 1);
  }
};

/// Index 2 r becomes the conductance to the next separator, 2 r + 1 the inverse of the pivot.
template <class Real>
struct EliminateChain {
  PointsOfLines<Real> chain;
  PointsOfLines<Real const> links;
  std::int64_t parts;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Real from_before = chain(i, j, k, 1);
    for (std::int64_t r = 1; r < parts; ++r) {
      Real const ground = chain(i, j, k, 2 * r) + from_before;
      Real const link = r + 1 < parts ? links(i, j, k, 2 * r) : Real{0};
      Real const inverse = Real{1} / (ground + link);
      from_before = chain(i, j, k, 2 * r + 1) + link * inverse * ground;
      chain(i, j, k, 2 * r) = link;
      chain(i, j, k, 2 * r + 1) = inverse;
    }
  }
};

template <class Real>
struct SolveChain {
  PointsOfLines<Real const> chain;
  PointsOfLines<Real> planes;
  std::int64_t parts;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Real from_before = planes(i, j, k, 1);
    for (std::int64_t r = 1; r < parts; ++r) {
      Real const source = planes(i, j, k, 2 * r) + from_before;
      Real const share = chain(i, j, k, 2 * r) * chain(i, j, k, 2 * r + 1);
      from_before = planes(i, j, k, 2 * r + 1) + share * source;
      planes(i, j, k, 2 * r) = source;
    }
    Real value = 0;
    for (std::int64_t r = parts - 1; r > 0; --r) {
      planes(i, j, k, 2 * r + 1) = value;
      Real const source = planes(i, j, k, 2 * r) + chain(i, j, k, 2 * r) * value;
      value = source * chain(i, j, k, 2 * r + 1);
      planes(i, j, k, 2 * r) = value;
    }
    planes(i, j, k, 1) = value;
  }
};

}  // namespace

template <class Real>
void write_excess(Queue& queue, FieldView<Real> to, LocalBox box, int axis, Real const* ground,
                  Real const* weight, Spectrum<Real> const& spectrum) {
  for_each_point(queue, box, WriteExcess<Real>{to, box.lower, axis, ground, weight, spectrum});
}

template <class Real>
void write_at_end(Queue& queue, FieldView<Real> to, LocalBox box, int axis, Real value) {
  for_each_point(queue, box, WriteAtEnd<Real>{to, box.upper[axis] - 1, axis, value});
}

template <class Real>
void write_planes(Queue& queue, FieldView<Real const> sources, FieldView<Real const> inner,
                  FieldView<Real> planes, LocalBox box, int axis,
                  SeparatorLinks<Real> const& links) {
  for_each_point(
      queue, one_of_each(box, axis),
      WritePlanes<Real>{
          {sources, axis}, {inner, axis}, {planes, axis}, box.lower[axis], box.upper[axis], links});
}

template <class Real>
void add_flows(Queue& queue, FieldView<Real const> planes, FieldView<Real> field, LocalBox box,
               int axis, SeparatorLinks<Real> const& links) {
  for_each_point(
      queue, one_of_each(box, axis),
      AddFlows<Real>{{planes, axis}, {field, axis}, box.lower[axis], box.upper[axis], links});
}

template <class Real>
void eliminate_chain(Queue& queue, FieldView<Real> chain, FieldView<Real const> links,
                     LocalBox lines, int axis, std::int64_t parts) {
  for_each_point(queue, one_of_each(lines, axis),
                 EliminateChain<Real>{{chain, axis}, {links, axis}, parts});
}

template <class Real>
void solve_chain(Queue& queue, FieldView<Real const> chain, FieldView<Real> planes, LocalBox lines,
                 int axis, std::int64_t parts) {
  for_each_point(queue, one_of_each(lines, axis),
                 SolveChain<Real>{{chain, axis}, {planes, axis}, parts});
}

#define ISOTHERM_INSTANTIATE(Real)                                                             \
  template void write_excess(Queue&, FieldView<Real>, LocalBox, int, Real const*, Real const*, \
                             Spectrum<Real> const&);                                           \
  template void write_at_end(Queue&, FieldView<Real>, LocalBox, int, Real);                    \
  template void write_planes(Queue&, FieldView<Real const>, FieldView<Real const>,             \
                             FieldView<Real>, LocalBox, int, SeparatorLinks<Real> const&);     \
  template void add_flows(Queue&, FieldView<Real const>, FieldView<Real>, LocalBox, int,       \
                          SeparatorLinks<Real> const&);                                        \
  template void eliminate_chain(Queue&, FieldView<Real>, FieldView<Real const>, LocalBox, int, \
                                std::int64_t);                                                 \
  template void solve_chain(Queue&, FieldView<Real const>, FieldView<Real>, LocalBox, int,     \
                            std::int64_t);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
