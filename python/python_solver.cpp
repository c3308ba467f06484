#include "python/python_solver.hpp"

#include "python/lifetime.hpp"

namespace nb = nanobind;

namespace isotherm {

PythonSolver::PythonSolver(Case const& chosen, Functions const& functions,
                           std::optional<std::uintptr_t> parent) {
  GivenFunctions given;
  for (auto const& [key, function] : functions) {
    // All functions share one PythonFault, so the first exception of any of them is reported.
    given.emplace(key, given_by(function.first, function.second, fault_));
  }
  start_mpi();
  at_work([&] {
    mpi::Communicator ranks = communicator(parent);
    // Frees the memory of lost solvers before this one allocates its own.
    lost_solvers().destroy_lost_on_all_ranks(ranks);
    solver_ = until_lost(std::make_unique<LiveSolver>(std::move(ranks), chosen, given));
  });
}

LiveSolver* PythonSolver::operator->() const {
  if (is_closed()) throw InputError("the solver was closed: create a new Solver");
  return solver_.get();
}

LiveSolver& PythonSolver::idle_solver() const {
  LiveSolver& solver = *operator->();
  require_rest();
  return solver;
}

std::int64_t PythonSolver::iteration() const {
  (void)operator->();  // throws if the solver is closed
  return iteration_;
}

double PythonSolver::time_s() const {
  (void)operator->();
  return time_s_;
}

/// Called by the thread that works.
void PythonSolver::publish() const {
  if (is_closed()) return;
  iteration_ = solver_->solver().iteration();
  time_s_ = solver_->solver().time_s();
}

void PythonSolver::close() {
  if (is_closed()) return;
  if (mpi::has_ended()) return abandon();  // at the end of a program that has ended MPI already
  MpiTurn const turn;
  turn.check();  // if it throws, the solver remains open
  // From here on the solver is closed, whatever happens.
  std::shared_ptr<LiveSolver> last = take();
  at_work([&] {
    // A duplicate, since the solver's own communicator is destroyed with it.
    mpi::Communicator const ranks(last->ranks().get());
    last.reset();
    lost_solvers().destroy_lost_on_all_ranks(ranks);
  });
}

void PythonSolver::abandon() { (void)take(); }

/// Other threads that hold the GIL see either the solver or none.
std::shared_ptr<LiveSolver> PythonSolver::take() {
  require_rest();
  return std::exchange(solver_, nullptr);
}

void PythonSolver::require_rest() const {
  require(!busy_, "the solver is busy: another thread uses it, or it is calling this function");
}

/// A failure on one rank stops all, since the others would wait for it.
void PythonSolver::require_sound() const {
  require(!(*this)->ranks().any(fault_->has_failed()),
          "the solver cannot continue: a function that supplies its values raised an exception, so "
          "its field may be incomplete; create a new Solver");
}

void PythonSolver::advance_to(std::int64_t iteration) {
  // Signals are checked between chunks; LiveSolver agrees on them among the ranks.
  bool const done = at_work([&] {
    require_sound();
    return (*this)->advance_to(iteration, [this] { return heard_signal(); });
  });
  // A signal of another rank.
  if (!done && !PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
  if (PyErr_Occurred()) throw nb::python_error();
}

bool PythonSolver::heard_signal() const {
  publish();
  // Signal handlers of Python run only in its main thread, with the GIL.
  nb::gil_scoped_acquire const python;
  return fault_->take_interrupt() || PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
}

}  // namespace isotherm
