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
    require(!busy_.exchange(true),
            "the solver is at work, in another thread or in the function that calls it now");
    struct Done {
      std::atomic<bool>& busy;
      ~Done() { busy = false; }
    } const done{busy_};
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
               std::optional<std::uintptr_t> communicator_address);
  PythonSolver(PythonSolver const&) = delete;
  PythonSolver& operator=(PythonSolver const&) = delete;
  ~PythonSolver();

  [[nodiscard]] LiveSolver& operator*() const { return *solver_; }
  [[nodiscard]] LiveSolver* operator->() const { return solver_.get(); }

  /// @throws nanobind::python_error  where a signal's handler, on any rank, asks for an end
  void advance_to(std::int64_t iteration);

 private:
  /// Whether a signal's handler, Python's, asks for an end.
  [[nodiscard]] bool heard_signal() const;

  std::int64_t number_ = 0;  ///< the same on all ranks, from 1, of one that all of them make
  std::shared_ptr<PythonFault> fault_ = std::make_shared<PythonFault>();
  mutable std::atomic<bool> busy_{false};
  std::unique_ptr<LiveSolver> solver_;
};

}  // namespace isotherm
