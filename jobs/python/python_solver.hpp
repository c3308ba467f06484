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

#include "jobs/case/case.hpp"
#include "jobs/live/live_solver.hpp"
#include "jobs/python/functions.hpp"
#include "jobs/python/lifetime.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

using Functions = std::map<std::string, std::pair<nanobind::callable, bool>>;

/// What Python holds of a LiveSolver, with what its functions have thrown.
class PythonSolver {
 public:
  /// Does `work`, alone, while other threads may run Python, and throws what functions of Python's
  /// threw.
  template <class Work>
  auto at_work(Work const& work) const {
    require_mpi();
    require_rest();
    MpiTurn const turn;
    turn.check();
    busy_ = true;
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

  PythonSolver(Case const& chosen, Functions const& functions,
               std::optional<std::uintptr_t> parent);
  PythonSolver(PythonSolver const&) = delete;
  PythonSolver& operator=(PythonSolver const&) = delete;
  ~PythonSolver() = default;

  /// For work, and for what never changes. @throws InputError  where it was closed
  [[nodiscard]] LiveSolver* operator->() const;
  /// For what changes with work: its holder keeps Python's lock, so that none begins meanwhile.
  /// @throws InputError  where it was closed. @throws Error  while it is at work
  [[nodiscard]] LiveSolver& at_rest() const;
  /// How far it is: while it works, as of the last time it looked at signals. Any thread may ask.
  [[nodiscard]] std::int64_t iteration() const;
  [[nodiscard]] double time_s() const;
  /// For arrays of its memory, which stays as long as they have this.
  [[nodiscard]] std::shared_ptr<LiveSolver> share() const { return solver_; }

  /// Gives its memory back: at once where no rank has arrays of it, else when ranks that have lost
  /// the last one make or close another solver. Collective over its ranks.
  void close();
  /// Closes it on this rank alone; its memory is given back when its ranks meet again, as above.
  void abandon();
  [[nodiscard]] bool is_closed() const { return !solver_; }

  /// @throws nanobind::python_error  where a signal's handler, on any rank, asks for an end
  void advance_to(std::int64_t iteration);

 private:
  void publish() const;
  /// Whether a signal's handler, Python's, asks for an end.
  [[nodiscard]] bool heard_signal() const;
  void require_rest() const;
  /// @throws Error  on every rank, where a function of any of them has failed. Collective
  void require_sound() const;
  std::shared_ptr<LiveSolver> take();

  std::shared_ptr<PythonFault> fault_ = std::make_shared<PythonFault>();
  mutable std::atomic<bool> busy_{false};
  mutable std::atomic<std::int64_t> iteration_{0};
  mutable std::atomic<double> time_s_{0.0};
  std::shared_ptr<LiveSolver> solver_;
};

}  // namespace isotherm
