#include "app/post/plot/plot.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <system_error>
#include <variant>

#include "app/post/output_file.hpp"
#include "app/post/plot/bench_plot.hpp"
#include "app/post/plot/table_plot.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/csv_table.hpp"
#include "case/basics/text/wording.hpp"
#include "io/files/atomic_file.hpp"
#include "io/picture/plot/plot.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

namespace fs = std::filesystem;

/// Returns the files to read: for a directory its table of residuals. Files in alphabetical order
/// are sorted by the numbers in their names.
std::vector<fs::path> tables_in(std::vector<fs::path> files) {
  // A pattern of the shell gives q10 before q2. Any other order is the user's own.
  if (std::ranges::is_sorted(files)) {
    std::ranges::stable_sort(files, [](fs::path const& a, fs::path const& b) {
      return precedes_naturally(a.native(), b.native());
    });
  }
  std::error_code ignored_error;  // reading the file reports the reason
  for (fs::path& file : files) {
    if (!file.has_filename()) file = file.parent_path();
    if (fs::is_directory(file, ignored_error)) file /= "residuals.csv";
  }
  return files;
}

/// Returns the default title: the file's name with its folder, or the name that all files share.
std::string title_of(std::vector<fs::path> const& files) {
  std::string const name = files.front().filename().string();
  if (files.size() == 1) {
    std::string const folder = files.front().parent_path().filename().string();
    return folder.empty() || folder == "." || folder == ".." ? name : folder + "/" + name;
  }
  bool const is_shared =
      std::ranges::all_of(files, [&](fs::path const& file) { return file.filename() == name; });
  return is_shared ? name : "";
}

/// Reads the files and returns what is drawn.
std::variant<Plot, BarChart> read_plot(PlotOptions const& options,
                                       std::vector<std::string>& remarks) {
  auto const is_bench = [](fs::path const& file) { return file.extension() == ".json"; };
  auto const count = std::ranges::count_if(options.files, is_bench);
  if (count > 0 && count < static_cast<std::ptrdiff_t>(options.files.size())) {
    throw InputError("tables and files of bench --json cannot be drawn in one picture");
  }
  if (count > 0) return plot_of_benchmarks(options.files, options);
  std::vector<CsvTable> tables;
  for (fs::path const& file : options.files)
    tables.push_back(read_csv(file, ListCells::first_number));
  return plot_of_tables(tables, options, remarks);
}

std::string drawn(Plot const& plot, PictureFormat format) { return draw_plot(plot, format); }
std::string drawn(BarChart const& chart, PictureFormat format) { return draw_bars(chart, format); }

}  // namespace

int plot(PlotOptions const& given) {
  PlotOptions options = given;
  options.files = tables_in(given.files);
  fs::path const output =
      given.output.value_or(fs::path(options.files.front()).replace_extension("png"));
  PictureFormat const format = require_picture_format(output);
  require_folder(output);
  require_not_read(output, {output}, options.files);
  require_free(output, options.overwrite);
  std::vector<std::string> remarks;
  auto picture = read_plot(options, remarks);
  std::visit(
      [&](auto& of_any_kind) {
        of_any_kind.title = options.title.value_or(title_of(options.files));
        write_file_atomically(output, drawn(of_any_kind, format));
      },
      picture);
  std::cout << "wrote " << visible(output.string()) << "\n";
  for (std::string const& remark : remarks) std::cout << remark << "\n";
  return exit_code::done;
}

}  // namespace isotherm::app
