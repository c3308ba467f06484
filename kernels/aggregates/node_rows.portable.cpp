#include "kernels/aggregates/node_rows.hpp"

#include <algorithm>

#include "kernels/core/for_each_point.hpp"

namespace isotherm {

namespace {

/// Calls operation(p) for the node (p, 0, 0) of a box.
template <class Operation>
struct AtNode {
  Operation operation;

  ISOTHERM_INLINE void operator()(std::int64_t p, std::int64_t /*j*/, std::int64_t /*k*/) const {
    operation(p);
  }
};

/// Calls operation(p) for the nodes 0 … count − 1, distributed among all threads. The rows of a box
/// have too many points for cpu::for_each_point(), which gives each row to one thread.
template <class Operation>
void on_threads(std::int64_t count, Operation const& operation) {
  constexpr std::int64_t nodes_of_part = 2048;
  std::int64_t const parts = (count + nodes_of_part - 1) / nodes_of_part;
#pragma omp parallel for schedule(static) if (parts > 1)
  for (std::int64_t part = 0; part < parts; ++part) {
    // The copy is local, so stores cannot alias its members, and they stay in registers.
    Operation const of_part = operation;
    std::int64_t const end = std::min(count, (part + 1) * nodes_of_part);
    for (std::int64_t p = part * nodes_of_part; p < end; ++p) of_part(p);
  }
}

/// Enqueues operation(p) for the nodes 0 … count − 1.
template <class Operation>
void for_each_node(Queue& queue, std::int64_t count, Operation const& operation) {
  if (count == 0) return;
  dispatch(
      queue, [&] { on_threads(count, operation); },
      [&](auto) {
        cuda::run_at_points(queue, LocalBox{{0, 0, 0}, {count, 1, 1}},
                            AtNode<Operation>{operation});
      });
}

template <class Real>
struct Multiply {
  RowsView<Real> matrix;
  Real const* from;
  Real* to;

  ISOTHERM_INLINE void operator()(std::int64_t i) const { to[i] = matrix.product(i, from); }
};

template <class Real>
struct AddProduct {
  RowsView<Real> matrix;
  Real const* from;
  Real* to;

  ISOTHERM_INLINE void operator()(std::int64_t i) const { to[i] += matrix.product(i, from); }
};

template <class Real>
struct FindResidual {
  OperatorRows<Real> a;
  Real const* r;
  Real const* e;
  Real* to;

  ISOTHERM_INLINE void operator()(std::int64_t p) const { to[p] = r[p] - a.product(p, e); }
};

template <class Real>
struct Sweep {
  OperatorRows<Real> a;
  Real step;
  Real const* r;
  Real const* e;
  Real* to;

  ISOTHERM_INLINE void operator()(std::int64_t p) const {
    to[p] = e[p] + step * a.inverse[p] * (r[p] - a.product(p, e));
  }
};

template <class Real>
struct SweepFromZero {
  Real const* inverse;
  Real step;
  Real const* r;
  Real* to;

  ISOTHERM_INLINE void operator()(std::int64_t p) const { to[p] = step * inverse[p] * r[p]; }
};

template <class Real>
struct ChooseValue {
  std::int32_t const* row;
  Real const* from;
  Real* to;

  ISOTHERM_INLINE void operator()(std::int64_t n) const { to[n] = from[row[n]]; }
};

template <class Real>
struct AddValue {
  std::int32_t const* row;
  Real const* from;
  Real* to;

  ISOTHERM_INLINE void operator()(std::int64_t n) const { to[row[n]] += from[n]; }
};

}  // namespace

template <class Real>
void multiply_rows(Queue& queue, RowsView<Real> const& matrix, Real const* from, Real* to) {
  for_each_node(queue, matrix.count, Multiply<Real>{matrix, from, to});
}

template <class Real>
void add_rows_product(Queue& queue, RowsView<Real> const& matrix, Real const* from, Real* to) {
  for_each_node(queue, matrix.count, AddProduct<Real>{matrix, from, to});
}

template <class Real>
void find_node_residual(Queue& queue, OperatorRows<Real> const& a, Real const* r, Real const* e,
                        Real* to) {
  for_each_node(queue, a.links.count, FindResidual<Real>{a, r, e, to});
}

template <class Real>
void sweep_nodes(Queue& queue, OperatorRows<Real> const& a, Real step, Real const* r, Real const* e,
                 Real* to) {
  for_each_node(queue, a.links.count, Sweep<Real>{a, step, r, e, to});
}

template <class Real>
void sweep_nodes_from_zero(Queue& queue, OperatorRows<Real> const& a, Real step, Real const* r,
                           Real* to) {
  for_each_node(queue, a.links.count, SweepFromZero<Real>{a.inverse, step, r, to});
}

template <class Real>
void choose_values(Queue& queue, std::int32_t const* row, std::int64_t count, Real const* from,
                   Real* to) {
  for_each_node(queue, count, ChooseValue<Real>{row, from, to});
}

template <class Real>
void add_values(Queue& queue, std::int32_t const* row, std::int64_t count, Real const* from,
                Real* to) {
  for_each_node(queue, count, AddValue<Real>{row, from, to});
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define ISOTHERM_INSTANTIATE(Real)                                                              \
  template void multiply_rows(Queue&, RowsView<Real> const&, Real const*, Real*);               \
  template void add_rows_product(Queue&, RowsView<Real> const&, Real const*, Real*);            \
  template void find_node_residual(Queue&, OperatorRows<Real> const&, Real const*, Real const*, \
                                   Real*);                                                      \
  template void sweep_nodes(Queue&, OperatorRows<Real> const&, Real, Real const*, Real const*,  \
                            Real*);                                                             \
  template void sweep_nodes_from_zero(Queue&, OperatorRows<Real> const&, Real, Real const*,     \
                                      Real*);                                                   \
  template void choose_values(Queue&, std::int32_t const*, std::int64_t, Real const*, Real*);   \
  template void add_values(Queue&, std::int32_t const*, std::int64_t, Real const*, Real*);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace isotherm
