#include "kernels/multigrid/operator_products.hpp"

#include "kernels/core/queue/dispatch.hpp"
#include "kernels/multigrid/cuda/operator_products.hpp"
#include "kernels/multigrid/heterogeneous_residual.hpp"
#include "kernels/multigrid/instances.hpp"

namespace isotherm {

namespace {

/// Returns the bytes of the partial results; none on the CPU.
std::size_t part_bytes(Backend backend, std::size_t parts) {
  return backend == Backend::cuda ? parts * sizeof(InnerProducts) : 0;
}

}  // namespace

OperatorProducts::OperatorProducts(Queue& queue)
    : products_(queue),
      parts_(queue, Space::device, part_bytes(queue.backend(), max_parts)),
      host_(queue, Space::pinned, part_bytes(queue.backend(), max_parts)) {}

std::size_t OperatorProducts::footprint(Backend backend) {
  std::size_t const bytes = part_bytes(backend, max_parts);
  return FieldInnerProducts::footprint(backend) + Buffer::footprint(backend, Space::device, bytes) +
         Buffer::footprint(backend, Space::pinned, bytes);
}

template <class Correction, class Real, int dimension>
InnerProducts OperatorProducts::apply(Queue& queue, Conductances<Real, dimension> const& op,
                                      double shift, FieldView<Real const> p,
                                      FieldView<Correction const> r, FieldView<Real> image,
                                      LocalBox box) {
  std::size_t parts = 0;
  if (!box.empty()) {
    parts = dispatch(
        queue, [] { return std::size_t{0}; },
        [&](auto) { return cuda::parts_of_products<Real, dimension>(box); });
  }
  if (parts == 0 || parts > max_parts) {
    // A p is the residual without a source, with the opposite sign.
    evaluate_heterogeneous_residual<double>(
        queue, op, ResidualPass<Real, Real>{p, {}, image, box, -1.0, nullptr, shift});
    return products_.of(queue, r, p, FieldView<Real const>(image), box);
  }
  require(r.box.contains(box) && image.box.contains(box) &&
              p.box.contains(read_by_heterogeneous<dimension>(box)),
          "an operator reaches past its fields");
  dispatch(
      queue, [] {},
      [&](auto) {
        cuda::apply_with_products(queue, op, shift, p, r, image, box, parts_.as<InnerProducts>());
      });
  copy_bytes(queue, host_.data(), parts_.data(), parts * sizeof(InnerProducts));
  queue.wait();
  InnerProducts all;
  for (std::size_t part = 0; part < parts; ++part) all.add(host_.as<InnerProducts>()[part]);
  return all;
}

#define ISOTHERM_INSTANTIATE_IN(Correction, Real, dimension)                       \
  template InnerProducts OperatorProducts::apply(                                  \
      Queue&, Conductances<Real, dimension> const&, double, FieldView<Real const>, \
      FieldView<Correction const>, FieldView<Real>, LocalBox);
#define ISOTHERM_INSTANTIATE(Correction, Real) \
  ISOTHERM_INSTANTIATE_IN(Correction, Real, 2) \
  ISOTHERM_INSTANTIATE_IN(Correction, Real, 3)
ISOTHERM_FOR_EACH_CORRECTION(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE
#undef ISOTHERM_INSTANTIATE_IN

}  // namespace isotherm
