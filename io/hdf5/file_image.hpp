#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <vector>

#include "io/hdf5/hdf5.hpp"

namespace isotherm::hdf5 {

/// A new HDF5 file whose bytes stay in memory, for the caller to write.
///
/// HDF5 does not survive a disk that fails: it crashes when it closes what it could not write, and
/// ranks that write through it together wait for each other forever. So it never writes to one.
/// The image holds the description only: the values of datasets have a place in the file, and the
/// caller writes them there without HDF5. Serial.
class FileImage {
 public:
  /// Creates the file, in the oldest format that has what we need, for old readers. @throws Error
  FileImage();
  ~FileImage() = default;
  // HDF5 holds the address of what is in here.
  FileImage(FileImage const&) = delete;
  FileImage& operator=(FileImage const&) = delete;

  [[nodiscard]] hid_t id() const { return file_.get(); }

  /// Where the values of a dataset with contiguous layout lie; to be created with `contiguous()`.
  static std::uint64_t place_of(Dataset const& dataset);
  /// The creation properties of a dataset that has its place from the start.
  static PropertyList contiguous();

  /// Finds a place for a chunk of `bytes` bytes, and notes its size and which of the dataset's
  /// filters were left out for it (a bit each). @param first  its first point
  std::uint64_t place_chunk(Dataset const& dataset, std::vector<hsize_t> const& first,
                            std::size_t bytes, std::uint32_t filters_left_out);

  /// Lets HDF5 write what it has of the description so far.
  void flush();
  /// Bytes one after the other.
  struct Part {
    std::uint64_t place;
    std::uint64_t bytes;
  };
  /// Where HDF5 keeps lists of variable length ("global heaps"), which it writes without a checksum
  /// and does not survive when they are damaged; of those that flush() has written. Values that
  /// look like such a place count as one.
  [[nodiscard]] std::vector<Part> heaps() const;
  /// What was written to a part; zeros where nothing was.
  [[nodiscard]] std::vector<char> content_of(Part part) const;

  /// Lets HDF5 write the rest of the description; every object in the file must be closed.
  void close();

  /// The length of the file: of the description and all places.
  [[nodiscard]] std::uint64_t bytes() const { return content_.end; }

  /// Calls write(offset, address, bytes) for each part of the description, the file's first page
  /// last: until that is written, no program takes the file for an HDF5 file.
  template <class Write>
  void for_each_part(Write&& write) const {
    std::for_each(content_.pages.rbegin(), content_.pages.rend(), [&](auto const& entry) {
      auto const& [offset, page] = entry;
      for (std::size_t end = 0, begin = page.next(0, true); begin < page_bytes;
           begin = page.next(end, true)) {
        end = page.next(begin, false);
        write(offset + begin, page.bytes.data() + begin, end - begin);
      }
    });
  }

  static constexpr std::size_t page_bytes = 4096;

  /// A part of the file. Values may lie between what HDF5 wrote, so each byte says whether it is
  /// HDF5's.
  struct Page {
    std::array<char, page_bytes> bytes{};
    std::bitset<page_bytes> written{};

    /// The first byte from `from` on that was written, or was not; page_bytes where there is none.
    [[nodiscard]] std::size_t next(std::size_t from, bool was_written) const {
      while (from < page_bytes && written[from] != was_written) {
        ++from;
      }
      return from;
    }
  };

  /// What HDF5's driver of files works on (file_image.cpp).
  struct Content {
    std::map<std::uint64_t, Page> pages{};  ///< by their offset; what is missing is zero
    std::uint64_t end = 0;
    bool drops_values = false;
    std::uint64_t dropped_at = 0;  ///< where the values would have gone
  };

 private:
  Content content_;
  std::vector<char> never_read_;  ///< given to HDF5 in place of a chunk's values
  File file_;
};

}  // namespace isotherm::hdf5
