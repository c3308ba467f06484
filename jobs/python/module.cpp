// The module isotherm._core: what of isotherm Python calls. The classes that a person meets are
// written in Python, in isotherm/, and call these.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "io/files/library_messages.hpp"
#include "jobs/basics/build_info.hpp"
#include "jobs/basics/wording.hpp"
#include "jobs/case/read_case.hpp"
#include "jobs/live/live_solver.hpp"
#include "jobs/run/run.hpp"
#include "solver/methods.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace isotherm {
namespace {

using Sizes = std::vector<std::int64_t>;
using Dense = nb::ndarray<double const, nb::c_contig, nb::device::cpu>;

/// MPI, where Python has not started it before, until end_mpi().
std::optional<mpi::Session>& own_session() {
  static auto* const session = new std::optional<mpi::Session>;  // ends when it is told to
  return *session;
}

void require_mpi() { require(!mpi::has_ended(), "MPI has ended: nothing can be solved any more"); }

void start_mpi() {
  require_mpi();
  if (mpi::is_running()) return;
  static int no_arguments = 0;
  static char** none = nullptr;
  own_session().emplace(no_arguments, none);
}

void end_mpi() {
  if (mpi::is_running()) own_session().reset();
}

/// Of an mpi4py communicator, by the address of its handle; all ranks where none is given.
MPI_Comm communicator(std::optional<std::uintptr_t> address) {
  start_mpi();
  if (address) return *reinterpret_cast<MPI_Comm*>(*address);
  mpi::check_launcher(mpi::Communicator(MPI_COMM_WORLD));
  return MPI_COMM_WORLD;
}

/// Solvers of all ranks that Python no longer has. To end one is work that all its ranks do
/// together, and each of them may lose it at another time; so they end those that all have lost
/// when they make the next one.
class LostSolvers {
 public:
  /// @param number  the same on all ranks; 0 of a solver of some ranks, which stays
  void add(std::int64_t number, std::unique_ptr<LiveSolver> solver) {
    std::lock_guard const lock(mutex_);
    if (number == 0) return (void)solver.release();
    lost_.emplace(number, std::move(solver));
  }
  /// Collective over all ranks.
  void bury() {
    mpi::Communicator const all(MPI_COMM_WORLD);
    std::map<std::int64_t, std::unique_ptr<LiveSolver>> mine;
    {
      std::lock_guard const lock(mutex_);
      mine.swap(lost_);
    }
    std::int64_t const count = all.sum(static_cast<std::int64_t>(mine.size()));
    if (count == 0) return;
    std::map<std::int64_t, int> losers;
    for (std::string const& numbers : all.all_gather(text_of(mine))) {
      std::istringstream words(numbers);
      for (std::int64_t number = 0; words >> number;) ++losers[number];
    }
    for (auto const& [number, ranks] : losers) {
      if (ranks == all.size()) mine.erase(number);
    }
    for (auto& [number, solver] : mine) add(number, std::move(solver));
  }
  /// They are as they are when the process ends.
  void forget() {
    std::lock_guard const lock(mutex_);
    for (auto& [number, solver] : lost_) (void)solver.release();
    lost_.clear();
  }

 private:
  using Numbered = std::map<std::int64_t, std::unique_ptr<LiveSolver>>;

  static std::string text_of(Numbered const& solvers) {
    std::string text;
    for (auto const& [number, solver] : solvers) text += std::to_string(number) + ' ';
    return text;
  }

