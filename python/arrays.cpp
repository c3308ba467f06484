#include "python/arrays.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <nanobind/ndarray.h>
#include <span>
#include <utility>
#include <variant>

namespace nb = nanobind;

namespace isotherm {
namespace {

/// Returns a Python object that owns a share of the solver. NumPy and DLPack keep it as the base of
/// an array, so the memory outlives a closed solver.
nb::capsule owner_of(std::shared_ptr<LiveSolver> solver) {
  using Kept = std::shared_ptr<LiveSolver>;
  return {new Kept(std::move(solver)),
          [](void* kept) noexcept { delete static_cast<Kept*>(kept); }};
}

/// Returns the array of field_of(). Strides are in elements here, as nanobind expects.
nb::object view_of(PythonSolver const& solver) {
  Extent3 const extent = solver->solver().subdomain().extent();
  bool const plane = solver->chosen().problem.grid.dimension == 2;
  // Consumers of DLPack need the number of the device.
  bool const on_device = solver->solver().queue().backend() == Backend::cuda;
  int const device = on_device ? solver->run().plan.device.number : 0;
  nb::capsule const owner = owner_of(solver.share());
  return std::visit(
      [&]<class Real>(FieldView<Real const> const& view) -> nb::object {
        // The field lies inside its ghost layers, so the strides exceed the extent.
        std::array const shape{static_cast<std::size_t>(extent.z),
                               static_cast<std::size_t>(extent.y),
                               static_cast<std::size_t>(extent.x)};
        std::array<std::int64_t, 3> const strides{view.stride_z, view.stride_y, 1};
        // In 2D the z axis, which has one point, is omitted.
        std::size_t const skipped = plane ? 1 : 0;
        if (on_device) {
          // The DLPack version that CuPy and PyTorch support has no flag for read-only memory, so
          // `const` is cast away. Users must not write into the array.
          return nb::cast(nb::ndarray<nb::array_api, Real, nb::device::cuda>(
              const_cast<Real*>(view.origin), 3 - skipped, shape.data() + skipped, owner,
              strides.data() + skipped, nb::dtype<Real>(), nb::device::cuda::value, device));
        }
        return nb::cast(nb::ndarray<nb::numpy, Real const, nb::device::cpu>(
            view.origin, 3 - skipped, shape.data() + skipped, owner, strides.data() + skipped));
      },
      solver->solver().field_view());
}

/// Returns address, shape and strides in bytes, as __cuda_array_interface__ needs them.
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

}  // namespace

std::tuple<nb::object, std::uintptr_t, Sizes, Sizes> field_of(PythonSolver const& solver) {
  // Work on a device is asynchronous; the array must not show unfinished values.
  solver.at_work([&] { solver->solver().wait(); });
  return std::tuple_cat(std::tuple(view_of(solver)), layout_of(solver));
}

nb::object values_of(PythonSolver const& solver) {
  Extent3 const extent = solver->solver().subdomain().extent();
  bool const plane = solver->chosen().problem.grid.dimension == 2;
  auto const count = static_cast<std::size_t>(extent.x * extent.y * extent.z);
  std::array const shape{static_cast<std::size_t>(extent.z), static_cast<std::size_t>(extent.y),
                         static_cast<std::size_t>(extent.x)};
  return with_precision(solver->chosen().problem.precision, [&]<class Real>(Real) -> nb::object {
    // Allocated here and owned by the capsule, so a failing read() leaks nothing.
    auto* const values = new Real[count];
    nb::capsule const owner(values, [](void* all) noexcept { delete[] static_cast<Real*>(all); });
    // Copies from the device if necessary, without the GIL.
    solver.at_work([&] { solver->read(Values(std::span<Real>(values, count))); });
    std::size_t const skipped = plane ? 1 : 0;
    return nb::cast(nb::ndarray<nb::numpy, Real, nb::device::cpu>(values, 3 - skipped,
                                                                  shape.data() + skipped, owner));
  });
}

}  // namespace isotherm
