#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <vector>

#include "io/hdf5/hdf5.hpp"

namespace isotherm::hdf5 {

/// The metadata of a new HDF5 file, built by HDF5 in memory. The caller writes it to the disk.
///
/// HDF5 does not survive a failing disk. It crashes when it closes a file that it could not write.
/// Ranks that write through parallel HDF5 then wait for each other forever. So HDF5 never writes to
/// the disk here. The image contains the metadata only. Each dataset has an address in the file,
/// and the caller writes its values there without HDF5. Not collective.
///
///     hdf5::FileImage image;
///     // create groups, attributes and datasets in image.id(), datasets with image.contiguous()
///     std::uint64_t const address = hdf5::FileImage::address_of(dataset);
///     // write the values at `address` of the file
///     image.close();
///     image.for_each_part([&](auto offset, char const* from, auto bytes) {
///       write_at(file, offset, from, bytes, path);
///     });
class FileImage {
 public:
  /// Creates the file in the oldest format that has all required features, for old readers.
  /// @throws Error  if HDF5 fails
  FileImage();
  ~FileImage() = default;
  // Neither copyable nor movable: HDF5 stores the address of content_.
  FileImage(FileImage const&) = delete;
  FileImage& operator=(FileImage const&) = delete;

  /// HDF5's id of the file, in which the caller creates objects.
  [[nodiscard]] hid_t id() const { return file_.get(); }

  /// Returns the address in the file of a dataset's values.
  /// @pre  the dataset was created with contiguous()
  static std::uint64_t address_of(Dataset const& dataset);
  /// Returns creation properties for a contiguous dataset that is allocated immediately and never
  /// filled.
  static PropertyList contiguous();

  /// Allocates a compressed chunk of `bytes` bytes and records it in the dataset's chunk index.
  /// Returns its address in the file.
  /// @param first  indices of the chunk's first value
  /// @param filters_left_out  mask of the dataset's filters that were skipped for this chunk
  std::uint64_t place_chunk(Dataset const& dataset, std::vector<hsize_t> const& first,
                            std::size_t bytes, std::uint32_t filters_left_out);

  /// Makes HDF5 write the metadata that it has at this point to the image.
  void flush();
  /// A contiguous range of the file.
  struct Part {
    std::uint64_t place;
    std::uint64_t bytes;
  };
  /// Returns the global heaps written by flush(). HDF5 stores lists of variable length in them,
  /// without a checksum, and does not survive it if they are damaged. Ranges that look like a heap
  /// by chance are included.
  [[nodiscard]] std::vector<Part> heaps() const;
  /// Returns the content of a range; bytes that HDF5 has not written are zero.
  [[nodiscard]] std::vector<char> content_of(Part part) const;

  /// Closes the file, so HDF5 writes the rest of the metadata. @pre  all objects in it are closed
  void close();

  /// The length of the file, metadata and allocated values together.
  [[nodiscard]] std::uint64_t bytes() const { return content_.end; }

  /// Calls write(offset, address, bytes) for each contiguous part of the metadata. The first page
  /// of the file comes last: until it is written, no program recognises the file as HDF5.
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

  /// A page of the image. Values may lie between bytes of metadata, so each byte has a mark that
  /// shows if HDF5 wrote it.
  struct Page {
    std::array<char, page_bytes> bytes{};
    std::bitset<page_bytes> written{};

    /// The first byte at or behind `from` whose mark equals `was_written`, or page_bytes if there
    /// is none.
    [[nodiscard]] std::size_t next(std::size_t from, bool was_written) const {
      while (from < page_bytes && written[from] != was_written) {
        ++from;
      }
      return from;
    }
  };

  /// The state of the virtual file driver (file_image.cpp).
  struct Content {
    std::map<std::uint64_t, Page> pages{};  ///< by offset; missing pages are zero
    std::uint64_t end = 0;                  ///< length of the file
    bool drops_values = false;              ///< true in place_chunk(): raw data is not stored
    std::uint64_t dropped_at = 0;           ///< address of the raw data that was dropped
  };

 private:
  Content content_;
  std::vector<char> never_read_;  ///< passed to HDF5 instead of a chunk's values
  File file_;
};

}  // namespace isotherm::hdf5
