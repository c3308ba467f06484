#pragma once

#include <filesystem>
#include <vector>

#include "io/picture/picture_format.hpp"

/// Checks of the files that a command will write, before it reads or computes anything. They are
/// not collective.

namespace isotherm::app {

/// Requires that the folder of a file exists. @throws InputError
void require_folder(std::filesystem::path const& output);

/// Refuses to replace an input file, under any of its names. A file is first written under a
/// temporary name, which must not be that of an input either.
/// @param output   as the user has named it
/// @param written  all files that this output consists of
/// @throws InputError  naming the input file
void require_not_read(std::filesystem::path const& output,
                      std::vector<std::filesystem::path> const& written,
                      std::vector<std::filesystem::path> const& inputs);

/// Refuses to replace an existing file without --overwrite. Devices, pipes and directories are
/// never replaced. @throws InputError
void require_free(std::filesystem::path const& file, bool overwrite);

/// Returns the format of a picture by the ending of its name. @throws InputError  if it is another
PictureFormat require_picture_format(std::filesystem::path const& output);

}  // namespace isotherm::app
