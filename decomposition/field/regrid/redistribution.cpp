#include "decomposition/field/regrid/redistribution.hpp"

#include <algorithm>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Returns one of `rounds` pieces of a box, cut along its longest axis. Sender and receiver cut
/// equal boxes, each in its own frame, so their pieces match.
LocalBox piece(LocalBox box, std::int64_t round, std::int64_t rounds) {
  if (box.empty()) return box;
  Extent3 const n = box.extent();
  int axis = 0;
  for (int const other : {1, 2}) {
    if (n[other] > n[axis]) axis = other;
  }
  std::int64_t const lower = box.lower[axis];
  box.lower[axis] = lower + n[axis] * round / rounds;
  box.upper[axis] = lower + n[axis] * (round + 1) / rounds;
  return box;
}

std::size_t bytes_of(LocalBox box, std::size_t value) {
  return static_cast<std::size_t>(box.point_count()) * value;
}

}  // namespace

template <class Real>
Redistribution<Real>::Redistribution(mpi::Communicator const& ranks, Subdomain const& one,
                                     Subdomain const& other, std::int64_t max_bytes)
    : ranks_(&ranks) {
  // Coordinates may differ: only indices matter here.
  require(one.grid().points == other.grid().points,
          "values are redistributed between grids of different sizes");
  std::int64_t largest = 0;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    GlobalBox const its_one = one.of_rank(rank).owned_global();
    GlobalBox const its_other = other.of_rank(rank).owned_global();
    one_.push_back(one.to_local(intersection(one.owned_global(), its_other)));
    other_.push_back(other.to_local(intersection(other.owned_global(), its_one)));
    largest = std::max({largest, its_one.point_count(), its_other.point_count()});
  }
  // From the largest part of any rank, so that all ranks make the same number of collective calls.
  rounds_ = 1 + largest * static_cast<std::int64_t>(sizeof(Real)) / max_bytes;
}

template <class Real>
void Redistribution<Real>::move(Queue& queue, HostStaging<Real>& staging, FieldView<Real const> one,
                                FieldView<Real> other) const {
  pass(queue, staging, one, one_, other, other_);
}

template <class Real>
void Redistribution<Real>::move_back(Queue& queue, HostStaging<Real>& staging,
                                     FieldView<Real const> other, FieldView<Real> one) const {
  pass(queue, staging, other, other_, one, one_);
}

template <class Real>
void Redistribution<Real>::pass(Queue& queue, HostStaging<Real>& staging,
                                FieldView<Real const> from, Shares const& given, FieldView<Real> to,
                                Shares const& taken) const {
  for (std::int64_t round = 0; round < rounds_; ++round) {
    // One dense array per rank, empty if the parts do not overlap.
    std::vector<mpi::Bytes> to_each;
    for (LocalBox const& share : given) {
      LocalBox const box = piece(share, round, rounds_);
      mpi::Bytes& bytes = to_each.emplace_back(bytes_of(box, sizeof(Real)));
      if (!bytes.empty()) staging.read(queue, from, box, reinterpret_cast<Real*>(bytes.data()));
    }
    std::vector<mpi::Bytes> const from_each = ranks_->exchange(to_each);
    for (std::size_t rank = 0; rank < taken.size(); ++rank) {
      mpi::Bytes const& bytes = from_each[rank];
      // The sender has cut the same overlap in the same way.
      LocalBox const box = piece(taken[rank], round, rounds_);
      require(bytes.size() == bytes_of(box, sizeof(Real)),
              "ranks disagree about the sizes of their messages");
      if (bytes.empty()) continue;
      staging.write(queue, to, box, reinterpret_cast<Real const*>(bytes.data()));
    }
  }
}

template <class Real>
std::size_t Redistribution<Real>::footprint(Backend backend, Subdomain const& one,
                                            Subdomain const& other) {
  if (backend != Backend::cpu) return 0;
  // Sent and received bytes, each once by rank and once in exchange()'s contiguous buffers.
  return 2 * (bytes_of(one.owned(), sizeof(Real)) + bytes_of(other.owned(), sizeof(Real)));
}

template class Redistribution<float>;
template class Redistribution<double>;

}  // namespace isotherm
