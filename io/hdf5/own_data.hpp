#pragma once

#include <string>

#include "io/hdf5/hdf5.hpp"

namespace isotherm {

/// Thrown if a path in an HDF5 file leads out of that file, before anything outside is opened.
/// The message is one clause: what leads where.
class NotOwnData : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Which kinds of link a path in an HDF5 file may contain.
enum class AllowedLinks {
  hard,   ///< hard links only, as isotherm writes them
  inside  ///< also soft links whose target is in the same file
};

/// Opens the group or dataset that `path` leads to from `parent`, link by link, and checks each
/// link before it is followed. A dataset that is opened this way holds its values itself: they are
/// neither in other files nor those of other datasets. Datasets of isotherm's own files
/// (AllowedLinks::hard) have no chunk cache, see hdf5::without_chunk_cache().
/// @throws NotOwnData  if a link, or the place of the values, is of another kind
/// @throws Error       if there is no such object, or it is damaged
hdf5::Group open_group(hid_t parent, std::string const& path,
                       AllowedLinks links = AllowedLinks::hard);
hdf5::Dataset open_dataset(hid_t parent, std::string const& path,
                           AllowedLinks links = AllowedLinks::hard);

/// Whether `parent` has a link of that name, wherever it leads.
bool has_link(hid_t parent, std::string const& name);

}  // namespace isotherm
