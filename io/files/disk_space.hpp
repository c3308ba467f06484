#pragma once

#include <cstdint>
#include <filesystem>

namespace isotherm {

/// Ensures that an existing file can grow to `bytes` bytes, before hours of work are spent on its
/// contents. It checks the limit on file sizes and the free space, and reserves the blocks on the
/// disk if the file system supports that. The length of the file does not change. Not collective.
/// @throws Error  with the required and the available space
void reserve_space(std::filesystem::path const& file, std::uint64_t bytes);

}  // namespace isotherm
