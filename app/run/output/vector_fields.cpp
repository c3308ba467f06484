#include "app/run/output/vector_fields.hpp"

#include <utility>

#include "decomposition/ranks/collective_errors.hpp"
#include "io/snapshot/datasets/components.hpp"
#include "kernels/core/byte_count.hpp"
#include "kernels/core/precision.hpp"
#include "solver/problem/conditions.hpp"

// Vectors are computed on the host by the thread that writes the field, so they cost the solver no
// time on the device. Their memory is counted by bytes() before the run begins.

namespace isotherm::app {
namespace {

/// Returns which vectors a field of this name has.
VectorKind kind_of(std::string const& field) {
  return field == "flux" ? VectorKind::flux : VectorKind::gradient;
}

}  // namespace

VectorFields::VectorFields(mpi::Communicator const& ranks, Case const& chosen,
                           Subdomain const& subdomain)
    : subdomain_(subdomain),
      precision_(chosen.problem.precision),
      gains_(gains_over_periods(chosen.problem)) {
  // Scalar fields such as the source are handled by FieldWriter.
  for (std::string const& field : chosen.output.fields) {
    if (components_of(field) == scalar_components) continue;
    all_.emplace_back(ranks, field, subdomain, chosen.problem, kind_of(field));
  }
}

void VectorFields::set_time(double time_s) {
  for (Vectors& vectors : all_) vectors.maker.set_time(time_s);
}

void VectorFields::make(mpi::Communicator const& ranks, ConstValues values) {
  if (all_.empty()) return;  // all ranks return, since the case is the same
  auto const points = static_cast<std::size_t>(subdomain_.owned().point_count());
  std::visit(
      [&]<class Real>(std::span<Real const> field) {
        // The vectors at the edge of a part need the neighbours' values.
        ValuesWithHalo<Real> around(ranks, subdomain_, field.data());
        for (int axis = 0; axis < 3; ++axis) around.add_gain(subdomain_, axis, gains_[axis]);
        for (Vectors& vectors : all_) {
          double lost = 0.0;
          // Allocation may fail on one rank alone; the others must not wait for it in max().
          rethrow_on_all_ranks(ranks, [&] {
            // Allocated once, by the first call.
            if (vectors.values.empty()) {
              vectors.values = HostValues(precision_, vector_components * points);
            }
            lost = vectors.maker.compute(around, span_of<Real>(vectors.values.view()).data());
          });
          // The magnitude of a vector that overflowed; 0 if none did.
          lost = ranks.max(lost);
          // All ranks throw, since they have the same maximum.
          if (lost > 0.0) throw OutOfRange(vectors.name, lost);
        }
      },
      values);
}

template <class Real>
void VectorFields::append_to(std::vector<ExtraField<Real>>& fields) const {
  for (Vectors const& vectors : all_) {
    fields.push_back(
        {vectors.name, span_of<Real const>(vectors.values.view()).data(), vector_components});
  }
}

std::size_t VectorFields::bytes(Case const& chosen, std::size_t points) {
  std::size_t all = 0;
  for (std::string const& field : chosen.output.fields) {
    if (components_of(field) == scalar_components) continue;
    std::size_t const values =
        product_of_bytes(points, vector_components * value_bytes(chosen.problem.precision));
    all = sum_of_bytes(sum_of_bytes(all, values),
                       PointVectors::bytes(chosen.problem, kind_of(field), points));
  }
  return all;
}

template void VectorFields::append_to(std::vector<ExtraField<float>>&) const;
template void VectorFields::append_to(std::vector<ExtraField<double>>&) const;

}  // namespace isotherm::app
