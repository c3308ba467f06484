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
  ghosts_.erase(std::unique(ghosts_.begin(), ghosts_.end()), ghosts_.end());
  if (ranks_ == nullptr || !ranks.any(!ghosts_.empty())) return;
  // Every rank asks the owners of its ghosts.
  auto const count = static_cast<std::size_t>(ranks.size());
  std::vector<Bytes> requests(count);
  for (std::size_t r = 0; r < count; ++r) {
    std::vector<std::int32_t> rows;
    auto const [begin, end] = ghosts_of(r);
    for (std::size_t n = begin; n < end; ++n) rows.push_back(ghosts_[n].row);
    requests[r] = bytes_of(rows);
  }
  for (Bytes const& request : ranks.exchange(requests)) {
    wanted_.push_back(values_of<std::int32_t>(request));
  }
}

std::pair<std::size_t, std::size_t> GhostNodes::ghosts_of(std::size_t rank) const {
  auto const first = [&](std::size_t r) {
    auto const at = std::ranges::lower_bound(ghosts_, NodeAddress{static_cast<std::int32_t>(r), 0});
    return static_cast<std::size_t>(at - ghosts_.begin());
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
void GhostNodes::send_to_ghosts(Value const* chosen, Value* ghosts) const {
  std::vector<Bytes> messages;
  for (std::vector<std::int32_t> const& rows : wanted_) {
    messages.push_back(bytes_of(std::vector<Value>(chosen, chosen + rows.size())));
    chosen += rows.size();
  }
  std::vector<Bytes> const arrived = ranks_->exchange(messages);
  for (std::size_t r = 0; r < arrived.size(); ++r) {
    std::ranges::copy(values_of<Value>(arrived[r]), ghosts + ghosts_of(r).first);
  }
}

template <class Value>
void GhostNodes::send_to_owners(Value const* ghosts, Value* arrived) const {
  std::vector<Bytes> messages;
  for (std::size_t r = 0; r < wanted_.size(); ++r) {
    auto const [begin, end] = ghosts_of(r);
    messages.push_back(bytes_of(std::vector<Value>(ghosts + begin, ghosts + end)));
  }
  for (Bytes const& message : ranks_->exchange(messages)) {
    arrived = std::ranges::copy(values_of<Value>(message), arrived).out;
  }
}

template <class Value>
void GhostNodes::fill(std::vector<Value>& values) const {
  if (!has_messages()) return;
  std::vector<Value> chosen;
  for (std::vector<std::int32_t> const& rows : wanted_) {
    for (std::int32_t const row : rows) chosen.push_back(values[static_cast<std::size_t>(row)]);
  }
  send_to_ghosts(chosen.data(), values.data() + owned_);
}

template <class Value>
void GhostNodes::add_to_owners(std::vector<Value>& values) const {
  if (!has_messages()) return;
  std::vector<Value> arrived;
  for (std::vector<std::int32_t> const& rows : wanted_)
    arrived.resize(arrived.size() + rows.size());
  send_to_owners(values.data() + owned_, arrived.data());
  auto added = arrived.begin();
  for (std::vector<std::int32_t> const& rows : wanted_) {
    for (std::int32_t const row : rows) values[static_cast<std::size_t>(row)] += *added++;
  }
}

template void GhostNodes::send_to_ghosts(float const*, float*) const;
template void GhostNodes::send_to_ghosts(double const*, double*) const;
template void GhostNodes::send_to_owners(float const*, float*) const;
template void GhostNodes::send_to_owners(double const*, double*) const;
template void GhostNodes::fill(std::vector<float>&) const;
template void GhostNodes::fill(std::vector<double>&) const;
template void GhostNodes::fill(std::vector<std::int64_t>&) const;
template void GhostNodes::fill(std::vector<std::uint64_t>&) const;
template void GhostNodes::add_to_owners(std::vector<double>&) const;

}  // namespace isotherm
