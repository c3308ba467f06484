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

/// Turns off HDF5's output on standard error for the lifetime of the object. check() puts HDF5's
/// text into its exception instead.
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

/// Returns HDF5's description of the last failed call in one line: the call and the innermost
/// reasons. Clears HDF5's error stack.
std::string error_text();

/// Returns an HDF5 result; throws Error with HDF5's own text if it is negative.
template <class Result>
Result check(Result result, Where where = Where::here()) {
  if (result < 0) {
    throw Error("HDF5: " + error_text(), where);
  }
  return result;
}

/// Ownership of an HDF5 id, for UniqueHandle. Closing locks HDF5 (see Turn) and ignores failures.
template <herr_t (*Close)(hid_t)>
struct IdTraits {
  using Handle = hid_t;
  static Handle empty() noexcept { return H5I_INVALID_HID; }
  static void close(Handle id) noexcept {
    Turn const turn;
    (void)Close(id);
  }
};
/// An owning handle of an HDF5 object.
///
///     hdf5::Turn const turn;                                  // HDF5 may not be thread-safe
///     hdf5::QuietErrors const quiet;
///     hdf5::File const file(hdf5::check(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT)));
///     auto const time = hdf5::read_attribute<double>(file.get(), "time");
template <herr_t (*Close)(hid_t)>
using Id = UniqueHandle<IdTraits<Close>>;

/// Owning handles of HDF5's objects. Each is closed by the function in its type.
using File = Id<H5Fclose>;
using Group = Id<H5Gclose>;
using Dataset = Id<H5Dclose>;
using Dataspace = Id<H5Sclose>;
using Datatype = Id<H5Tclose>;
using Attribute = Id<H5Aclose>;
using PropertyList = Id<H5Pclose>;

/// Returns the number of values along each axis of a dataset, slowest axis first.
std::vector<hsize_t> shape_of(Dataset const& dataset);
/// Returns the names of all links of a group, sorted by their bytes.
/// @param maximum  maximum number of links
/// @throws Error  if there are more
std::vector<std::string> link_names(Group const& group, hsize_t maximum);
/// Returns the creation properties of a dataset: layout, chunks and filters.
PropertyList creation_of(Dataset const& dataset);
/// Returns creation properties without time stamps, so the same contents always give the same
/// bytes.
/// @param kind  H5P_FILE_CREATE, H5P_GROUP_CREATE or H5P_DATASET_CREATE
PropertyList creation_without_times(hid_t kind);
/// Returns the filters of a dataset in the order in which they are applied when values are written.
std::vector<H5Z_filter_t> filters_of(PropertyList const& creation);

/// Closes an object that was written to, and throws Error if that fails. A destructor would ignore
/// the failure, and the data would be lost without notice.
template <herr_t (*Close)(hid_t)>
void close(Id<Close>& id, Where where = Where::here()) {
  check(Close(id.release()), where);
}

/// Converts to HDF5's order of axes (z, y, x). Only this function and its inverse do that.
inline std::array<hsize_t, 3> to_zyx(Index3 xyz) {
  return {static_cast<hsize_t>(xyz.z), static_cast<hsize_t>(xyz.y), static_cast<hsize_t>(xyz.x)};
}
/// The inverse of to_zyx().
inline Index3 from_zyx(std::array<hsize_t, 3> zyx) {
  return {static_cast<std::int64_t>(zyx[2]), static_cast<std::int64_t>(zyx[1]),
          static_cast<std::int64_t>(zyx[0])};
}

/// HDF5's type for a value of type T in memory. T: float, double, std::int64_t or std::uint64_t.
template <class T>
hid_t memory_type();
/// HDF5's type for a value of type T in isotherm's files, which are little-endian. The types T are
/// those of memory_type().
template <class T>
hid_t file_type();

/// Returns a type for texts of fixed length, padded with zero bytes; ParaView reads no other kind.
///
/// isotherm labels all texts as ASCII although their bytes are UTF-8. Octave's load() stops at a
/// text of fixed length that is labelled UTF-8, and skips everything behind it.
Datatype text_type(std::size_t bytes, H5T_cset_t character_set = H5T_CSET_ASCII);

/// Writes an attribute of a group, dataset or file. T: double, std::int64_t or std::uint64_t.
template <class T>
void write_attribute(hid_t owner, char const* name, T value);
/// The same for a list.
template <class T>
void write_attribute(hid_t owner, char const* name, std::vector<T> const& values);
/// The same for a text.
void write_attribute(hid_t owner, char const* name, std::string const& text);

/// Limit on the length of a text attribute; larger than any that isotherm writes.
inline constexpr std::size_t max_attribute_text_bytes = 64 << 10;

/// Returns the number of bytes that the attributes of an object occupy in the file. Check it before
/// opening an attribute, since HDF5 then reads all of them.
std::uint64_t attribute_bytes(hid_t owner);

/// Returns the number of values of an attribute. @throws Error  if it is missing
std::size_t attribute_size(hid_t owner, char const* name);
/// Reads an attribute of one value.
/// @throws Error  if it is missing, or has another type or number of values than write_attribute()
///   gives it
template <class T>
T read_attribute(hid_t owner, char const* name);
/// The same for a list of `count` values.
template <class T>
std::vector<T> read_attribute(hid_t owner, char const* name, std::size_t count);
/// Reads a text attribute.
/// @throws Error  if it is missing, or is not a single text of fixed length of at most
///   max_attribute_text_bytes
std::string read_text_attribute(hid_t owner, char const* name);

/// Reads a dataset that holds one text of fixed length. Allocates no more memory than the file has
/// bytes for, and at most `max_bytes`.
/// @throws Error  if the dataset holds something else or is longer
std::string read_text(Dataset const& dataset, char const* name, std::size_t max_bytes);

/// Reads a dataset of one axis with `count` numbers, or of a single number without axes; see
/// read_bytes(). T: double, std::int64_t or std::uint64_t.
/// @throws Error  if the dataset holds something else, or if the file is too short for it
template <class T>
std::vector<T> read_numbers(Dataset const& dataset, char const* name, std::size_t count);

}  // namespace isotherm::hdf5
