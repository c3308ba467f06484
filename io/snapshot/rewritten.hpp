#pragma once

#include <filesystem>

namespace isotherm {

/// How another program, such as h5repack, has written a snapshot anew. Its values keep their
/// checksums.
enum class Rewritten {
  no,
  as_it_was,
  in_another_layout  ///< some fields lie in other chunks, or have passed other filters
};

/// @throws InputError  if the file cannot be read
Rewritten how_rewritten(std::filesystem::path const& path);

}  // namespace isotherm
