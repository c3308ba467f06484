#include "kernels/multigrid/value_range.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"

namespace isotherm {

namespace {

/// Extends a range to include the value of a point, if the point takes part.
template <class Real>
struct AddToRange {
  FieldView<Real const> field;
  Links<Real> links;

  ISOTHERM_INLINE void operator()(ValueRange& range, std::int64_t i, std::int64_t j,
                                  std::int64_t k) const {
    if (links.takes_part(i, j, k)) range.add(static_cast<double>(field(i, j, k)));
  }
};

}  // namespace

template <class Real>
ValueRange RangeMeter::measure(Queue& queue, FieldView<Real const> field, LocalBox box,
                               Links<Real> const& links) {
  require(field.box.contains(box), "a range of values reaches past its field");
  return reduce_points(queue, box, partial_, AddToRange<Real>{field, links});
}

template ValueRange RangeMeter::measure(Queue&, FieldView<float const>, LocalBox,
                                        Links<float> const&);
template ValueRange RangeMeter::measure(Queue&, FieldView<double const>, LocalBox,
                                        Links<double> const&);

}  // namespace isotherm
