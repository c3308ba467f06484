#include "io/hdf5/hdf5.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "io/hdf5/stored_bytes.hpp"

namespace isotherm::hdf5 {
namespace {

/// An entry of HDF5's error stack.
struct Reason {
  std::string function;
  std::string text;
};

/// Appends an entry of the error stack; a callback of H5Ewalk2().
herr_t collect(unsigned /*depth*/, H5E_error2_t const* entry, void* reasons) {
  static_cast<std::vector<Reason>*>(reasons)->push_back({entry->func_name, entry->desc});
  return 0;
}

/// The shape of a list.
Dataspace space_of(std::size_t count) {
  // HDF5 reads the length through a pointer.
  hsize_t const size = count;
  return Dataspace(check(H5Screate_simple(1, &size, nullptr)));
}

/// Creates an attribute and writes its values.
template <class T>
void write_values(hid_t owner, char const* name, Dataspace const& space, T const* values) {
  Attribute const attribute(
      check(H5Acreate2(owner, name, file_type<T>(), space.get(), H5P_DEFAULT, H5P_DEFAULT)));
  check(H5Awrite(attribute.get(), memory_type<T>(), values));
}

/// Removes the zero bytes behind a text.
std::string without_padding(std::string text) {
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  return text;
}

/// The name of a type for messages.
template <class T>
char const* type_name();
template <>
char const* type_name<double>() {
  return "a float64";
}
template <>
char const* type_name<std::int64_t>() {
  return "an int64";
}
template <>
char const* type_name<std::uint64_t>() {
  return "a uint64";
}

/// Returns the memory type for a stored text. Throws Error unless it has a fixed length of at most
/// `max_bytes`.
Datatype memory_text_type(Datatype const& stored, char const* name, std::size_t max_bytes) {
  require(H5Tget_class(stored.get()) == H5T_STRING && H5Tis_variable_str(stored.get()) == 0,
          fmt::format("HDF5: \"{}\" is not a string of fixed length", name));
  std::size_t const bytes = H5Tget_size(stored.get());
  require(bytes <= max_bytes, fmt::format("HDF5: \"{}\" is a string of {} bytes, more than {}",
                                          name, bytes, max_bytes));
  return text_type(bytes, check(H5Tget_cset(stored.get())));
}

/// The names of links, at most `maximum` of them.
struct LinkNames {
  hsize_t maximum = 0;
  std::vector<std::string> names{};
};

/// Appends the name of a link to LinkNames; a callback of H5Literate().
herr_t add_name(hid_t /*group*/, char const* name, H5L_info_t const* /*link*/, void* names) {
  constexpr std::size_t max_bytes = 511;  // longer names are cut, and still too long for a field
  auto& all = *static_cast<LinkNames*>(names);
  if (all.names.size() == all.maximum) return -1;
  try {
    all.names.emplace_back(std::string_view(name).substr(0, max_bytes));
  } catch (std::exception const&) {  // memory is exhausted
    return -1;
  }
  return 0;
}

}  // namespace

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_argument_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, print_, print_argument_); }

std::string error_text() {
  std::vector<Reason> reasons;  // innermost first
  // The last entry is the function that was called, the first one the innermost reason.
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &reasons);
  H5Eclear2(H5E_DEFAULT);
  if (reasons.empty()) {
    return "a call failed without a reason";
  }
  std::string text = fmt::format("{}: {}", reasons.back().function, reasons.front().text);
  if (reasons.size() > 2) {
    text += fmt::format(" ({})", reasons[1].text);
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::vector<hsize_t> shape_of(Dataset const& dataset) {
  Dataspace const space(check(H5Dget_space(dataset.get())));
  std::vector<hsize_t> shape(
      static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space.get()))));
  check(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr));
  return shape;
}