  std::mutex mutex_;
  Numbered lost_;
};

LostSolvers& lost_solvers() {
  static auto* const lost = new LostSolvers;
  return *lost;
}

// -------------------------------------------------------------------------------------------------
// Functions of Python's

/// What a function of Python's has thrown within work that cannot hand it on: the values it did not
/// give are not numbers, which ends that work on all ranks.
class PythonFault {
 public:
  void keep() {
    std::lock_guard const lock(mutex_);
    failed_ = true;
    if (!fault_) fault_ = std::current_exception();
  }
  /// Whether one has ever failed: the field may hold what it did not give.
  [[nodiscard]] bool has_failed() const { return failed_; }
  void rethrow() {
    std::lock_guard const lock(mutex_);
    if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
  }
  /// A signal's KeyboardInterrupt that a function met by chance: the function is called again, and
  /// the solver stops where it looks at signals.
  void interrupt() { interrupted_ = true; }
  bool take_interrupt() { return interrupted_.exchange(false); }

 private:
  std::mutex mutex_;
  std::exception_ptr fault_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> interrupted_{false};
};

/// The array's memory, which it keeps alive, for threads without Python's lock too.
std::shared_ptr<double const> memory_of(Dense const& values) {
  auto* const kept = new Dense(values);
  return {kept->data(), [kept](double const*) {
            nb::gil_scoped_acquire const python;
            delete kept;
          }};
}

/// Values that are not numbers.
std::shared_ptr<double const> no_numbers(std::size_t count) {
  auto* const all = new double[count];
  std::fill_n(all, count, std::numeric_limits<double>::quiet_NaN());
  return {all, [](double const* values) { delete[] values; }};
}

GivenFunction given_by(nb::callable const& function, bool varies_in_time,
                       std::shared_ptr<PythonFault> const& fault) {
  // Deleted under Python's lock, wherever the last solver that has it is.
  std::shared_ptr<nb::callable> const kept(new nb::callable(function), [](nb::callable* own) {
    nb::gil_scoped_acquire const python;
    delete own;
  });
  GiveValues give = [kept, fault](double time_s, GlobalBox box) -> std::shared_ptr<double const> {
    nb::gil_scoped_acquire const python;
    auto const count = static_cast<std::size_t>(box.point_count());
    auto const call = [&] {
      Index3 const& lower = box.lower;
      Index3 const& upper = box.upper;
      auto const values = nb::cast<Dense>((*kept)(time_s, nb::make_tuple(lower.x, lower.y, lower.z),
                                                  nb::make_tuple(upper.x, upper.y, upper.z)));
      require(values.size() == count, "a function gave values of another size than was asked for");
      return memory_of(values);
    };
    try {
      try {
        return call();
      } catch (nb::python_error const& error) {
        if (!error.matches(PyExc_KeyboardInterrupt)) throw;
        fault->interrupt();
      }
      return call();
    } catch (...) {
      fault->keep();
    }
    return no_numbers(count);
  };
  return {std::move(give), varies_in_time};
}

// -------------------------------------------------------------------------------------------------
// Cases and solvers

Sizes listed(Extent3 const& extent, int dimension) {
  return dimension == 2 ? Sizes{extent.x, extent.y} : Sizes{extent.x, extent.y, extent.z};
}

template <class T>
std::vector<T> listed(PerAxis<T> const& axes, int dimension) {
  return {axes.begin(), axes.begin() + dimension};
}

using Functions = std::map<std::string, std::pair<nb::callable, bool>>;

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
          nb::gil_scoped_release const others;
          work();
        }
        fault_->rethrow();
      } else {
        auto result = [&] {
          nb::gil_scoped_release const others;
          return work();
        }();
        fault_->rethrow();
        return result;
      }
    } catch (nb::python_error const&) {
      throw;
    } catch (std::exception const&) {
      fault_->rethrow();
      throw;
    }
  }

  PythonSolver(Case const& chosen, Functions const& functions,
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
  PythonSolver(PythonSolver const&) = delete;
  PythonSolver& operator=(PythonSolver const&) = delete;
  /// Other ranks may still have theirs, and MPI may have ended.
  ~PythonSolver() {
    if (!solver_) return;
    if (!mpi::is_running()) {
      (void)solver_.release();
    } else if (solver_->ranks().size() > 1) {
      lost_solvers().add(number_, std::move(solver_));
    }
  }

  [[nodiscard]] LiveSolver& operator*() const { return *solver_; }
  [[nodiscard]] LiveSolver* operator->() const { return solver_.get(); }

  void advance_to(std::int64_t iteration) {
    require(!fault_->has_failed(),
            "a function that gives the solver values has failed while it was at work: make a new "
            "Solver");
    bool const done =
        at_work([&] { return solver_->advance_to(iteration, [this] { return heard_signal(); }); });
    if (!done && !PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);  // another rank's
    if (PyErr_Occurred()) throw nb::python_error();
  }

 private:
  /// Whether a signal's handler, Python's, asks for an end.
  [[nodiscard]] bool heard_signal() const {
    nb::gil_scoped_acquire const python;
    return fault_->take_interrupt() || PyErr_Occurred() != nullptr || PyErr_CheckSignals() != 0;
  }

  std::int64_t number_ = 0;  ///< the same on all ranks, from 1, of one that all of them make
  std::shared_ptr<PythonFault> fault_ = std::make_shared<PythonFault>();
  mutable std::atomic<bool> busy_{false};
  std::unique_ptr<LiveSolver> solver_;
};

