#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// The matrix C of the floating conductors' equations Σ_j C_ij U_j = Q_i − F_i.
///
/// C_ij is the heat flow (or charge) from conductor i into the medium if conductor j has the value
/// 1, and all other given values, sources and fluxes are 0. It is symmetric, and positive definite
/// if given values determine the conductors' (J. C. Maxwell's coefficients of capacitance and
/// induction, A Treatise on Electricity and Magnetism, 1873, art. 87). F_i is the flow if all
/// conductors have the value 0.
class CapacitanceMatrix {
 public:
  /// Solves a steady problem by multigrid for each conductor, in float64. Collective.
  /// @param problem  with floating conductors
  /// @param where  device and decomposition
  /// @param accuracy  tolerance of the solutions, relative to their range
  CapacitanceMatrix(mpi::Communicator const& ranks, Problem const& problem, Execution const& where,
                    double accuracy);
  /// Makes a matrix of n² entries, row by row. Half of the difference to its transpose is
  /// subtracted: errors of solutions make it unsymmetric.
  explicit CapacitanceMatrix(std::vector<double> entries);

  /// Returns U = C⁻¹ Q. The same bits on every rank.
  /// @throws Error  if the matrix is not positive definite
  [[nodiscard]] std::vector<double> solve(std::span<double const> fluxes) const;
  /// Returns an entry. @param i, j  numbers of floating conductors, from 0
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return entries_[i * size_ + j]; }

 private:
  std::size_t size_;
  std::vector<double> entries_;  ///< row by row
};

/// Returns settings of multigrid cycles to a tolerance.
MethodSettings cycles_to(double tolerance, Norm norm);

/// Returns an upper bound on the bytes that those solutions allocate in the memory of the rank's
/// queue, see solver_bytes().
std::size_t capacitance_bytes(Problem const& problem, SolverPlan const& plan);

}  // namespace isotherm
