#pragma once

#include "kernels/updates/conducting_rules.hpp"

namespace isotherm::cuda {

/// The rules of neighbours along x, where all are the same.
template <class Rule>
struct SameRules {
  Rule const& rule;
  __device__ __forceinline__ Rule const& operator[](int /*n*/) const { return rule; }
};
template <class Rule>
SameRules(Rule const&) -> SameRules<Rule>;

/// And where they differ.
template <class Update, class Points>
struct DifferentRules {
  Update update;
  Points points;
  __device__ __forceinline__ auto operator[](int n) const {
    auto const point = points[n];
    return StencilRule<Update, std::remove_const_t<decltype(point)>>{update, point};
  }
};

/// The rules of `count` points from (i, j, k) on along x, where i is a multiple of count and at
/// least one of the points is swept.
template <int count, class Update, class Operator>
__device__ __forceinline__ auto rules_at(StencilRule<Update, Operator> const& rule, std::int64_t i,
                                         std::int64_t j, std::int64_t k) {
  if constexpr (differs_between_points<StencilRule<Update, Operator>>) {
    auto const points =
        static_cast<Operator const&>(rule).Operator::row(j, k).template points<count>(i);
    return DifferentRules<Update, std::remove_const_t<decltype(points)>>{rule, points};
  } else {
    return SameRules{rule};
  }
}

}  // namespace isotherm::cuda
