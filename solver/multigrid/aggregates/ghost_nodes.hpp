#pragma once

#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// The place of a node: the rank that owns it, and its row there.
struct NodeAddress {
  std::int32_t rank = -1;  ///< −1: no node
  std::int32_t row = 0;

  [[nodiscard]] bool exists() const { return rank >= 0; }
  /// One number for both, in the order of addresses.
  [[nodiscard]] std::uint64_t key() const {
    return (static_cast<std::uint64_t>(rank) << 32U) | static_cast<std::uint32_t>(row);
  }
  /// Returns the address with this key.
  static NodeAddress of(std::uint64_t key) {
    return {static_cast<std::int32_t>(key >> 32U), static_cast<std::int32_t>(key)};
  }
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 finds a 0 in what the compiler generates
  auto operator<=>(NodeAddress const&) const = default;
};

/// The nodes of a level that a rank works with: its own, numbered from 0, then its ghosts, which
/// other ranks own, in the order of their addresses.
///
/// All members except the plain lookups are collective. On one rank, or without ranks, there are no
/// ghosts and no messages.
class GhostNodes {
 public:
  /// The nodes of a level that this rank holds alone.
  explicit GhostNodes(std::size_t owned = 0) : owned_(owned) {}
  /// @param ranks  must outlive the object
  /// @param owned  number of nodes that this rank owns
  /// @param ghosts  addresses of others, in any order, with repetitions
  GhostNodes(mpi::Communicator const& ranks, std::size_t owned, std::vector<NodeAddress> ghosts);

  [[nodiscard]] std::size_t owned() const { return owned_; }
  [[nodiscard]] std::size_t total() const { return owned_ + ghosts_.size(); }
  /// The addresses of the ghosts, ascending.
  [[nodiscard]] std::vector<NodeAddress> const& ghosts() const { return ghosts_; }
  /// The ranks that share the level; null if this rank holds it alone.
  [[nodiscard]] mpi::Communicator const* ranks() const { return ranks_; }
  [[nodiscard]] std::int32_t rank() const { return ranks_ == nullptr ? 0 : ranks_->rank(); }

  /// Returns the address of a node.
  [[nodiscard]] NodeAddress address(std::size_t node) const {
    if (node >= owned_) return ghosts_[node - owned_];
    return {rank(), static_cast<std::int32_t>(node)};
  }
  /// Returns the number of the node with this address. @pre  It is one of this object's nodes.
  [[nodiscard]] std::size_t number(NodeAddress address) const;

  /// Sets the values of the ghosts to those of their owners. @pre  values.size() == total()
  template <class Value>
  void fill(std::vector<Value>& values) const;
  /// Adds the values of ghosts to those of their owners. @pre  values.size() == total()
  template <class Value>
  void add_to_owners(std::vector<Value>& values) const;
  /// Sends the values of the rows that other ranks have as ghosts.
  /// @param chosen  values of the rows wanted(), rank after rank
  /// @param ghosts  receives the values of this rank's ghosts
  template <class Value>
  void send_to_ghosts(Value const* chosen, Value* ghosts) const;
  /// Sends the values of ghosts to their owners.
  /// @param ghosts   values of this rank's ghosts
  /// @param arrived  receives a value for each row of wanted(), rank after rank
  template <class Value>
  void send_to_owners(Value const* ghosts, Value* arrived) const;
  /// True if some rank has ghosts.
  [[nodiscard]] bool has_messages() const { return !wanted_.empty(); }
  /// The rows that each rank has as ghosts; empty if there are no messages.
  [[nodiscard]] std::vector<std::vector<std::int32_t>> const& wanted() const { return wanted_; }

  /// Returns the number of nodes that each rank owns, in rank order.
  [[nodiscard]] std::vector<std::int64_t> counts() const;
  /// Reductions over the ranks that share the level.
  [[nodiscard]] std::int64_t sum(std::int64_t value) const {
    return ranks_ == nullptr ? value : ranks_->sum(value);
  }
  [[nodiscard]] double sum(double value) const {
    return ranks_ == nullptr ? value : ranks_->sum(value);
  }
  [[nodiscard]] bool any(bool value) const {
    return ranks_ == nullptr ? value : ranks_->any(value);
  }

 private:
  /// Returns the ghosts of a rank: from the first number to before the second, numbered from 0.
  [[nodiscard]] std::pair<std::size_t, std::size_t> ghosts_of(std::size_t rank) const;

  mpi::Communicator const* ranks_ = nullptr;
  std::size_t owned_;
  std::vector<NodeAddress> ghosts_{};
  std::vector<std::vector<std::int32_t>> wanted_{};
};

}  // namespace isotherm
