#include "decomposition/field/point_mask.hpp"

#include "decomposition/field/staging/host_staging.hpp"

namespace isotherm {

PointMask::PointMask(GlobalBox const& box, PointSet const& set) {
  if (!set || box.empty()) return;
  flags_.resize(static_cast<std::size_t>(box.point_count()));
  LocalBox const local{{}, box.extent()};
  Extent3 const n = box.extent();
  for_each_row(local, [&](std::int64_t j, std::int64_t k) {
    auto* flag = flags_.data() + n.x * (j + n.y * k);
    for (std::int64_t i = 0; i < n.x; ++i) *flag++ = set(box.lower + Index3{i, j, k}) ? 1 : 0;
  });
}

}  // namespace isotherm
