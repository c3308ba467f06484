#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/files/descriptor.hpp"

namespace isotherm {

/// A file in a ZIP archive.
struct ZipEntry {
  std::string name{};
  bool deflated = false;
  std::uint32_t crc = 0;           ///< CRC-32 of the contents
  std::uint64_t stored_bytes = 0;  ///< in the archive
  std::uint64_t bytes = 0;         ///< of the contents
  std::uint64_t header = 0;        ///< offset of its header in the archive
};

/// A ZIP archive of stored and deflated files, with or without the ZIP64 extension (PKWARE's
/// APPNOTE.TXT 6.3.10).
///
/// No number of the file is trusted: all offsets and sizes are compared with its size, and a
/// deflated file is expanded only into the memory that its reader allows.
///
///     ZipArchive const archive("data.npz");
///     for (ZipEntry const& entry : archive.entries()) std::cout << entry.name;
class ZipArchive {
 public:
  /// Reads the list of files. @throws InputError  if the archive is damaged
  explicit ZipArchive(std::filesystem::path const& path);

  [[nodiscard]] std::vector<ZipEntry> const& entries() const { return entries_; }
  /// Returns where the bytes of an entry begin. @throws InputError  if they lie beyond the end
  [[nodiscard]] std::uint64_t begin_of(ZipEntry const& entry) const;
  /// Reads bytes of the archive. @throws InputError  if it ends before
  void read(std::uint64_t offset, void* to, std::size_t bytes) const;
  /// Returns the contents of a deflated entry.
  /// @param maximum  refuses longer contents, in bytes
  /// @throws InputError  if the entry is damaged
  [[nodiscard]] std::vector<unsigned char> expanded(ZipEntry const& entry,
                                                    std::uint64_t maximum) const;
  /// Compares the contents of a stored entry with its checksum. Reads it in pieces.
  /// @pre  it is not deflated; expanded() compares itself
  /// @throws InputError  if the entry is damaged
  void verify(ZipEntry const& entry) const;

 private:
  void read_directory();
  [[noreturn]] void damaged(std::string const& what) const;

  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t size_;
  std::vector<ZipEntry> entries_{};
};

}  // namespace isotherm