std::vector<std::string> link_names(Group const& group, hsize_t maximum) {
  H5G_info_t content{};
  check(H5Gget_info(group.get(), &content));
  require(content.nlinks <= maximum,
          fmt::format("it has {} fields (at most {})", content.nlinks, maximum));
  LinkNames found{.maximum = content.nlinks};
  hsize_t start = 0;
  // In the order of names, HDF5 1.10 lists a damaged dense group from a table that it has not
  // initialised, and crashes. The native order needs no table.
  check(H5Literate(group.get(), H5_INDEX_NAME, H5_ITER_NATIVE, &start, add_name, &found));
  std::ranges::sort(found.names);
  return std::move(found.names);
}

PropertyList creation_without_times(hid_t kind) {
  PropertyList creation(check(H5Pcreate(kind)));
  // By default HDF5 stores the time of creation of every object.
  check(H5Pset_obj_track_times(creation.get(), false));
  return creation;
}

PropertyList creation_of(Dataset const& dataset) {
  return PropertyList(check(H5Dget_create_plist(dataset.get())));
}

std::vector<H5Z_filter_t> filters_of(PropertyList const& creation) {
  std::vector<H5Z_filter_t> filters;
  int const count = check(H5Pget_nfilters(creation.get()));
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::size_t no_parameters = 0;
    filters.push_back(check(H5Pget_filter2(creation.get(), static_cast<unsigned>(i), &flags,
                                           &no_parameters, nullptr, 0, nullptr, nullptr)));
  }
  return filters;
}

template <>
hid_t memory_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
hid_t memory_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
hid_t memory_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
hid_t memory_type<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}
template <>
hid_t file_type<float>() {
  return H5T_IEEE_F32LE;
}
template <>
hid_t file_type<double>() {
  return H5T_IEEE_F64LE;
}
template <>
hid_t file_type<std::int64_t>() {
  return H5T_STD_I64LE;
}
template <>
hid_t file_type<std::uint64_t>() {
  return H5T_STD_U64LE;
}

Datatype text_type(std::size_t bytes, H5T_cset_t character_set) {
  Datatype type(check(H5Tcopy(H5T_C_S1)));
  check(H5Tset_size(type.get(), std::max<std::size_t>(bytes, 1)));  // HDF5 knows no empty text
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD));
  check(H5Tset_cset(type.get(), character_set));
  return type;
}

template <class T>
void write_attribute(hid_t owner, char const* name, T value) {
  write_values(owner, name, Dataspace(check(H5Screate(H5S_SCALAR))), &value);
}

template <class T>
void write_attribute(hid_t owner, char const* name, std::vector<T> const& values) {
  write_values(owner, name, space_of(values.size()), values.data());
}

void write_attribute(hid_t owner, char const* name, std::string const& text) {
  Dataspace const space(check(H5Screate(H5S_SCALAR)));
  Datatype const type = text_type(text.size());
  Attribute const attribute(
      check(H5Acreate2(owner, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT)));
  check(H5Awrite(attribute.get(), type.get(), text.c_str()));
}

std::uint64_t attribute_bytes(hid_t owner) {
#if H5_VERSION_GE(1, 12, 0)
  H5O_native_info_t info{};
  check(H5Oget_native_info(owner, &info, H5O_NATIVE_INFO_META_SIZE));
#else
  H5O_info_t info{};
  check(H5Oget_info2(owner, &info, H5O_INFO_META_SIZE));
#endif
  return info.meta_size.attr.index_size + info.meta_size.attr.heap_size;
}

std::size_t attribute_size(hid_t owner, char const* name) {
  Attribute const attribute(check(H5Aopen(owner, name, H5P_DEFAULT)));
  Dataspace const space(check(H5Aget_space(attribute.get())));
  return static_cast<std::size_t>(check(H5Sget_simple_extent_npoints(space.get())));
}

