#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "case/case.hpp"
#include "kernels/core/error.hpp"
#include "python/functions.hpp"
#include "python/in_memory/live_solver.hpp"
#include "python/lifetime.hpp"

namespace isotherm {

/// Python functions by the key of the case that they replace, each with a flag: true if it varies
/// in time.
using Functions = std::map<std::string, std::pair<nanobind::callable, bool>>;

/// The Python class Solver: a LiveSolver, and the exceptions of its Python functions.
///
/// Several Python threads may refer to it. While one of them works with it, work by another one
/// throws Error. The others can still read iteration(), time_s(), and properties that never change.
class PythonSolver {
 public:
  /// Executes `work` exclusively and without the GIL, so other Python threads can run. Afterwards
  /// throws what Python functions raised meanwhile.
  ///
  ///   solver.at_work([&] { solver->solver().wait(); });
  /// @return         the result of `work`
  /// @throws Error   if the solver is at work already, or this thread may not call MPI
  template <class Work>
  auto at_work(Work const& work) const {
    require_mpi();
    require_rest();
    MpiTurn const turn;
    turn.check();
    busy_ = true;
    // Published and released on every path, also if an exception is thrown.
    struct Done {
      PythonSolver const& solver;
      ~Done() {
        solver.publish();
        solver.busy_ = false;
      }
    } const done{*this};
    try {
      if constexpr (std::is_void_v<decltype(work())>) {
        {
          nanobind::gil_scoped_release const others;
          work();
        }
        fault_->rethrow();
      } else {
        auto result = [&] {
          nanobind::gil_scoped_release const others;
          return work();
        }();
        fault_->rethrow();
        return result;
      }
    } catch (nanobind::python_error const&) {
      throw;
    } catch (std::exception const&) {
      fault_->rethrow();
      throw;
    }
  }

  /// Creates the solver. Collective.
  /// @param parent  address of an mpi4py communicator's handle; none for all ranks
  PythonSolver(Case const& chosen, Functions const& functions,
               std::optional<std::uintptr_t> parent);
  PythonSolver(PythonSolver const&) = delete;
  PythonSolver& operator=(PythonSolver const&) = delete;
  ~PythonSolver() = default;

  /// For use within at_work(), and for properties that never change.
  /// @throws InputError  if it was closed
  [[nodiscard]] LiveSolver* operator->() const;
  /// For properties that work changes. The caller holds the GIL, so no work begins meanwhile.
  /// @throws InputError  if it was closed
  /// @throws Error       while it is at work
  [[nodiscard]] LiveSolver& idle_solver() const;
  /// Returns the present iteration. While the solver works, the value of its last check for
  /// signals. Thread-safe.
  [[nodiscard]] std::int64_t iteration() const;
  /// Returns the present time, like iteration().
  [[nodiscard]] double time_s() const;
  /// Returns a share of the solver, for arrays that refer to its memory.
  [[nodiscard]] std::shared_ptr<LiveSolver> share() const { return solver_; }

  /// Frees the solver's memory. If a rank still has arrays of it, the memory is freed later. That
  /// happens when all ranks have lost their arrays and then create or close another solver.
  /// Collective over the solver's ranks.
  void close();
  /// Closes the solver on this rank only. Its memory is freed when the ranks meet again, as in
  /// close().
  void abandon();
  [[nodiscard]] bool is_closed() const { return !solver_; }

  /// Advances the solver to an iteration, or until it ends. Collective.
  /// @throws nanobind::python_error  if a signal handler on any rank asks to stop
  void advance_to(std::int64_t iteration);

 private:
  /// Stores iteration and time for other threads.
  void publish() const;
  /// Returns true if a Python signal handler asks to stop.
  [[nodiscard]] bool heard_signal() const;
  /// @throws Error  if the solver is at work
  void require_rest() const;
  /// Collective.
  /// @throws Error  on every rank, if a Python function failed on some rank
  void require_sound() const;
  /// Removes the solver from this object.
  std::shared_ptr<LiveSolver> take();

  std::shared_ptr<PythonFault> fault_ = std::make_shared<PythonFault>();
  mutable std::atomic<bool> busy_{false};  ///< at_work() is being executed
  mutable std::atomic<std::int64_t> iteration_{0};
  mutable std::atomic<double> time_s_{0.0};
  std::shared_ptr<LiveSolver> solver_;  ///< null if closed
};

}  // namespace isotherm
