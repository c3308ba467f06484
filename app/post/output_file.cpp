#include "app/post/output_file.hpp"

#include <system_error>

#include "io/files/atomic_file.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace fs = std::filesystem;

void require_folder(fs::path const& output) {
  std::error_code unknown;
  fs::path const folder = output.has_parent_path() ? output.parent_path() : ".";
  if (fs::is_directory(folder, unknown)) return;
  throw InputError("--output " + output.string() + ": there is no directory " + folder.string());
}

void require_not_read(fs::path const& output, std::vector<fs::path> const& written,
                      std::vector<fs::path> const& inputs) {
  // An error means that a file does not exist, so the two differ.
  std::error_code unknown;
  for (fs::path const& input : inputs) {
    for (fs::path const& file : written) {
      for (fs::path const& name : {file, temporary_path(file)}) {
        // Recognises links, too.
        if (!fs::equivalent(input, name, unknown)) continue;
        throw InputError("--output " + output.string() + ": " + name.string() +
                         " is an input file: choose another name");
      }
    }
  }
}

void require_free(fs::path const& file, bool overwrite) {
  std::error_code unknown;
  // A broken link exists, too: it must not be replaced silently.
  if (!fs::exists(fs::symlink_status(file, unknown))) return;
  if (!overwrite) {
    throw InputError(file.string() +
                     " already exists: --overwrite replaces it, or name another with --output");
  }
  if (!fs::is_regular_file(file, unknown)) {
    throw InputError(file.string() + " is not a regular file, so it is not replaced");
  }
}

PictureFormat require_picture_format(fs::path const& output) {
  if (auto const format = picture_format_of(output)) return *format;
  throw InputError("--output " + output.string() +
                   ": the name of a picture must end in .png, .svg or .pdf");
}

}  // namespace isotherm::app