template <class T>
std::vector<T> read_attribute(hid_t owner, char const* name, std::size_t count) {
  Attribute const attribute(check(H5Aopen(owner, name, H5P_DEFAULT)));
  Datatype const type(check(H5Aget_type(attribute.get())));
  // Only the exact type: HDF5 would silently convert others.
  require(check(H5Tequal(type.get(), file_type<T>())) > 0,
          fmt::format("HDF5: attribute \"{}\" is not {}", name, type_name<T>()));
  Dataspace const space(check(H5Aget_space(attribute.get())));
  require(H5Sget_simple_extent_npoints(space.get()) == static_cast<hssize_t>(count),
          fmt::format("HDF5: attribute \"{}\" does not have {} values", name, count));
  std::vector<T> values(count);
  check(H5Aread(attribute.get(), memory_type<T>(), values.data()));
  return values;
}

template <class T>
T read_attribute(hid_t owner, char const* name) {
  return read_attribute<T>(owner, name, 1).front();
}

std::string read_text_attribute(hid_t owner, char const* name) {
  Attribute const attribute(check(H5Aopen(owner, name, H5P_DEFAULT)));
  // The length is checked before memory is allocated: a damaged file may claim any length.
  Datatype const type = memory_text_type(Datatype(check(H5Aget_type(attribute.get()))), name,
                                         max_attribute_text_bytes);
  Dataspace const space(check(H5Aget_space(attribute.get())));
  require(H5Sget_simple_extent_npoints(space.get()) == 1,
          fmt::format("HDF5: attribute \"{}\" is not a single string", name));
  std::string text(H5Tget_size(type.get()), '\0');
  check(H5Aread(attribute.get(), type.get(), text.data()));
  return without_padding(text);
}

std::string read_text(Dataset const& dataset, char const* name, std::size_t max_bytes) {
  Datatype const type =
      memory_text_type(Datatype(check(H5Dget_type(dataset.get()))), name, max_bytes);
  // Texts are stored as a list of one element.
  require(shape_of(dataset) == std::vector<hsize_t>{1},
          fmt::format("HDF5: \"{}\" is not a single string", name));
  std::vector<char> const bytes = read_bytes(dataset, name, 1, H5Tget_size(type.get()));
  return without_padding({bytes.begin(), bytes.end()});
}

template <class T>
std::vector<T> read_numbers(Dataset const& dataset, char const* name, std::size_t count) {
  Datatype const type(check(H5Dget_type(dataset.get())));
  require(check(H5Tequal(type.get(), file_type<T>())) > 0,
          fmt::format("HDF5: \"{}\" does not consist of numbers, each {}", name, type_name<T>()));
  auto const shape = shape_of(dataset);
  require(shape == std::vector<hsize_t>{count} || (count == 1 && shape.empty()),
          fmt::format("HDF5: \"{}\" does not contain {} numbers", name, count));
  // Files hold numbers as this machine does (little-endian), so no conversion is needed.
  std::vector<char> const bytes = read_bytes(dataset, name, count, sizeof(T));
  std::vector<T> numbers(count);
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

template void write_attribute(hid_t, char const*, double);
template void write_attribute(hid_t, char const*, std::int64_t);
template void write_attribute(hid_t, char const*, std::uint64_t);
template void write_attribute(hid_t, char const*, std::vector<double> const&);
template void write_attribute(hid_t, char const*, std::vector<std::int64_t> const&);
template double read_attribute(hid_t, char const*);
template std::int64_t read_attribute(hid_t, char const*);
template std::uint64_t read_attribute(hid_t, char const*);
template std::vector<double> read_attribute(hid_t, char const*, std::size_t);
template std::vector<std::int64_t> read_attribute(hid_t, char const*, std::size_t);
template void write_attribute(hid_t, char const*, std::vector<std::uint64_t> const&);
template std::vector<double> read_numbers(Dataset const&, char const*, std::size_t);
template std::vector<std::int64_t> read_numbers(Dataset const&, char const*, std::size_t);
template std::vector<std::uint64_t> read_numbers(Dataset const&, char const*, std::size_t);

}  // namespace isotherm::hdf5
