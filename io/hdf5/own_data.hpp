#pragma once

#include <string>

#include "io/hdf5/hdf5.hpp"

namespace isotherm {

/// Thrown if a path in an HDF5 file, or the values of a dataset, lead out of that file. Nothing
/// outside has been opened then. The message is a clause that names the object and its target.
///
/// Background: a file of unknown origin could otherwise make HDF5 open any other file of the user.
class NotOwnData : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The kinds of link that a path in an HDF5 file may contain.
enum class AllowedLinks {
  hard,   ///< hard links only, as isotherm writes them
  inside  ///< also symbolic links whose target is in the same file
};

/// Opens the group at `path` below `parent`. It follows the path link by link and checks each link
/// first, since HDF5 itself would open other files without asking.
/// @throws NotOwnData  if a link is of a kind that is not allowed
/// @throws Error  if there is no such object, or if it is damaged
hdf5::Group open_group(hid_t parent, std::string const& path,
                       AllowedLinks links = AllowedLinks::hard);
/// Opens a dataset in the same way. Its values must not be in external files, and it must not be a
/// view of other datasets (virtual dataset). Datasets of isotherm's own files (AllowedLinks::hard)
/// are opened without chunk cache; see hdf5::without_chunk_cache().
/// @throws NotOwnData  if a link or the storage is of another kind
/// @throws Error  if there is no such object, or if it is damaged
hdf5::Dataset open_dataset(hid_t parent, std::string const& path,
                           AllowedLinks links = AllowedLinks::hard);

/// True if `parent` has a link of this name, wherever it leads.
bool has_link(hid_t parent, std::string const& name);

}  // namespace isotherm
