#include "kernels/core/for_each_point.hpp"
#include "kernels/sweep/legendre_rate.hpp"

namespace isotherm {

namespace {

/// Returns the function that reads the neighbours of a point.
template <class Real>
struct ValuesAround {
  FieldView<Real const> u;
  std::int64_t i, j, k;

  ISOTHERM_INLINE Real operator()(int di, int dj, int dk) const {
    return u(i + di, j + dj, k + dk);
  }
};

/// Returns M(u) at a point, with the source if there is one.
template <class Operator, class Real>
ISOTHERM_INLINE Real rate_of_point(Operator const& op, ValuesAround<Real> const& at,
                                   FieldView<Real const> const& source) {
  auto const here = op.row(at.j, at.k).point(at.i);
  Real const rate = rate_at(here, at);
  return source ? rate + rate_of_source(here, source(at.i, at.j, at.k)) : rate;
}

/// The first stage at a point.
template <class Operator>
struct TakeFirstStage {
  using Real = typename Operator::Real;
  Operator op;
  Real factor;
  FirstStage<Real> stage;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    LocalBox const& free = stage.free;
    bool const changes = i >= free.lower.x && i < free.upper.x && j >= free.lower.y &&
                         j < free.upper.y && k >= free.lower.z && k < free.upper.z;
    Real const u = stage.u(i, j, k);
    Real const rate =
        changes ? rate_of_point(op, ValuesAround<Real>{stage.u, i, j, k}, stage.source) : Real{0};
    stage.start(i, j, k) = u;
    stage.rate(i, j, k) = rate;
    stage.out(i, j, k) = multiply_add(factor, rate, u);
  }
};

/// A later stage at a point.
template <class Operator>
struct TakeLaterStage {
  using Real = typename Operator::Real;
  Operator op;
  LegendreFactors<Real> factors;
  LaterStage<Real> stage;

  ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Real& out = stage.out(i, j, k);
    out = after_stage(factors, stage.start(i, j, k), stage.latest(i, j, k), out,
                      rate_of_point(op, ValuesAround<Real>{stage.latest, i, j, k}, stage.source),
                      stage.rate(i, j, k));
  }
};

}  // namespace

template <class Operator, class Real>
void first_stage_by_points(Queue& queue, Operator const& op, Real factor,
                           FirstStage<Real> const& stage) {
  for_each_point_in_columns(queue, stage.region, TakeFirstStage<Operator>{op, factor, stage});
}

template <class Operator, class Real>
void later_stage_by_points(Queue& queue, Operator const& op, LegendreFactors<Real> const& factors,
                           LaterStage<Real> const& stage) {
  for_each_point_in_columns(queue, stage.box, TakeLaterStage<Operator>{op, factors, stage});
}

#define ISOTHERM_INSTANTIATE(...)                                                             \
  template void first_stage_by_points(Queue&, __VA_ARGS__ const&, typename __VA_ARGS__::Real, \
                                      FirstStage<typename __VA_ARGS__::Real> const&);         \
  template void later_stage_by_points(Queue&, __VA_ARGS__ const&,                             \
                                      LegendreFactors<typename __VA_ARGS__::Real> const&,     \
                                      LaterStage<typename __VA_ARGS__::Real> const&);
ISOTHERM_FOR_EACH_LEGENDRE_OPERATOR(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