/// This rank's part of the field where it lies, kept alive by `owner`: shape (z, y, x) or (y, x).
nb::object view_of(nb::handle owner, PythonSolver const& solver) {
  solver.at_work([&] { solver->solver().wait(); });
  Extent3 const extent = solver->solver().subdomain().extent();
  bool const plane = solver->chosen().problem.grid.dimension == 2;
  bool const on_device = solver->solver().queue().backend() == Backend::cuda;
  int const device = on_device ? solver->run().plan.device.number : 0;
  return std::visit(
      [&]<class Real>(FieldView<Real const> const& view) -> nb::object {
        std::array const shape{static_cast<std::size_t>(extent.z),
                               static_cast<std::size_t>(extent.y),
                               static_cast<std::size_t>(extent.x)};
        std::array<std::int64_t, 3> const strides{view.stride_z, view.stride_y, 1};
        std::size_t const skipped = plane ? 1 : 0;
        if (on_device) {
          // DLPack as CuPy and PyTorch know it has no word for what must not be written.
          return nb::cast(nb::ndarray<Real, nb::device::cuda>(
              const_cast<Real*>(view.origin), 3 - skipped, shape.data() + skipped, owner,
              strides.data() + skipped, nb::dtype<Real>(), nb::device::cuda::value, device));
        }
        return nb::cast(nb::ndarray<nb::numpy, Real const, nb::device::cpu>(
            view.origin, 3 - skipped, shape.data() + skipped, owner, strides.data() + skipped));
      },
      solver->solver().field_view());
}

/// Where the field lies: address, shape and strides in bytes.
std::tuple<std::uintptr_t, Sizes, Sizes> layout_of(PythonSolver const& solver) {
  Extent3 const extent = solver->solver().subdomain().extent();
  return std::visit(
      [&]<class Real>(FieldView<Real const> const& view) {
        std::int64_t const bytes = sizeof(Real);
        Sizes shape{extent.z, extent.y, extent.x};
        Sizes strides{view.stride_z * bytes, view.stride_y * bytes, bytes};
        if (solver->chosen().problem.grid.dimension == 2) {
          shape.erase(shape.begin());
          strides.erase(strides.begin());
        }
        return std::tuple(reinterpret_cast<std::uintptr_t>(view.origin), shape, strides);
      },
      solver->solver().field_view());
}

