#include "solver/multigrid/aggregates/ghost_nodes.hpp"

#include <algorithm>
#include <cstring>

namespace isotherm {

namespace {

using mpi::Bytes;

/// Returns the values as bytes.
template <class Value>
Bytes bytes_of(std::vector<Value> const& values) {
  Bytes bytes(values.size() * sizeof(Value));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Returns the values of a message.
template <class Value>
std::vector<Value> values_of(Bytes const& bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

GhostNodes::GhostNodes(mpi::Communicator const& ranks, std::size_t owned,
                       std::vector<NodeAddress> ghosts)
    : ranks_(ranks.size() > 1 ? &ranks : nullptr), owned_(owned), ghosts_(std::move(ghosts)) {
  std::ranges::sort(ghosts_);
  ghosts_.erase(std::ranges::unique(ghosts_).begin(), ghosts_.end());
  if (ranks_ == nullptr || !ranks.any(!ghosts_.empty())) return;
  // Every rank asks the owners of its ghosts.
  auto const count = static_cast<std::size_t>(ranks.size());
  std::vector<Bytes> requests(count);
  for (std::size_t r = 0; r < count; ++r) {
    std::vector<std::int32_t> rows;
    auto const [begin, end] = ghosts_of(r);
    for (std::size_t n = begin; n < end; ++n) rows.push_back(ghosts_[n - owned_].row);
    requests[r] = bytes_of(rows);
  }
  for (Bytes const& request : ranks.exchange(requests)) {
    wanted_.push_back(values_of<std::int32_t>(request));
  }
}

std::pair<std::size_t, std::size_t> GhostNodes::ghosts_of(std::size_t rank) const {
  auto const first = [&](std::size_t r) {
    auto const at = std::ranges::lower_bound(ghosts_, NodeAddress{static_cast<std::int32_t>(r), 0});
    return owned_ + static_cast<std::size_t>(at - ghosts_.begin());
  };
  return {first(rank), first(rank + 1)};
}

std::size_t GhostNodes::number(NodeAddress address) const {
  if (address.rank == rank()) return static_cast<std::size_t>(address.row);
  auto const at = std::ranges::lower_bound(ghosts_, address);
  return owned_ + static_cast<std::size_t>(at - ghosts_.begin());
}

std::vector<std::int64_t> GhostNodes::counts() const {
  if (ranks_ == nullptr) return {static_cast<std::int64_t>(owned_)};
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(ranks_->size()));
  counts[static_cast<std::size_t>(rank())] = owned_;
  counts = ranks_->sum(std::move(counts));
  return {counts.begin(), counts.end()};
}

template <class Value>
void GhostNodes::fill(std::vector<Value>& values) const {
  if (!has_messages()) return;
  std::vector<Bytes> messages(wanted_.size());
  for (std::size_t r = 0; r < wanted_.size(); ++r) {
    std::vector<Value> chosen;
    chosen.reserve(wanted_[r].size());
    for (std::int32_t const row : wanted_[r])
      chosen.push_back(values[static_cast<std::size_t>(row)]);
    messages[r] = bytes_of(chosen);
  }
  std::vector<Bytes> const arrived = ranks_->exchange(messages);
  for (std::size_t r = 0; r < arrived.size(); ++r) {
    std::ranges::copy(values_of<Value>(arrived[r]),
                      values.begin() + static_cast<std::ptrdiff_t>(ghosts_of(r).first));
  }
}

template <class Value>
void GhostNodes::add_to_owners(std::vector<Value>& values) const {
  if (!has_messages()) return;
  std::vector<Bytes> messages(wanted_.size());
  for (std::size_t r = 0; r < wanted_.size(); ++r) {
    auto const [begin, end] = ghosts_of(r);
    messages[r] = bytes_of(std::vector<Value>(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                              values.begin() + static_cast<std::ptrdiff_t>(end)));
  }
  std::vector<Bytes> const arrived = ranks_->exchange(messages);
  for (std::size_t r = 0; r < arrived.size(); ++r) {
    std::vector<Value> const added = values_of<Value>(arrived[r]);
    for (std::size_t n = 0; n < added.size(); ++n) {
      values[static_cast<std::size_t>(wanted_[r][n])] += added[n];
    }
  }
}

template void GhostNodes::fill(std::vector<float>&) const;
template void GhostNodes::fill(std::vector<double>&) const;
template void GhostNodes::fill(std::vector<std::int64_t>&) const;
template void GhostNodes::fill(std::vector<std::uint64_t>&) const;
template void GhostNodes::add_to_owners(std::vector<float>&) const;
template void GhostNodes::add_to_owners(std::vector<double>&) const;

}  // namespace isotherm
