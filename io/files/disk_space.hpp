#pragma once

#include <cstdint>
#include <filesystem>

namespace isotherm {

/// Makes sure that `file`, which exists, can grow to `bytes` bytes: compares with the free space,
/// and reserves the blocks if there is a disk whose file system can do so. The file's size does not
/// change. Serial.
/// @throws Error  naming the space that is needed and that there is
void reserve_space(std::filesystem::path const& file, std::uint64_t bytes);

}  // namespace isotherm
