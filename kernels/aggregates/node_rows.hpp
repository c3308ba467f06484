#pragma once

#include <cstdint>

#include "kernels/core/host_device.hpp"
#include "kernels/core/queue/queue.hpp"

// Operations on the nodes of a level of aggregates: products with sparse matrices, and sweeps. All
// arrays are in the memory of the queue's backend. Each row is one sum in the order of storage, so
// both backends compute the same bits.

namespace isotherm {

/// A sparse matrix in compressed rows (CSR): row i has the entries first[i] … first[i + 1] − 1.
template <class Real>
struct RowsView {
  std::int64_t count = 0;  ///< rows
  std::int64_t const* first = nullptr;
  std::int32_t const* column = nullptr;
  Real const* value = nullptr;

  /// Returns Σ_k value_ik from_k.
  [[nodiscard]] ISOTHERM_INLINE Real product(std::int64_t row, Real const* from) const {
    Real sum{0};
    for (std::int64_t n = first[row]; n < first[row + 1]; ++n) sum += value[n] * from[column[n]];
    return sum;
  }
};

/// The rows of a symmetric operator A, as sums of rows and links:
///
///     (A e)_p = hold_p e_p + Σ_q a_pq (e_q − e_p)
template <class Real>
struct OperatorRows {
  RowsView<Real> links;
  Real const* hold = nullptr;
  Real const* inverse = nullptr;  ///< of the diagonal; zero if a node has no correction

  /// Returns (A e)_p.
  [[nodiscard]] ISOTHERM_INLINE Real product(std::int64_t p, Real const* e) const {
    Real const here = e[p];
    Real sum = hold[p] * here;
    for (std::int64_t n = links.first[p]; n < links.first[p + 1]; ++n) {
      sum += links.value[n] * (e[links.column[n]] - here);
    }
    return sum;
  }
};

/// Enqueues to_i = Σ_k m_ik from_k for all rows of a matrix.
template <class Real>
void multiply_rows(Queue& queue, RowsView<Real> const& matrix, Real const* from, Real* to);
/// Enqueues to_i += Σ_k m_ik from_k.
template <class Real>
void add_rows_product(Queue& queue, RowsView<Real> const& matrix, Real const* from, Real* to);

/// Enqueues to = r − A e. @pre  `to` is neither r nor e.
template <class Real>
void find_node_residual(Queue& queue, OperatorRows<Real> const& a, Real const* r, Real const* e,
                        Real* to);
/// Enqueues to = e + step D⁻¹ (r − A e), a weighted Jacobi sweep. @pre  as find_node_residual()
template <class Real>
void sweep_nodes(Queue& queue, OperatorRows<Real> const& a, Real step, Real const* r, Real const* e,
                 Real* to);
/// Enqueues the same with e = 0: to = step D⁻¹ r.
template <class Real>
void sweep_nodes_from_zero(Queue& queue, OperatorRows<Real> const& a, Real step, Real const* r,
                           Real* to);

/// Enqueues to_n = from_row[n] for the `count` numbers of a list.
template <class Real>
void choose_values(Queue& queue, std::int32_t const* row, std::int64_t count, Real const* from,
                   Real* to);
/// Enqueues to_row[n] += from_n for the `count` numbers of a list. @pre  No number occurs twice.
template <class Real>
void add_values(Queue& queue, std::int32_t const* row, std::int64_t count, Real const* from,
                Real* to);

}  // namespace isotherm
