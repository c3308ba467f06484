#pragma once

#include <filesystem>

/// Detection of files that were copied by tools which write a new HDF5 file.

namespace isotherm {

/// Whether, and how, another program such as h5repack has rewritten a snapshot. The checksums of
/// the values hold in either case.
enum class Rewritten {
  no,                ///< isotherm wrote the file as it is
  as_it_was,         ///< the fields have the layout that isotherm writes
  in_another_layout  ///< some fields have other chunks or have passed other filters
};

/// Returns how a snapshot has been rewritten. Serial. @throws InputError  if the file cannot be
/// read
Rewritten how_rewritten(std::filesystem::path const& path);

}  // namespace isotherm
