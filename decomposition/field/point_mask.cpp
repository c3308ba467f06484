#include "decomposition/field/point_mask.hpp"

#include "decomposition/field/staging/host_staging.hpp"

namespace isotherm {

PointMask::PointMask(GlobalBox const& box, PointSet const& set, PointShare const& shares) {
  if (!set || box.empty()) return;
  flags_.resize(static_cast<std::size_t>(box.point_count()));
  if (shares) shares_.resize(flags_.size());
  LocalBox const local{{}, box.extent()};
  Extent3 const n = box.extent();
  for_each_row(local, [&](std::int64_t j, std::int64_t k) {
    auto at = static_cast<std::size_t>(n.x * (j + n.y * k));
    for (std::int64_t i = 0; i < n.x; ++i, ++at) {
      Index3 const point = box.lower + Index3{i, j, k};
      flags_[at] = set(point) ? 1 : 0;
      if (shares) shares_[at] = static_cast<float>(shares(point));
    }
  });
}

}  // namespace isotherm
