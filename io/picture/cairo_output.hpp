#pragma once

#include <cairo.h>
#include <new>
#include <string>

#include "io/picture/film/image.hpp"

namespace isotherm {

/// Returns the pixels of an image surface of the format RGB24.
Image image_of(cairo_surface_t* surface);

/// Appends Cairo's output to a string: a cairo_write_func_t. Cairo is a C library, so no exception
/// may pass through it.
/// @param bytes  a std::string
inline cairo_status_t append_cairo_output(void* bytes, unsigned char const* data,
                                          unsigned length) noexcept try {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<char const*>(data), length);
  return CAIRO_STATUS_SUCCESS;
} catch (std::bad_alloc const&) {
  return CAIRO_STATUS_NO_MEMORY;
}

}  // namespace isotherm
