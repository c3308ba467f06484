#include "decomposition/field/distributed_field.hpp"

#include "kernels/core/error.hpp"
#include "kernels/faces/faces.hpp"

namespace isotherm {

template <class Real>
DistributedField<Real>::DistributedField(FieldSpace<Real>& space)
    : space_(&space), local_(space.queue(), space.subdomain().extent(), space.halo_points()) {}

template <class Real>
void DistributedField<Real>::fill(LocalBox box, Real value) {
  isotherm::fill(space_->queue(), writable(), box, value);
}

template <class Real>
void DistributedField<Real>::evaluate(LocalBox box, PointFunction const& value) {
  space_->staging().evaluate(space_->queue(), writable(), box, value);
}

template <class Real>
void DistributedField<Real>::change(
    LocalBox box, std::function<void(LocalBox chunk, Real* dense)> const& change) {
  space_->staging().change(space_->queue(), writable(), box, change);
}

template <class Real>
void DistributedField<Real>::write(std::span<Real const> dense) {
  check_size(dense.size());
  space_->staging().write(space_->queue(), writable(), owned(), dense.data());
}

template <class Real>
void DistributedField<Real>::read(std::span<Real> dense) const {
  check_size(dense.size());
  space_->staging().read(space_->queue(), local_.view(), owned(), dense.data());
}

template <class Real>
void DistributedField<Real>::take(FieldCopy& copy, std::span<Real> dense) const {
  check_size(dense.size());
  copy.take(space_->queue(), local_.view(), owned(), dense);
}

template <class Real>
void DistributedField<Real>::begin_halo() {
  if (halo_ == Halo::stale) space_->halo().begin(local_.view());
}

template <class Real>
void DistributedField<Real>::finish_halo() {
  if (halo_ == Halo::stale) space_->halo().finish(local_.view());
  if (halo_ == Halo::forwarded) space_->halo().arrive(local_.view());
  halo_ = Halo::filled;
}

template <class Real>
void DistributedField<Real>::check_evaluated(
    std::function<ValueFault(Index3 local)> const& fault) const {
  // Taken on every rank, so the next call does not report this value again.
  std::optional<Index3> const mine = space_->staging().take_not_finite();
  mpi::Communicator const& ranks = space_->ranks();
  if (!ranks.any(mine.has_value())) return;
  std::string both;  // key and text, so that one message carries them
  if (mine) {
    auto const [key, text] = fault(*mine);
    both = key + '\n' + text;
  }
  both = ranks.first_text(both);
  // Keys contain no line break.
  auto const end_of_key = both.find('\n');
  throw ValueRefusal({both.substr(0, end_of_key), both.substr(end_of_key + 1)});
}

template <class Real>
void DistributedField<Real>::check_size(std::size_t count) const {
  auto const points = static_cast<std::size_t>(owned().point_count());
  require(count == points, "an array of " + std::to_string(count) + " values does not match the " +
                               std::to_string(points) + " owned points");
}

template class DistributedField<float>;
template class DistributedField<double>;

}  // namespace isotherm
