#include "app/run/report/page/run_files.hpp"

#include <array>
#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <functional>
#include <sys/stat.h>
#include <system_error>

#include "case/basics/text/json_text.hpp"
#include "case/basics/text/text_file.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

namespace fs = std::filesystem;

/// Returns the time at which a file was written; empty if it is not known.
std::string time_of(fs::path const& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "";
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(status.st_mtime));
}

/// Calls `read` with a file if it exists, and lists the reason if that fails.
void read_if_present(fs::path const& file, RunFiles& files,
                     std::function<void(fs::path const&)> const& read) {
  std::error_code is_missing;
  if (!fs::is_regular_file(file, is_missing)) return;
  try {
    read(file);
  } catch (InputError const& error) {
    files.faults.emplace_back(error.what());
  }
}

/// Reads a picture. A file of another kind under the name of a picture is not embedded.
void read_picture_file(fs::path const& file, RunFiles& files) {
  constexpr std::string_view png_signature = "\x89PNG\r\n\x1a\n";
  std::string bytes = read_text_file(file, "a picture");
  bool const is_svg = file.extension() == ".svg";
  bool const is_sound = is_svg ? bytes.find("<svg") != std::string::npos
                               : std::string_view(bytes).starts_with(png_signature);
  if (!is_sound) throw InputError(file.string() + " is not a picture");
  files.pictures.push_back(
      {file.filename().string(), is_svg ? "image/svg+xml" : "image/png", std::move(bytes)});
}

}  // namespace

RunFiles read_run_files(fs::path const& directory) {
  RunFiles files;
  read_if_present(directory / "summary.json", files, [&](fs::path const& file) {
    files.summary = parse_json(read_text_file(file, "a summary"));
    if (!files.summary.is_object()) {
      files.summary = {};
      throw InputError(file.string() + " is damaged: it is not a JSON object");
    }
    files.written = time_of(file);
  });
  read_if_present(directory / "case.toml", files, [&](fs::path const& file) {
    files.case_text = read_text_file(file, "a case file");
  });
  read_if_present(directory / "residuals.csv", files,
                  [&](fs::path const& file) { files.residuals = read_csv(file); });
  for (char const* const name : {"u.png", "u.svg", "u_initial.png", "u_initial.svg"}) {
    read_if_present(directory / name, files,
                    [&](fs::path const& file) { read_picture_file(file, files); });
  }
  return files;
}

}  // namespace isotherm::app
