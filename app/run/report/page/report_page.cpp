#include "app/run/report/page/report_page.hpp"

#include <array>
#include <fmt/format.h>
#include <fstream>
#include <system_error>

#include "app/run/report/page/html.hpp"
#include "app/run/report/page/report_sections.hpp"
#include "app/run/report/page/report_style.hpp"
#include "case/basics/build_info.hpp"
#include "case/basics/text/json_text.hpp"
#include "case/basics/text/text_file.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

namespace fs = std::filesystem;

/// How every report begins, up to the version. It distinguishes reports from other pages.
constexpr std::string_view beginning =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
    "<meta name=\"generator\" content=\"isotherm ";
constexpr std::string_view ending = "</body>\n</html>\n";

/// Returns the name of the run's folder.
std::string folder_name(fs::path const& directory) {
  std::error_code unknown;
  fs::path const whole = fs::absolute(directory, unknown).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

/// Returns the head of the page. The policy forbids scripts, and loading anything.
std::string head(std::string const& title) {
  return fmt::format(
      "{}{}\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
      beginning, html_line(build_info().version), html_line(title), report_style);
}

}  // namespace

std::string report_page(RunFiles const& files, fs::path const& directory) {
  nlohmann::json const& summary = files.summary;
  std::string title = json_text(json_member(summary, "case"), "title");
  if (title.empty()) title = folder_name(directory);
  std::string const written = files.written.empty() ? "" : ", " + files.written;
  std::string page = head(title);
  page += "<header>\n<h1>" + html_line(title) + "</h1>\n<p class=\"soft\">A run of isotherm" +
          html_line(written) + "</p>\n" + status_part(files) + "</header>\n<main>\n";
  page += warning_section(files);
  page += picture_section(files);
  page += result_section(summary);
  page += residual_section(files);
  page += heat_section(summary);
  page += region_section(summary);
  page += time_section(summary);
  page += machine_section(summary);
  page += case_section(files);
  page += file_section(summary);
  page += "</main>\n";
  page += ending;
  return page;
}

bool is_report(fs::path const& file) {
  std::error_code is_missing;
  if (!fs::is_regular_file(file, is_missing)) return false;
  std::ifstream stream(file, std::ios::binary);
  std::array<char, beginning.size()> bytes{};
  stream.read(bytes.data(), bytes.size());
  return stream.gcount() == static_cast<std::streamsize>(bytes.size()) &&
         std::string_view(bytes.data(), bytes.size()) == beginning;
}

void check_report(fs::path const& file) {
  if (!is_report(file)) {
    throw InputError(file.string() + " is damaged: it does not begin like a report of isotherm");
  }
  if (!read_text_file(file, "a report").ends_with(ending)) {
    throw InputError(file.string() + " is damaged: its end is missing");
  }
}

}  // namespace isotherm::app
