#pragma once

#include <cstdint>
#include <filesystem>

namespace isotherm {

/// Makes sure that `file`, which exists, can grow to `bytes` bytes: reserves the blocks where the
/// file system can do so, else looks at what is free. Its size stays as it is. Serial.
/// @throws Error  naming what is needed and what there is
void reserve_space(std::filesystem::path const& file, std::uint64_t bytes);

}  // namespace isotherm