/// A dense copy, in host memory.
nb::object values_of(PythonSolver const& solver) {
  Extent3 const extent = solver->solver().subdomain().extent();
  bool const plane = solver->chosen().problem.grid.dimension == 2;
  auto const count = static_cast<std::size_t>(extent.x * extent.y * extent.z);
  std::array const shape{static_cast<std::size_t>(extent.z), static_cast<std::size_t>(extent.y),
                         static_cast<std::size_t>(extent.x)};
  return with_precision(solver->chosen().problem.precision, [&]<class Real>(Real) -> nb::object {
    std::unique_ptr<Real[]> memory(new Real[count]);
    solver.at_work([&] { solver->read(Values(std::span<Real>(memory.get(), count))); });
    Real* const values = memory.release();
    nb::capsule const owner(values, [](void* all) noexcept { delete[] static_cast<Real*>(all); });
    std::size_t const skipped = plane ? 1 : 0;
    return nb::cast(nb::ndarray<nb::numpy, Real, nb::device::cpu>(values, 3 - skipped,
                                                                  shape.data() + skipped, owner));
  });
}

template <class Real>
void set_values(PythonSolver& solver,
                nb::ndarray<Real const, nb::c_contig, nb::device::cpu> values) {
  std::span<Real const> const numbers(values.data(), values.size());
  solver.at_work([&] { solver->set(ConstValues(numbers)); });
}

std::vector<std::tuple<std::int64_t, double, double>> residuals_of(PythonSolver const& solver) {
  std::vector<std::tuple<std::int64_t, double, double>> rows;
  for (Residual const& residual : solver.at_work([&] { return solver->residuals(); })) {
    rows.emplace_back(residual.iteration, residual.time_s, residual.value);
  }
  return rows;
}

int run(std::filesystem::path const& case_file, bool overwrite, bool resume, bool quiet,
        std::optional<std::uintptr_t> address) {
  mpi::Communicator const ranks(communicator(address));
  RunOptions options;
  options.case_file = case_file;
  options.overwrite = overwrite;
  options.resume = resume;
  options.quiet = quiet;
  nb::gil_scoped_release const others;
  return run_case(ranks, options);
}

void bind_case(nb::module_& module) {
  nb::class_<Case>(module, "Case")
      .def("__init__",
           [](Case* self, std::string const& text, std::string const& name,
              std::vector<std::string> const& overrides) {
             new (self) Case(parse_case_file(text, name, overrides));
           })
      .def_ro("text", &Case::text)
      .def_ro("title", &Case::title)
      .def_prop_ro(
          "points",
          [](Case const& c) { return listed(c.problem.grid.points, c.problem.grid.dimension); })
      .def_prop_ro(
          "lower",
          [](Case const& c) { return listed(c.problem.grid.lower, c.problem.grid.dimension); })
      .def_prop_ro(
          "spacing",
          [](Case const& c) { return listed(c.problem.grid.spacing, c.problem.grid.dimension); })
      .def_prop_ro("precision", [](Case const& c) { return name(c.problem.precision); })
      .def_prop_ro("equation", [](Case const& c) { return name(c.problem.equation); })
      .def_prop_ro("method", [](Case const& c) { return c.method.name; })
      .def_prop_ro("advances_time",
                   [](Case const& c) { return method_named(c.method.name).advances_time; })
      .def_prop_ro("iterations", [](Case const& c) { return c.method.iterations; })
      .def_prop_ro("check_every", [](Case const& c) { return c.method.check_every; })
      .def_prop_ro("tolerance", [](Case const& c) { return c.method.tolerance; })
      .def_prop_ro("absolute_tolerance", [](Case const& c) { return c.method.absolute_tolerance; })
      .def_prop_ro("time_step", [](Case const& c) { return c.method.time_step_s; })
      .def_prop_ro("initial_file",
                   [](Case const& c) {
                     return c.initial_file ? std::optional(c.initial_file->path) : std::nullopt;
                   })
      .def_prop_ro("plan_table", [](Case const& c) { return c.run.plan_table; })
      .def_prop_ro("directory", [](Case const& c) { return c.output.directory; });
}

