#pragma once

#include "solver/multigrid/aggregates/aggregation.hpp"

namespace isotherm {

/// The prolongation P from a coarser level of aggregates, and the coarser level's operator PᵀAP.
template <class Real>
struct Coarsened {
  SparseRows<Real> prolongation{};  ///< a row for each of this rank's fine nodes
  NodeOperator<Real> coarse{};
};

/// Computes the next coarser level by smoothed aggregation (P. Vaněk, J. Mandel and M. Brezina,
/// Computing 56, 1996). Collective.
///
///     P = (I − 4/3 D⁻¹ A) T
///
/// T is 1 between a node and its aggregate. D is the sum of the absolute values of a row, so the
/// eigenvalues of D⁻¹A are at most 1. Entries of P below 0.05 times the largest of their row are
/// left out, and the others scaled (as V. E. Henson and U. M. Yang, Appl. Numer. Math. 41, 2002):
/// otherwise coarse operators of random media have several times the entries. The columns of the
/// coarser level include all that rows of P and of its own operator refer to.
/// @param diagonal  of A, ghosts included
template <class Real>
Coarsened<Real> coarsen(NodeOperator<Real> const& a, std::vector<double> const& diagonal,
                        Aggregates const& aggregates);

/// Returns the operator with the rows of all ranks, which every rank then holds alone. Collective.
template <class Real>
NodeOperator<Real> gathered(NodeOperator<Real> const& a);

}  // namespace isotherm
