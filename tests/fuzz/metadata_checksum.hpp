#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isotherm::test {

/// A part of an HDF5 file with its own checksum, stored in the four bytes after it.
struct CheckedPart {
  std::size_t begin;
  std::size_t end;
};

/// Finds these parts in a valid file: the superblock, object headers and their continuations, and
/// the indexes of links, attributes and chunks.
std::vector<CheckedPart> checked_parts(std::string const& file);

/// Updates the checksum of a part.
void mend(std::string& file, CheckedPart const& part);

/// Bob Jenkins' hash function lookup3, which HDF5 uses.
std::uint32_t lookup3(std::string_view bytes);

}  // namespace isotherm::test
