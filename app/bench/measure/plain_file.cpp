#include "app/bench/measure/plain_file.hpp"

#include <algorithm>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "decomposition/ranks/together.hpp"
#include "io/files/descriptor.hpp"

namespace isotherm {

namespace {

/// Size of the blocks that one call writes or reads.
constexpr std::size_t block_bytes = std::size_t{16} << 20;

/// Returns the offset of this rank's bytes, aligned to the pages of memory and the sectors of
/// disks. Collective. Ranks may have different numbers of bytes, so all sizes are gathered.
/// Alignment leaves small gaps in the file, which remain unwritten.
std::uint64_t place_of(mpi::Communicator const& ranks, std::size_t bytes) {
  constexpr std::uint64_t unit = 4096;
  std::vector<std::string> const all = ranks.all_gather(std::to_string(bytes));
  std::uint64_t place = 0;
  for (int rank = 0; rank < ranks.rank(); ++rank) {
    place += (std::stoull(all[static_cast<std::size_t>(rank)]) + unit - 1) / unit * unit;
  }
  return place;
}

/// Calls work(offset, bytes) for each block in order.
template <class Work>
void for_each_block(std::size_t bytes, Work const& work) {
  for (std::size_t at = 0; at < bytes; at += block_bytes) {
    work(at, std::min(block_bytes, bytes - at));
  }
}

}  // namespace

PlainFile::PlainFile(mpi::Communicator const& ranks, std::filesystem::path path, std::size_t bytes)
    : ranks_(ranks), path_(std::move(path)), place_(place_of(ranks, bytes)) {}

// create_new_file() refuses existing files, so no file of the user can be overwritten.
void PlainFile::write(std::span<std::byte const> bytes) const {
  // The root creates the file; the other ranks may open it only afterwards.
  on_root(ranks_, [&] { (void)create_new_file(path_); });
  together(ranks_, [&] {
    Descriptor file = open_file(path_, O_WRONLY | O_NOFOLLOW);
    for_each_block(bytes.size(), [&](std::size_t at, std::size_t count) {
      write_at(file, place_ + at, bytes.data() + at, count, path_);
    });
    sync_and_close(std::move(file), path_);
  });
}

void PlainFile::read(std::span<std::byte> bytes) const {
  together(ranks_, [&] {
    Descriptor const file = open_file(path_, O_RDONLY | O_NOFOLLOW);
    for_each_block(bytes.size(), [&](std::size_t at, std::size_t count) {
      read_at(file, place_ + at, bytes.data() + at, count, path_);
    });
  });
}

void drop_from_memory(std::filesystem::path const& path) {
  Descriptor const file = open_file(path, O_RDONLY | O_NOFOLLOW);
  (void)::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);  // may be ignored
}

double share_in_memory(std::filesystem::path const& path) {
  auto const bytes = static_cast<std::size_t>(std::filesystem::file_size(path));
  if (bytes == 0) return 0.0;
  // mincore() reports the resident pages of a mapping, which are those in the page cache.
  Descriptor const file = open_file(path, O_RDONLY | O_NOFOLLOW);
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) fail_on("map", path);
  auto const page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((bytes + page - 1) / page);
  bool const known = ::mincore(mapped, bytes, pages.data()) == 0;
  ::munmap(mapped, bytes);
  if (!known) fail_on("query the cached pages of", path);
  auto const there = std::ranges::count_if(pages, [](unsigned char of) { return (of & 1) != 0; });
  return static_cast<double>(there) / static_cast<double>(pages.size());
}

}  // namespace isotherm
