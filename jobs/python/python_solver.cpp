#include "jobs/python/python_solver.hpp"

#include "jobs/python/lifetime.hpp"

namespace nb = nanobind;

namespace isotherm {

PythonSolver::PythonSolver(Case const& chosen, Functions const& functions,
                           std::optional<std::uintptr_t> communicator_address) {
  MPI_Comm const parent = communicator(communicator_address);
  GivenFunctions given;
  for (auto const& [key, function] : functions) {
    given.emplace(key, given_by(function.first, function.second, fault_));
  }
  at_work([&] {
    if (mpi::Communicator(parent).size() == mpi::number_of_ranks()) {
      static std::int64_t last = 0;
      number_ = ++last;
      lost_solvers().bury();
    }
    solver_ = std::make_unique<LiveSolver>(parent, chosen, given);
  });
}

/// Other ranks may still have theirs, and MPI may have ended.
PythonSolver::~PythonSolver() {
  if (!solver_) return;
  if (!mpi::is_running()) {
    (void)solver_.release();
  } else if (solver_->ranks().size() > 1) {
    lost_solvers().add(number_, std::move(solver_));
  }
}

void PythonSolver::advance_to(std::int64_t iteration) {
  require(!fault_->has_failed(),
          "a function that gives the solver values has failed while it was at work: make a new "
          "Solver");
  bool const done =
      at_work([&] { return solver_->advance_to(iteration, [this] { return heard_signal(); }); });
  if (!done && !PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);  // another rank's
  if (PyErr_Occurred()) throw nb::python_error();
}

bool PythonSolver::heard_signal() const {
  nb::gil_scoped_acquire const python;
  return fault_->take_interrupt() || PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
}

}  // namespace isotherm
