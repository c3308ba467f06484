#pragma once

#include <map>
#include <memory>
#include <string>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/cuda/runtime.hpp"
#include "kernels/core/memory.hpp"

namespace isotherm {

/// A block of memory of each rank that the other ranks of its host can write: device memory where
/// the queue is on CUDA, memory shared by the processes on the CPU.
class PeerMemory {
 public:
  /// What another rank needs to reach this rank's block.
  struct Offer {
    cuda::MemoryHandle handle{};  ///< on CUDA
    std::size_t offset = 0;       ///< bytes from what MPI shares to the block, on the CPU
    bool valid = false;
  };

  /// Of `bytes` bytes, all 0, aligned to 256. Collective. Where it cannot be had or shared the
  /// object is empty, and obstacle() says why.
  PeerMemory(mpi::Communicator const& ranks, Queue& queue, std::size_t bytes);
  /// Collective, when no rank's work writes to another's block any more. Not collective while an
  /// exception unwinds, as the other ranks may be elsewhere: the job is about to end.
  ~PeerMemory();
  PeerMemory(PeerMemory const&) = delete;
  PeerMemory& operator=(PeerMemory const&) = delete;

  /// See Buffer::footprint; on the CPU of the memory that processes share.
  static std::size_t footprint(Backend backend, std::size_t bytes);

  [[nodiscard]] std::byte* own() const { return own_; }
  [[nodiscard]] Offer offer() const { return offer_; }
  /// The block of `rank` in this rank's addresses, or null where it cannot be reached.
  std::byte* reach(int rank, Offer const& offer);
  /// Why there is no memory, or a rank was not reached; empty where all went well.
  [[nodiscard]] std::string const& obstacle() const { return obstacle_; }

 private:
  struct Window;
  void allocate_shared(std::size_t bytes);
  void allocate_window(std::size_t bytes);
  void allocate_on_device(Queue& queue, std::size_t bytes);
  std::byte* open(int rank, Offer const& offer);

  mpi::Communicator const* ranks_;
  Backend backend_;
  int device_;
  std::unique_ptr<Window> window_;  ///< who is on this host; on the CPU their memory too
  Buffer block_;                    ///< on CUDA
  std::byte* own_ = nullptr;
  Offer offer_{};
  std::map<int, std::byte*> reached_{};  ///< by rank
  std::string obstacle_{};
};

}  // namespace isotherm