void bind_solver(nb::module_& module) {
  nb::class_<PythonSolver>(module, "Solver")
      .def(nb::init<Case const&, Functions const&, std::optional<std::uintptr_t>>(), "case"_a,
           "functions"_a, "communicator"_a = nb::none())
      .def("advance_to", &PythonSolver::advance_to)
      .def("set", &set_values<float>)
      .def("set", &set_values<double>)
      .def("write", [](PythonSolver& s,
                       std::filesystem::path const& file) { s.at_work([&] { s->write(file); }); })
      .def("draw",
           [](PythonSolver& s, std::filesystem::path const& file) {
             s.at_work([&] { s->draw(file, PictureFormat::png); });
           })
      .def("has_converged",
           [](PythonSolver& s) { return s.at_work([&] { return s->has_converged(); }); })
      .def("values", &values_of)
      .def_prop_ro("view",
                   [](nb::handle self) { return view_of(self, nb::cast<PythonSolver&>(self)); })
      .def_prop_ro("layout", &layout_of)
      .def_prop_ro("has_stopped", [](PythonSolver const& s) { return s->has_stopped(); })
      .def_prop_ro("stalled", [](PythonSolver const& s) { return s->solver().stalled(); })
      .def_prop_ro("iteration", [](PythonSolver const& s) { return s->solver().iteration(); })
      .def_prop_ro("time", [](PythonSolver const& s) { return s->solver().time_s(); })
      .def_prop_ro("seconds", [](PythonSolver const& s) { return s->seconds(); })
      .def_prop_ro("residuals", &residuals_of)
      .def_prop_ro("reference", [](PythonSolver const& s) { return s->reference(); })
      .def_prop_ro("last_residual",
                   [](PythonSolver const& s) {
                     auto const all = s.at_work([&] { return s->last_residual(); });
                     return all ? std::optional(all->value) : std::nullopt;
                   })
      .def("any", [](PythonSolver const& s,
                     bool mine) { return s.at_work([&] { return s->ranks().any(mine); }); })
      .def_prop_ro("remark", [](PythonSolver const& s) { return s->solver().remark(); })
      .def_prop_ro("warnings", [](PythonSolver const& s) { return s->run().warnings; })
      .def_prop_ro("backend",
                   [](PythonSolver const& s) {
                     return s->solver().queue().backend() == Backend::cuda ? "cuda" : "cpu";
                   })
      .def_prop_ro("device", [](PythonSolver const& s) { return describe(s->run().plan.device); })
      .def_prop_ro("rank", [](PythonSolver const& s) { return s->ranks().rank(); })
      .def_prop_ro("ranks", [](PythonSolver const& s) { return s->ranks().size(); })
      .def_prop_ro(
          "offset",
          [](PythonSolver const& s) {
            Index3 const lower = s->solver().subdomain().owned_global().lower;
            return listed(Extent3{lower.x, lower.y, lower.z}, s->chosen().problem.grid.dimension);
          })
      .def_prop_ro("extent", [](PythonSolver const& s) {
        return listed(s->solver().subdomain().extent(), s->chosen().problem.grid.dimension);
      });
}

}  // namespace

NB_MODULE(_core, module) {
  silence_hdf5();
  nb::set_leak_warnings(false);  // programs that end with solvers in their hands are no leak
  nb::register_exception_translator([](std::exception_ptr const& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (InputError const& error) {
      PyErr_SetString(PyExc_ValueError, visible(error.what()).c_str());
    } catch (Error const& error) {
      PyErr_SetString(PyExc_RuntimeError, visible(error.what()).c_str());
    }
  });
  bind_case(module);
  bind_solver(module);
  module.def("run", &run, "case_file"_a, "overwrite"_a, "resume"_a, "quiet"_a,
             "communicator"_a = nb::none());
  module.def("end_mpi", [] {
    lost_solvers().forget();
    end_mpi();
  });
  module.def("abort", [] { mpi::abort_job(1); });
  module.def("mpi_library", &mpi::library_version);
  module.def("start_mpi", &start_mpi);
  module.def("number_of_ranks", &mpi::number_of_ranks);
  module.attr("__version__") = build_info().version;
}

}  // namespace isotherm
