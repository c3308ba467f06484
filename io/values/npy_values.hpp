#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "io/values/value_source.hpp"

// Arrays in NumPy's formats .npy and .npz
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).

namespace isotherm {

/// The bytes of an array file: a whole .npy file, or an entry of a .npz archive.
struct ArrayBytes {
  std::uint64_t size = 0;
  /// Reads `count` bytes at an offset. Several threads may call it at the same time.
  std::function<void(std::uint64_t offset, void* to, std::size_t count)> read{};
  /// Compares all bytes with their checksum. Null if there is none, or if it has been compared.
  std::function<void()> verify{};
};

/// Opens an array file whose bytes are given: real numbers or Booleans of at most 8 bytes, in C or
/// Fortran order and in either byte order.
/// @param where  the file and the array, for messages
/// @throws InputError  if it is damaged, or if its values have another type or shape
std::unique_ptr<ValueSource> open_array(ArrayBytes bytes, std::string where,
                                        RequiredShape const& wanted);

/// Opens a file that numpy.save() has written. Values are read from the file on demand.
/// @throws InputError  as open_array(); if the file does not exist
std::unique_ptr<ValueSource> open_npy(std::filesystem::path const& path,
                                      RequiredShape const& wanted);

/// Opens an array of a file that numpy.savez() or numpy.savez_compressed() has written. A
/// compressed array is kept in memory.
/// @param name  of the array; empty: the only one
/// @throws NoSuchDataset  if the file lacks it @throws InputError  as open_npy()
std::unique_ptr<ValueSource> open_npz(std::filesystem::path const& path, std::string const& name,
                                      RequiredShape const& wanted);

}  // namespace isotherm
