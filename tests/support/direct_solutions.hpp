#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/shapes.hpp"

// Direct solutions, and their comparison with those of multigrid.

namespace isotherm::test {

inline MethodSettings direct(double tolerance = 1e-10) {
  MethodSettings method = cycles(tolerance);
  method.name = "direct";
  method.iterations = 20;
  return method;
}

/// Returns the largest difference between the fields of two solvers on any rank.
inline double difference(Solver& one, Solver& other) {
  std::vector<double> const a = field_of<double>(one);
  std::vector<double> const b = field_of<double>(other);
  double largest = 0.0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    double const d = std::abs(a[n] - b[n]);
    if (!(d <= largest)) largest = d;
  }
  return mpi::Communicator(MPI_COMM_WORLD).max(largest);
}

/// Returns the largest difference between a field in float32 and one in float64 on this rank.
inline double rounding_between(Solver& in_float32, Solver& in_float64) {
  std::vector<float> const a = field_of<float>(in_float32);
  std::vector<double> const b = field_of<double>(in_float64);
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

inline void expect_agreement(Problem const& problem, std::string const& what) {
  auto const direct_solver = solved(problem, direct());
  auto const multigrid = solved(problem, cycles(1e-11));
  EXPECT_TRUE(direct_solver->converged()) << what;
  EXPECT_TRUE(multigrid->converged()) << what;
  EXPECT_LT(difference(*direct_solver, *multigrid), 1e-8) << what;
}

/// Takes three implicit steps of both kinds, directly and by cycles, and compares the fields.
inline void expect_same_steps(Problem const& problem, std::string const& what) {
  for (char const* const name : {"backward_euler", "crank_nicolson"}) {
    MethodSettings method;
    method.name = name;
    method.iterations = 3;
    method.time_step_s = 0.02;
    method.check_every = 1;
    method.step_tolerance = 1e-12;
    auto const by_cycles = solved(problem, method);
    method.direct_steps = true;
    auto const directly = solved(problem, method);
    EXPECT_EQ(directly->iteration(), 3) << name << ' ' << what;
    EXPECT_LT(difference(*directly, *by_cycles), 1e-10) << name << ' ' << what;
  }
}

}  // namespace isotherm::test
