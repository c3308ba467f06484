#pragma once

#include <hdf5.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5/turn.hpp"
#include "kernels/core/box.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/unique_handle.hpp"

namespace isotherm::hdf5 {

/// While it lives, HDF5 prints nothing on stderr: check() carries the text in its exception.
class QuietErrors {
 public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(QuietErrors const&) = delete;
  QuietErrors& operator=(QuietErrors const&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* print_argument_ = nullptr;
};

/// What HDF5 says about the last call that failed, in one line: the call and the innermost reasons.
std::string error_text();

/// Passes an HDF5 return value through; throws Error with HDF5's own text where it is negative.
template <class Result>
Result check(Result result, Where where = Where::here()) {
  if (result < 0) {
    throw Error("HDF5: " + error_text(), where);
  }
  return result;
}

template <herr_t (*Close)(hid_t)>
struct IdTraits {
  using Handle = hid_t;
  static Handle empty() noexcept { return H5I_INVALID_HID; }
  static void close(Handle id) noexcept {
    Turn const turn;
    (void)Close(id);
  }
};
template <herr_t (*Close)(hid_t)>
using Id = UniqueHandle<IdTraits<Close>>;

using File = Id<H5Fclose>;
using Group = Id<H5Gclose>;
using Dataset = Id<H5Dclose>;
using Dataspace = Id<H5Sclose>;
using Datatype = Id<H5Tclose>;
using Attribute = Id<H5Aclose>;
using PropertyList = Id<H5Pclose>;

/// The axes of a dataset, slowest first.
std::vector<hsize_t> shape_of(Dataset const& dataset);
/// The names of all links of a group, in the order of their bytes; listing them takes time that
/// grows with the square. @param most  how many there may be. @throws Error  where there are more
std::vector<std::string> link_names(Group const& group, hsize_t most);
/// How a dataset was made: its layout, chunks and filters.
PropertyList creation_of(Dataset const& dataset);
/// How a file, group or dataset is created: without the time of day, so that the same contents are
/// the same bytes. @param kind  H5P_FILE_CREATE, H5P_GROUP_CREATE or H5P_DATASET_CREATE
PropertyList creation_without_times(hid_t kind);
/// The filters that a dataset's values pass when they are written, in their order.
std::vector<H5Z_filter_t> filters_of(PropertyList const& creation);

/// Closes what was written to. A destructor would drop the failure, and with it the data.
template <herr_t (*Close)(hid_t)>
void close(Id<Close>& id, Where where = Where::here()) {
  check(Close(id.release()), where);
}

/// Axes turned into HDF5's order (z, y, x); the only place, with its inverse, where that happens.
inline std::array<hsize_t, 3> to_zyx(Index3 xyz) {
  return {static_cast<hsize_t>(xyz.z), static_cast<hsize_t>(xyz.y), static_cast<hsize_t>(xyz.x)};
}
inline Index3 from_zyx(std::array<hsize_t, 3> zyx) {
  return {static_cast<std::int64_t>(zyx[2]), static_cast<std::int64_t>(zyx[1]),
          static_cast<std::int64_t>(zyx[0])};
}

/// The type of a value in memory, and the one it has in isotherm's files (little-endian).
template <class T>
hid_t memory_type();
template <class T>
hid_t file_type();

/// A type for texts of `bytes` bytes, padded with zero bytes. ParaView takes no other kind.
/// isotherm writes all texts as ASCII, though their bytes are UTF-8: Octave's load stops at a text
/// of fixed length that is labelled UTF-8, and leaves out all that follows it.
Datatype text_type(std::size_t bytes, H5T_cset_t character_set = H5T_CSET_ASCII);

/// Attributes of `owner` (a group's id). T: double, std::int64_t, std::uint64_t.
template <class T>
void write_attribute(hid_t owner, char const* name, T value);
template <class T>
void write_attribute(hid_t owner, char const* name, std::vector<T> const& values);
void write_attribute(hid_t owner, char const* name, std::string const& text);

/// More than any text has that isotherm puts into an attribute.
inline constexpr std::size_t most_attribute_text_bytes = 64 << 10;

/// Bytes that an object's attributes take in the file: to be bounded before one is opened, since
/// HDF5 then reads all of it.
std::uint64_t attribute_bytes(hid_t owner);

/// How many values an attribute has. @throws Error  where it is missing
std::size_t attribute_size(hid_t owner, char const* name);
/// @throws Error  where it is missing, not of exactly the type that write_attribute gives it, or of
///                another number
template <class T>
T read_attribute(hid_t owner, char const* name);
template <class T>
std::vector<T> read_attribute(hid_t owner, char const* name, std::size_t count);
/// @throws Error  where the attribute is missing, or not one text of fixed length of at most
///                most_attribute_text_bytes
std::string read_text_attribute(hid_t owner, char const* name);

/// Reads a dataset that holds one text of fixed length. Asks for no more memory than the file has
/// bytes for, and for at most `most_bytes`.
/// @throws Error  if the dataset is something else, or larger
std::string read_text(Dataset const& dataset, char const* name, std::size_t most_bytes);

/// Reads a dataset of one axis that holds `count` numbers, or a single number without axes, as
/// read_bytes() does. T: double, std::int64_t, std::uint64_t.
/// @throws Error  if the dataset is something else, or the file has no bytes for it
template <class T>
std::vector<T> read_numbers(Dataset const& dataset, char const* name, std::size_t count);

}  // namespace isotherm::hdf5
