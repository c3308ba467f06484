#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isotherm::test {

/// A part of an HDF5 file with a checksum of its own, which stands in the four bytes behind it.
struct CheckedPart {
  std::size_t begin;
  std::size_t end;
};

/// What HDF5 has of that kind in a sound file: its superblock, object headers and their
/// continuations, and what indexes links, attributes and chunks.
std::vector<CheckedPart> checked_parts(std::string const& file);

/// Makes the checksum of a part right again.
void mend(std::string& file, CheckedPart const& part);

/// Bob Jenkins' lookup3, which HDF5 uses.
std::uint32_t lookup3(std::string_view bytes);

}  // namespace isotherm::test
