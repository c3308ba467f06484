#include "kernels/core/queue/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "kernels/core/byte_count.hpp"
#include "kernels/core/cuda/runtime.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/core/queue/huge_pages.hpp"

namespace isotherm {

namespace {

/// Alignment of small host buffers, that of CUDA's allocations.
constexpr std::size_t alignment = 256;

/// Rounds up to a multiple of `unit`; returns uncountable_bytes if the multiple overflows.
std::size_t round_up(std::size_t bytes, std::size_t unit) {
  // The sum below would overflow.
  if (bytes > uncountable_bytes - (unit - 1)) return uncountable_bytes;
  return (bytes + unit - 1) / unit * unit;
}

/// Returns the alignment of a host allocation. Large buffers use huge pages if the system has them.
std::size_t host_unit(std::size_t bytes) { return takes_huge_pages(bytes) ? huge_page : alignment; }

/// Allocates host memory.
/// @throws Error  if there is not enough
void* allocate_host(std::size_t bytes) {
  std::size_t const unit = host_unit(bytes);
  // std::aligned_alloc requires a size that is a multiple of the alignment.
  std::size_t const rounded = round_up(bytes, unit);
  void* const memory = rounded == uncountable_bytes ? nullptr : std::aligned_alloc(unit, rounded);
  require(memory != nullptr, "out of host memory: " + std::to_string(bytes) +
                                 " bytes are needed, but only " +
                                 std::to_string(device_info(Backend::cpu).free_bytes) +
                                 " are free (use more ranks, or a smaller grid)");
  if (unit == huge_page) advise_huge_pages(memory, rounded);
  return memory;
}

}  // namespace

Buffer::Buffer(Queue& queue, Space space, std::size_t bytes)
    : device_(queue.device()), bytes_(bytes) {
  if (bytes == 0) return;
  // On the CPU every Space is ordinary host memory.
  if (queue.backend() == Backend::cpu || space == Space::host) {
    data_ = allocate_host(bytes);
    kind_ = Kind::host;
  } else if (space == Space::pinned) {
    data_ = cuda::allocate_pinned(device_, bytes);
    kind_ = Kind::cuda_pinned;
  } else {
    data_ = cuda::allocate_device(device_, bytes);
    kind_ = Kind::cuda_device;
  }
}

std::size_t Buffer::footprint(Backend backend, Space space, std::size_t bytes) {
  if (backend == Backend::cpu) return round_up(bytes, host_unit(bytes));
  // Host memory is not limited by the device.
  if (space != Space::device) return 0;
  // CUDA allocates pages of 2 MiB, and subdivides them for requests below half a page.
  constexpr std::size_t page = std::size_t{2} << 20;
  return round_up(bytes, bytes < page / 2 ? 2 * alignment : page);
}

Buffer::~Buffer() {
  switch (kind_) {
    case Kind::empty:
      break;
    case Kind::host:
      std::free(data_);
      break;
    case Kind::cuda_device:
      cuda::free_device(device_, data_);
      break;
    case Kind::cuda_pinned:
      cuda::free_pinned(device_, data_);
      break;
  }
}

Buffer::Buffer(Buffer&& other) noexcept
    : kind_(std::exchange(other.kind_, Kind::empty)),
      device_(other.device_),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  // The destructor of `taken` releases this Buffer's previous memory.
  Buffer taken(std::move(other));
  std::swap(kind_, taken.kind_);
  std::swap(device_, taken.device_);
  std::swap(data_, taken.data_);
  std::swap(bytes_, taken.bytes_);
  return *this;
}

namespace {

/// Distributes a long range of bytes over the threads in blocks. A single core cannot saturate the
/// memory bandwidth. Also, first touch places pages near the thread that will sweep them.
template <class Work>
void in_blocks(std::size_t bytes, Work const& work) {
  constexpr std::size_t block = std::size_t{1} << 20;
  auto const blocks = static_cast<std::int64_t>((bytes + block - 1) / block);
#pragma omp parallel for schedule(static) if (blocks > 1)
  for (std::int64_t b = 0; b < blocks; ++b) {
    std::size_t const first = static_cast<std::size_t>(b) * block;
    work(first, std::min(block, bytes - first));
  }
}

}  // namespace

void copy_bytes(Queue& queue, void* to, void const* from, std::size_t bytes) {
  if (bytes == 0) return;
  dispatch(
      queue,
      [&] {
        in_blocks(bytes, [&](std::size_t first, std::size_t count) {
          std::memcpy(static_cast<char*>(to) + first, static_cast<char const*>(from) + first,
                      count);
        });
      },
      [&](auto) { cuda::copy(queue, to, from, bytes); });
}

void fill_bytes(Queue& queue, void* to, int value, std::size_t bytes) {
  if (bytes == 0) return;
  dispatch(
      queue,
      [&] {
        in_blocks(bytes, [&](std::size_t first, std::size_t count) {
          std::memset(static_cast<char*>(to) + first, value, count);
        });
      },
      [&](auto) { cuda::fill(queue, to, value, bytes); });
}

}  // namespace isotherm
