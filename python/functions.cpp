#include "python/functions.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nanobind/ndarray.h>

#include "kernels/core/error.hpp"

namespace nb = nanobind;

namespace isotherm {
namespace {

/// A dense array of float64 in host memory, as Python functions return it.
using Dense = nb::ndarray<double const, nb::c_contig, nb::device::cpu>;

/// Returns the array's memory, and keeps the array alive. The last reference may be dropped by a
/// thread without the GIL, so the deleter acquires it.
std::shared_ptr<double const> memory_of(Dense const& values) {
  auto* const kept = new Dense(values);
  return {kept->data(), [kept](double const*) {
            nb::gil_scoped_acquire const python;
            delete kept;
          }};
}

/// Returns `count` values that are all NaN.
std::shared_ptr<double const> no_numbers(std::size_t count) {
  auto* const all = new double[count];
  std::fill_n(all, count, std::numeric_limits<double>::quiet_NaN());
  return {all, [](double const* values) { delete[] values; }};
}

}  // namespace

GivenFunction given_by(nb::callable const& function, bool varies_in_time,
                       std::shared_ptr<PythonFault> const& fault) {
  // The last solver that uses the function may be destroyed by a thread without the GIL, so the
  // deleter acquires it.
  std::shared_ptr<nb::callable> const kept(new nb::callable(function), [](nb::callable* own) {
    nb::gil_scoped_acquire const python;
    delete own;
  });
  GiveValues give = [kept, fault](double time_s, GlobalBox box) -> std::shared_ptr<double const> {
    // at_work() has released the GIL.
    nb::gil_scoped_acquire const python;
    auto const count = static_cast<std::size_t>(box.point_count());
    auto const call = [&] {
      Index3 const& lower = box.lower;
      Index3 const& upper = box.upper;
      auto const values = nb::cast<Dense>((*kept)(time_s, nb::make_tuple(lower.x, lower.y, lower.z),
                                                  nb::make_tuple(upper.x, upper.y, upper.z)));
      require(values.size() == count, "a function returned the wrong number of values");
      return memory_of(values);
    };
    try {
      try {
        return call();
      } catch (nb::python_error const& error) {
        if (!error.matches(PyExc_KeyboardInterrupt)) throw;
        // The signal was meant for the program, not for this function, so the function is called
        // again.
        fault->interrupt();
      }
      return call();
    } catch (...) {
      // Nothing may be thrown into the solver: the other ranks would wait forever.
      fault->keep();
    }
    return no_numbers(count);
  };
  return {std::move(give), varies_in_time};
}

}  // namespace isotherm
