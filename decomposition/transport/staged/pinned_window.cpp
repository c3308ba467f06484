#include "decomposition/transport/staged/pinned_window.hpp"

#include <cstdint>

#include "kernels/core/cuda/pinning.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

constexpr std::size_t page = 4096;

/// Bytes of the whole pages that hold `bytes` bytes.
std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

/// Bytes to allocate, such that whole pages fit at any address.
std::size_t room_for(std::size_t bytes) { return whole_pages(bytes) + page; }

}  // namespace

PinnedWindow::PinnedWindow(mpi::Communicator const& ranks, Queue& queue, std::size_t bytes)
    : host_(Backend::cpu),
      backend_(queue.backend()),
      device_(queue.device()),
      bytes_(bytes),
      memory_(ranks, host_, room_for(bytes)) {
  if (memory_.own() != nullptr) own_ = pinned(memory_.own(), bytes);
}

PinnedWindow::~PinnedWindow() {
  for (std::byte* const first : registered_) cuda::unpin(device_, first);
}

std::size_t PinnedWindow::footprint(Backend backend, std::size_t bytes) {
  return backend == Backend::cpu ? PeerMemory::footprint(backend, room_for(bytes)) : 0;
}

std::byte* PinnedWindow::reach(int rank, Offer const& offer) {
  if (own_ == nullptr) return nullptr;
  std::byte* const block = memory_.reach(rank, offer.memory);
  return block == nullptr ? nullptr : pinned(block, offer.bytes);
}

std::byte* PinnedWindow::pinned(std::byte* block, std::size_t bytes) {
  if (auto const known = pinned_.find(block); known != pinned_.end()) return known->second;
  // Processes map shared memory in whole pages, so this is the same byte in all of them.
  std::byte* const first = block + (page - reinterpret_cast<std::uintptr_t>(block) % page) % page;
  if (backend_ == Backend::cuda && bytes > 0) {
    try {
      cuda::pin(device_, first, whole_pages(bytes));
      registered_.push_back(first);
    } catch (Error const& error) {
      obstacle_ = std::string("shared host memory cannot be pinned: ") + error.what();
      return pinned_[block] = nullptr;
    }
  }
  return pinned_[block] = first;
}

}  // namespace isotherm
