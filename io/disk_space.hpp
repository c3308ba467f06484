#pragma once

#include <cstdint>
#include <filesystem>

namespace isotherm {

/// Creates a file of no bytes, or empties it. Serial. @throws Error
void create_empty_file(std::filesystem::path const& file);

/// Makes sure that `file`, which exists, can grow to `bytes` bytes: reserves the blocks where the
/// file system can do so, else looks at what is free. Its size stays as it is.
///
/// Collective writes need this: Open MPI does not come back from one that meets a full disk.
/// Serial. @throws Error  naming what is needed and what there is
void reserve_space(std::filesystem::path const& file, std::uint64_t bytes);

/// Gives back what was reserved beyond the end of `file`. Serial.
/// @throws Error
void release_reserve(std::filesystem::path const& file);

}  // namespace isotherm
