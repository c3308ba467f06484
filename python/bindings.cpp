// The module isotherm._core: the C++ functions and classes that Python calls. The classes for users
// are written in Python, in isotherm/, and call these.
//
// Collective work runs within an MpiTurn and without the GIL. So the other threads of a Python
// program continue while the ranks wait for each other.

#include <cstdint>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/run/report/flows/mean_flux.hpp"
#include "app/run/run.hpp"
#include "case/basics/build_info.hpp"
#include "case/basics/text/wording.hpp"
#include "case/read_case.hpp"
#include "io/files/library_messages.hpp"
#include "python/arrays.hpp"
#include "python/lifetime.hpp"
#include "python/python_solver.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace isotherm {
using namespace app;
namespace {

/// Converts an extent to a list with as many numbers as the grid has axes, x first.
std::vector<std::int64_t> listed(Extent3 const& extent, int dimension) {
  return dimension == 2 ? std::vector<std::int64_t>{extent.x, extent.y}
                        : std::vector<std::int64_t>{extent.x, extent.y, extent.z};
}

/// Converts one value per axis to a list, x first.
template <class T>
std::vector<T> listed(PerAxis<T> const& axes, int dimension) {
  return {axes.begin(), axes.begin() + dimension};
}

/// Sets the field from a dense NumPy array of this rank's points. Collective.
template <class Real>
void set_values(PythonSolver& solver,
                nb::ndarray<Real const, nb::c_contig, nb::device::cpu> values) {
  std::span<Real const> const numbers(values.data(), values.size());
  solver.at_work([&] { solver->set(ConstValues(numbers)); });
}

/// Returns rows of iteration, time, residual and estimated error. An unknown error is NaN, as in
/// NumPy's arrays.
std::vector<std::tuple<std::int64_t, double, double, double>> residuals_of(
    PythonSolver const& solver) {
  std::vector<std::tuple<std::int64_t, double, double, double>> rows;
  for (Residual const& residual : solver.idle_solver().residuals()) {
    rows.emplace_back(residual.iteration, residual.time_s, residual.value,
                      residual.error.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return rows;
}

/// Runs a case with output, like `isotherm run`, and returns the exit code. Collective.
/// @param address  address of an mpi4py communicator's handle; none for all ranks
int run(std::filesystem::path const& case_file, bool overwrite, bool resume, bool quiet,
        std::optional<std::uintptr_t> address) {
  start_mpi();
  MpiTurn const turn;
  turn.check();
  RunOptions options;
  options.case_file = case_file;
  options.overwrite = overwrite;
  options.resume = resume;
  options.quiet = quiet;
  // Other Python threads may run meanwhile.
  nb::gil_scoped_release const others;
  mpi::Communicator const ranks = communicator(address);
  OnlyRun const only;
  // Two such runs at the same time would both replace the signal handlers.
  only.check(ranks);
  return run_case(ranks, options);
}

/// Binds the class Case: a parsed case file.
void bind_case(nb::module_& module) {
  nb::class_<Case>(module, "Case")
      .def("__init__",
           [](Case* self, std::string const& text, std::string const& name,
              std::vector<std::string> const& overrides) {
             nb::gil_scoped_release const others;  // parsing may read a file, and wait for HDF5
             // nanobind allocates the memory of the object; __init__ constructs it there.
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
      .def("coordinates",
           [](Case const& c, int axis) {
             return c.problem.grid.is_graded(axis)
                        ? std::optional(coordinates_of(c.problem.grid, axis))
                        : std::nullopt;
           })
      .def_prop_ro("precision", [](Case const& c) { return name(c.problem.precision); })
      .def_prop_ro("equation", [](Case const& c) { return name(c.problem.equation); })
      .def_prop_ro("method", [](Case const& c) { return c.method.name; })
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

/// Returns name, value, flux and given flux of each floating conductor. Collective.
std::vector<std::tuple<std::string, double, double, double>> floating_of(PythonSolver& python) {
  std::vector<std::tuple<std::string, double, double, double>> all;
  python.at_work([&] {
    for (FloatingConductor const& one : python->solver().floating_conductors()) {
      all.emplace_back(name_of_fixed(python->chosen().problem, one.region), one.value, one.flux,
                       one.given_flux);
    }
  });
  return all;
}

/// Returns table, heading and rows of the quantities, or else of each probe, of the case.
/// Collective.
std::vector<std::tuple<std::string, std::string, std::vector<std::vector<double>>>> measurements_of(
    PythonSolver& python, bool quantities) {
  std::vector<std::tuple<std::string, std::string, std::vector<std::vector<double>>>> all;
  python.at_work([&] {
    for (Measurement& one : python->measure(quantities)) {
      all.emplace_back(std::move(one.table), std::move(one.heading), std::move(one.rows));
    }
  });
  return all;
}

/// Returns the mean flux and the effective conductivity by axes; both are empty if there are none.
/// Collective.
std::pair<std::map<std::string, double>, std::map<std::string, double>> mean_flux_of(
    PythonSolver& python) {
  auto const by_axis = [](std::vector<app::AxisValue> const& values) {
    std::map<std::string, double> named;
    for (app::AxisValue const& one : values) named[std::string{"xyz"[one.axis]}] = one.value;
    return named;
  };
  auto const found = python.at_work([&] { return python->mean_flux(); });
  if (!found) return {};
  return {by_axis(found->flux), by_axis(found->conductivity)};
}

/// Returns criterion, iteration, time and value at which [method] stop was met; none if it was not.
std::optional<std::tuple<std::string, std::int64_t, double, double>> stop_of(
    PythonSolver const& python) {
  auto const& point = python.idle_solver().stop_point();
  if (!point) return std::nullopt;
  return std::tuple(point->criterion, point->iteration, point->time_s, point->value);
}

/// Binds the class Solver. Methods that change the solver or are collective run in at_work();
/// properties that work may change are read in idle_solver().
void bind_solver(nb::module_& module) {
  nb::class_<PythonSolver>(module, "Solver")
      .def(nb::init<Case const&, Functions const&, std::optional<std::uintptr_t>>(), "case"_a,
           "functions"_a, "communicator"_a = nb::none())
      .def("advance_to", &PythonSolver::advance_to)
      .def("set", &set_values<float>)
      .def("set", &set_values<double>)
      .def("write", [](PythonSolver& s,
                       std::filesystem::path const& file) { s.at_work([&] { s->write(file); }); })
      .def("draw", [](PythonSolver& s,
                      std::filesystem::path const& file) { s.at_work([&] { s->draw(file); }); })
      .def("has_converged",
           [](PythonSolver& s) { return s.at_work([&] { return s->has_converged(); }); })
      .def("floating", &floating_of)
      .def("measure", &measurements_of)
      .def("mean_flux", &mean_flux_of)
      .def("values", &values_of)
      .def_prop_ro("field", &field_of)
      .def("close", &PythonSolver::close)
      .def("abandon", &PythonSolver::abandon)
      .def_prop_ro("closed", &PythonSolver::is_closed)
      .def_prop_ro("has_stopped",
                   [](PythonSolver const& s) { return s.idle_solver().has_stopped(); })
      .def_prop_ro("stop", &stop_of)
      .def_prop_ro("iteration", &PythonSolver::iteration)
      .def_prop_ro("time", &PythonSolver::time_s)
      .def_prop_ro("seconds", [](PythonSolver const& s) { return s.idle_solver().seconds(); })
      .def_prop_ro("residuals", &residuals_of)
      .def_prop_ro("reference", [](PythonSolver const& s) { return s.idle_solver().reference(); })
      .def_prop_ro("last_residual",
                   [](PythonSolver const& s) {
                     auto const all = s.idle_solver().last_residual();
                     return all ? std::optional(all->value) : std::nullopt;
                   })
      .def("any", [](PythonSolver const& s,
                     bool mine) { return s.at_work([&] { return s->ranks().any(mine); }); })
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
  nb::set_leak_warnings(false);  // solvers that exist at the end of a program are no leak
  // Bad input becomes ValueError, other failures RuntimeError. visible() escapes control
  // characters.
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
  // Called by atexit: solvers that are left are not destroyed, since that is collective.
  module.def("end_mpi", [] {
    lost_solvers().forget();
    end_mpi();
  });
  module.def("abort", [] { mpi::abort_job(1); });
  module.def("mpi_library", &mpi::library_version);
  module.def("start_mpi", &start_mpi);
  module.def("number_of_ranks", &mpi::number_of_ranks);
  module.attr("version") = build_info().version;  // stubs contain no names with underscores
}

}  // namespace isotherm
