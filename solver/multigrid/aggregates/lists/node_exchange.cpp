#include "solver/multigrid/aggregates/lists/node_exchange.hpp"

#include <utility>

#include "kernels/core/stopwatch.hpp"

namespace isotherm {

namespace {

/// Returns the rows that each rank has as ghosts, rank after rank.
std::vector<std::int32_t> all_wanted(GhostNodes const& nodes) {
  std::vector<std::int32_t> all;
  for (auto const& rows : nodes.wanted()) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

/// Returns the number of the first of each rank's rows among all_wanted(), and their total.
std::vector<std::int64_t> begins_of(GhostNodes const& nodes) {
  std::vector<std::int64_t> begins{0};
  for (auto const& rows : nodes.wanted()) {
    begins.push_back(begins.back() + static_cast<std::int64_t>(rows.size()));
  }
  return begins;
}

}  // namespace

template <class Real>
NodeExchange<Real>::NodeExchange(Queue& queue, GhostNodes nodes)
    : queue_(&queue),
      nodes_(std::move(nodes)),
      wanted_(queue, all_wanted(nodes_)),
      begins_(begins_of(nodes_)),
      of_wanted_(queue, wanted_.size()),
      of_ghosts_(queue, nodes_.ghosts().size()) {}

template <class Real>
void NodeExchange<Real>::fill(Real* values) {
  if (!nodes_.has_messages()) return;
  choose_values(*queue_, wanted_.data(), begins_.back(), values, of_wanted_.on_queue());
  of_wanted_.fetch(*queue_);
  {
    Stopwatch const watch(seconds_);
    nodes_.send_to_ghosts(of_wanted_.on_host(), of_ghosts_.on_host());
  }
  of_ghosts_.send(*queue_);
  copy_bytes(*queue_, values + nodes_.owned(), of_ghosts_.on_queue(),
             of_ghosts_.size() * sizeof(Real));
}

template <class Real>
void NodeExchange<Real>::add_to_owners(Real* values) {
  if (!nodes_.has_messages()) return;
  copy_bytes(*queue_, of_ghosts_.on_queue(), values + nodes_.owned(),
             of_ghosts_.size() * sizeof(Real));
  of_ghosts_.fetch(*queue_);
  {
    Stopwatch const watch(seconds_);
    nodes_.send_to_owners(of_ghosts_.on_host(), of_wanted_.on_host());
  }
  of_wanted_.send(*queue_);
  // A rank wants each row once, but several ranks may want the same row.
  for (std::size_t rank = 0; rank + 1 < begins_.size(); ++rank) {
    std::int64_t const begin = begins_[rank];
    add_values(*queue_, wanted_.data() + begin, begins_[rank + 1] - begin,
               of_wanted_.on_queue() + begin, values);
  }
}

template class NodeExchange<float>;
template class NodeExchange<double>;

}  // namespace isotherm
