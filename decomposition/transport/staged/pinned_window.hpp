#pragma once

#include <map>
#include <string>
#include <vector>

#include "decomposition/transport/peer/peer_memory.hpp"

namespace isotherm {

/// A block of host memory of each rank that the other ranks of its host can access, and that the
/// devices of all of them copy from and to directly (pinned).
///
/// If the block cannot be shared or pinned, the object is empty and obstacle() gives the reason.
class PinnedWindow {
 public:
  /// The data by which another rank of the host opens this rank's block.
  struct Offer {
    PeerMemory::Offer memory{};
    std::size_t bytes = 0;
  };

  /// Allocates a block of `bytes` bytes, set to 0. Collective.
  /// @param queue  of the device that copies; on the CPU nothing is pinned
  PinnedWindow(mpi::Communicator const& ranks, Queue& queue, std::size_t bytes);
  /// Collective, as ~PeerMemory(). @pre  no copy from or to a block is pending
  ~PinnedWindow();
  PinnedWindow(PinnedWindow const&) = delete;
  PinnedWindow& operator=(PinnedWindow const&) = delete;

  /// Returns an upper bound on its memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, std::size_t bytes);

  /// This rank's block, aligned to 256 bytes, or null if there is none.
  [[nodiscard]] std::byte* own() const { return own_; }
  [[nodiscard]] Offer offer() const { return {memory_.offer(), bytes_}; }
  /// Returns the block of `rank` in this process' address space, or null if it cannot be reached.
  std::byte* reach(int rank, Offer const& offer);
  /// The reason why there is no block, or why a rank was not reached; empty after success.
  [[nodiscard]] std::string const& obstacle() const {
    return obstacle_.empty() ? memory_.obstacle() : obstacle_;
  }

 private:
  /// Pins a block and returns the first whole page in it, or null if that fails.
  std::byte* pinned(std::byte* block, std::size_t bytes);

  Queue host_;  ///< CPU memory is shared, whatever the device
  Backend backend_;
  int device_;
  std::size_t bytes_;
  PeerMemory memory_;
  std::string obstacle_{};
  std::map<std::byte*, std::byte*> pinned_{};  ///< first page of each block; null if that failed
  std::vector<std::byte*> registered_{};       ///< pages to unpin; none of blocks of 0 bytes
  std::byte* own_ = nullptr;
};

}  // namespace isotherm
