#pragma once

#include <hdf5.h>

#include <algorithm>
#include <string_view>

namespace isotherm::hdf5 {

/// The character set that a text is stored in: ASCII if that suffices. Octave's load stops at a
/// text of fixed length that is UTF-8, and leaves out all that follows it.
inline H5T_cset_t character_set_of(std::string_view text) {
  bool const ascii =
      std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 128; });
  return ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8;
}

}  // namespace isotherm::hdf5
