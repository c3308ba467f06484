#include "kernels/multigrid/packed/packed_operator.hpp"

#include <cmath>

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"

namespace isotherm {

namespace {

/// Packs the operator at four points.
struct PackGroup {
  Conductances<float, 3> from;
  PackedOperator<PackedGroup> packed;

  ISOTHERM_INLINE void operator()(std::int64_t group, std::int64_t j, std::int64_t k) const {
    PackedGroup x_and_y{}, z_and_reaction{};
    LocalBox const& box = from.x.box;
    for (int n = 0; n < PackedGroup::points; ++n) {
      std::int64_t const i = PackedGroup::points * group + n;
      if (i < box.lower.x || i >= box.upper.x) continue;
      bool const is_fixed = std::signbit(from.x(i, j, k));
      x_and_y.first[n] = to_bfloat16(std::abs(from.x(i, j, k)));
      x_and_y.second[n] = to_bfloat16(from.y(i, j, k));
      z_and_reaction.first[n] = to_bfloat16(from.z(i, j, k));
      z_and_reaction.second[n] = to_bfloat16(is_fixed ? -0.0F : from.reaction(i, j, k));
    }
    packed.x_and_y(group, j, k) = x_and_y;
    packed.z_and_reaction(group, j, k) = z_and_reaction;
  }
};

}  // namespace

void pack_operator(Queue& queue, Conductances<float, 3> const& conductances,
                   PackedOperator<PackedGroup> const& packed) {
  LocalBox const& from = conductances.x.box;
  LocalBox const& to = packed.x_and_y.box;
  require(bool(conductances.reaction), "a packed operator needs a reaction term");
  require(from.lower.y == to.lower.y && from.upper.y == to.upper.y && from.lower.z == to.lower.z &&
              from.upper.z == to.upper.z,
          "a packed operator covers other points than its conductances");
  for_each_point_in_columns(queue, to, PackGroup{conductances, packed});
}

}  // namespace isotherm
