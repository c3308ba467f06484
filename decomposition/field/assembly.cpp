#include "decomposition/field/assembly.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Returns every rank's box, which travels as raw bytes. Collective.
std::vector<LocalBox> boxes_of_all(mpi::Communicator const& ranks, LocalBox mine) {
  std::vector<LocalBox> boxes;
  std::string const text(reinterpret_cast<char const*>(&mine), sizeof mine);
  for (std::string const& bytes : ranks.all_gather(text)) {
    LocalBox box;
    std::memcpy(&box, bytes.data(), sizeof box);
    boxes.push_back(box);
  }
  return boxes;
}

}  // namespace

template <class Real>
Assembly<Real>::Assembly(mpi::Communicator const& ranks, LocalBox mine, LocalBox whole)
    : ranks_(&ranks), parts_(boxes_of_all(ranks, mine)) {
  // Disjoint parts inside `whole` whose sizes add up to its size cover it exactly.
  for (auto part = parts_.begin(); part != parts_.end(); ++part) {
    auto const meets = [&](LocalBox const& other) { return !intersection(other, *part).empty(); };
    require(whole.contains(*part), "a part of an assembled field extends beyond it");
    require(std::none_of(parts_.begin(), part, meets), "two parts of an assembled field overlap");
    counts_.push_back(part->point_count());
  }
  require(std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0}) == whole.point_count(),
          "the parts of an assembled field do not cover it");
}

template <class Real>
void Assembly<Real>::assemble(Queue& queue, HostStaging<Real>& staging, FieldView<Real> field) {
  auto const self = static_cast<std::size_t>(ranks_->rank());
  own_.resize(static_cast<std::size_t>(counts_[self]));
  // The parts travel as dense arrays, in the order of the ranks.
  staging.read(queue, field, parts_[self], own_.data());
  ranks_->all_gather(own_, counts_, all_);
  Real const* from = all_.data();
  for (std::size_t rank = 0; rank < parts_.size(); ++rank) {
    // The rank's own part is already in place.
    if (rank != self) staging.write(queue, field, parts_[rank], from);
    from += counts_[rank];
  }
}

template class Assembly<float>;
template class Assembly<double>;

}  // namespace isotherm
