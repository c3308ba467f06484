#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/cuda/runtime.hpp"
#include "kernels/core/queue/memory.hpp"

namespace isotherm {

/// The smallest device allocation that may be exported. Smaller ones may lie in one block with
/// others, and exporting the block would share those, too.
inline constexpr std::size_t min_exported_bytes = std::size_t{2} << 20;

/// A block of memory of each rank that the other ranks of its host can write. On CUDA it is device
/// memory opened through CUDA IPC; on the CPU an MPI window that the processes share.
///
/// If the block cannot be allocated or shared, the object is empty and obstacle() gives the reason.
///
///     PeerMemory memory(ranks, queue, bytes);
///     // send memory.offer() to the neighbour and receive its offer
///     if (std::byte* const theirs = memory.reach(neighbour, offer); theirs != nullptr) {
///       // work on the queue may write to `theirs`
///     }
class PeerMemory {
 public:
  /// The data by which another rank of the host opens this rank's block.
  struct Offer {
    cuda::MemoryHandle handle{};  ///< on CUDA
    std::size_t offset = 0;  ///< on the CPU: from the start of the window to the block, in bytes
    bool valid = false;      ///< false if the block cannot be shared
  };

  /// Allocates a block of `bytes` bytes, aligned to 256 and set to 0. Collective.
  /// @param ranks  must outlive the object
  PeerMemory(mpi::Communicator const& ranks, Queue& queue, std::size_t bytes);
  /// Collective, except while an exception unwinds: then other ranks may be elsewhere, and the job
  /// is about to end. @pre  no rank's work still writes to another rank's block
  ~PeerMemory();
  PeerMemory(PeerMemory const&) = delete;
  PeerMemory& operator=(PeerMemory const&) = delete;

  /// Returns an upper bound on its memory in bytes (on the CPU: shared memory); see
  /// Buffer::footprint.
  static std::size_t footprint(Backend backend, std::size_t bytes);

  /// This rank's block, or null if there is none.
  [[nodiscard]] std::byte* own() const { return own_; }
  [[nodiscard]] Offer offer() const { return offer_; }
  /// Returns the block of `rank` in this process' address space, or null if it cannot be reached. A
  /// block is opened once and remains open until the destructor.
  std::byte* reach(int rank, Offer const& offer);
  /// The reason why there is no block, or why a rank was not reached; empty after success.
  [[nodiscard]] std::string const& obstacle() const { return obstacle_; }

 private:
  struct Window;
  /// Allocates the block on the CPU. Collective over the ranks of the host.
  void allocate_shared(std::size_t bytes);
  /// Allocates the MPI window, if MPI can. Collective over the ranks of the host.
  void allocate_window(std::size_t bytes);
  /// Allocates and exports the block on a CUDA device.
  void allocate_on_device(Queue& queue, std::size_t bytes);
  /// Opens another rank's block, or returns null and sets obstacle_.
  std::byte* open(int rank, Offer const& offer);

  mpi::Communicator const* ranks_;
  Backend backend_;
  int device_;
  std::unique_ptr<Window> window_;  ///< the ranks of this host; on the CPU with their memory
  Buffer block_;                    ///< on CUDA
  std::byte* own_ = nullptr;
  Offer offer_{};
  std::map<int, std::byte*> reached_{};  ///< opened blocks by rank; null if out of reach
  std::string obstacle_{};
};

}  // namespace isotherm
