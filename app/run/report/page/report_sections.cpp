#include "app/run/report/page/report_sections.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "app/run/report/page/html.hpp"
#include "app/run/report/region_report.hpp"
#include "case/basics/text/json_text.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "io/picture/plot/plot.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::json;

/// Returns a number with six digits, or an empty text if it is not known.
std::string number(Json const& json, char const* key) {
  double const value = json_number(json, key);
  return std::isnan(value) ? "" : fmt::format("{:.6g}", value);
}

/// Returns " at x = 0.5, y = 0.25" for a list of coordinates; empty if there is none.
std::string place(Json const& json, char const* key) {
  std::vector<std::string> coordinates;
  Json const& list = json_member(json, key);
  if (!list.is_array()) return "";
  for (char const axis : {'x', 'y', 'z'}) {
    if (coordinates.size() == list.size()) break;
    Json const& one = list[coordinates.size()];
    if (!one.is_number()) return "";
    coordinates.push_back(fmt::format("{} = {:.6g}", axis, one.get<double>()));
  }
  return coordinates.empty() ? "" : " at " + join(coordinates);
}

/// Returns a whole number, or an empty text.
std::string whole(Json const& json, char const* key) {
  Json const& member = json_member(json, key);
  return member.is_number_integer() ? std::to_string(member.get<std::int64_t>()) : "";
}

/// Returns "0.001 to 2" for the shortest and the longest divided step; empty if there are none.
std::string steps_range(Json const& steps) {
  std::string const shortest = number(steps, "shortest_s");
  return shortest.empty() ? "" : shortest + " to " + number(steps, "longest_s");
}

/// Returns the number of axes to show: 1 if the case has one point along y, else 2 or 3.
std::size_t axis_count_of(Json const& summary) {
  Json const& points = json_member(json_member(summary, "case"), "points");
  bool const is_line = points.is_array() && points.size() == 2 && points[1] == 1;
  return is_line ? 1 : 3;
}

/// Returns "64 x 32" for the first `axes` numbers of a list.
std::string extent(Json const& json, char const* key, std::size_t axes) {
  std::vector<std::string> counts;
  Json const& list = json_member(json, key);
  if (!list.is_array()) return "";
  for (Json const& one : list) {
    if (counts.size() < axes) counts.push_back(one.dump());
  }
  return join(counts, " x ");
}

/// Returns a rate in GB/s, or an empty text.
std::string gigabytes(Json const& json, char const* key) {
  double const rate = json_number(json, key);
  return std::isnan(rate) ? "" : fmt::format("{:.4g} GB/s", 1e-9 * rate);
}

/// Returns a number of bytes with a unit, or an empty text.
std::string bytes(Json const& json, char const* key) {
  double const count = json_number(json, key);
  return std::isnan(count) || count <= 0.0 ? "" : format_bytes(count);
}

/// A status with the words that explain it, and its class in the stylesheet.
struct StatusWords {
  char const* status;
  char const* words;
  char const* css_class;
};
constexpr std::array statuses{
    StatusWords{"done", "Done", "done"},
    StatusWords{"not-converged", "Not converged: the tolerance was not reached", "failed"},
    StatusWords{"stopped", "Stopped: the run can be resumed", "unfinished"},
    StatusWords{"failed", "Failed", "failed"},
};
constexpr StatusWords unknown_status{
    "", "Unknown: there is no summary.json, so the run has not ended or was killed", "unfinished"};

/// Returns what became of the tolerance.
std::string tolerance_words(Json const& summary) {
  std::string const tolerance = number(json_member(summary, "case"), "tolerance");
  if (tolerance.empty()) return "";
  bool const reached = json_flag(json_member(summary, "result"), "converged");
  return tolerance + (reached ? ", reached" : ", not reached");
}

/// Returns a figure with a caption.
std::string figure(std::string const& contents, std::string const& caption) {
  return "<figure>\n" + contents + "<figcaption>" + html_line(caption) +
         "</figcaption>\n</figure>\n";
}

/// Adds the curve of a column over the iterations, if the table has it.
void add_curve(Plot& plot, CsvTable const& table, char const* column, char const* label) {
  CsvColumn const* const x = table.find("iteration");
  CsvColumn const* const y = table.find(column);
  if (x != nullptr && y != nullptr) plot.curves.push_back({label, x->numbers, y->numbers});
}

/// Adds a level line at the tolerance, from the first to the last iteration.
void add_tolerance(Plot& plot, double tolerance) {
  if (plot.curves.size() != 2 || !(tolerance > 0.0)) return;
  std::vector<double> const& x = plot.curves.front().x;
  if (x.size() < 2) return;
  plot.curves.push_back({"tolerance", {x.front(), x.back()}, {tolerance, tolerance}});
}

/// Returns a flow with its sign.
std::string signed_flow(Json const& json) {
  if (!json.is_number()) return "";
  double const flow = json.get<double>();
  return flow == 0.0 ? "0" : fmt::format("{:+.6g}", flow);
}

/// Returns the table of fluxes, with their sum last.
std::string flux_table(Json const& fluxes) {
  if (!fluxes.is_object()) return "";
  HtmlTable table("lr", {"flux into the box, through whole faces and regions", "value"});
  for (auto const& [name, value] : fluxes.items()) {
    if (name != "balance") table.row({name, signed_flow(value)});
  }
  table.row({"balance", signed_flow(json_member(fluxes, "balance"))});
  return table.text();
}

/// Returns the table of the heat balance.
std::string balance_table(Json const& balance) {
  HtmlTable table("lr", {"heat balance", "value"});
  table.row({"flows in, point by point at faces, fixed and floating regions and sources",
             number(balance, "in")});
  table.row({"flows out, likewise", number(balance, "out")});
  table.row({"difference", number(balance, "net")});
  table.row({"explained by rounding", number(balance, "rounding")});
  table.row({"allowed by the tolerance", number(balance, "allowed")});
  return table.text();
}

/// Returns the table of floating conductors.
std::string floating_table(Json const& conductors) {
  if (!conductors.is_object()) return "";
  HtmlTable table("lrrr", {"floating conductor", "value", "flux", "given flux"});
  for (auto const& [name, one] : conductors.items()) {
    table.row({name, number(one, "value"), number(one, "flux"), number(one, "given_flux")});
  }
  return table.text();
}

/// Returns the deviation of a region's discrete measure from the requested one.
std::string deviation(Json const& region) {
  double const asked = json_number(region, "asked");
  double const found = json_number(region, "measure");
  if (!std::isfinite(asked) || !std::isfinite(found) || asked == 0.0) return "";
  double const percent = 100.0 * (found / asked - 1.0);
  constexpr double rounding = 1e-9;
  return std::abs(percent) < rounding ? "0 %" : fmt::format("{:+.2g} %", percent);
}

/// Returns what else is known about a region.
std::string region_remarks(Json const& region) {
  std::vector<std::string> remarks;
  if (json_number(region, "measure") == 0.0 && json_number(region, "asked") != 0.0) {
    remarks.push_back(reason_for_zero(json_text(region, "kind")));
  }
  if (json_flag(region, "by_points")) remarks.emplace_back("set of grid points");
  double const heated = json_number(region, "heated_share");
  if (heated < 1.0 - 1e-9) {
    remarks.push_back(fmt::format("{:.2g} % of it cannot be heated", 100.0 * (1.0 - heated)));
  }
  return join(remarks);
}

/// Returns the name of a file as the target of a link.
std::string link_target(std::string const& name) {
  std::string target = "./";
  for (char const c : name) {
    bool const is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    target += is_plain
                  ? std::string(1, c)
                  : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return target;
}

/// Returns a list of texts.
std::string list_of(std::vector<std::string> const& texts) {
  std::string items;
  for (std::string const& text : texts) {
    constexpr std::size_t max_bytes = 2000;
    items += "<li>" + html_text(one_line(text, max_bytes)) + "</li>\n";
  }
  return items.empty() ? "" : "<ul>\n" + items + "</ul>\n";
}

/// Returns the texts of a list.
std::vector<std::string> texts_in(Json const& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (Json const& one : list) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

}  // namespace

std::string status_part(RunFiles const& files) {
  std::string const status = json_text(files.summary, "status");
  auto const known = std::ranges::find(statuses, status, &StatusWords::status);
  StatusWords const& words = known == statuses.end() ? unknown_status : *known;
  std::string const message = json_text(files.summary, "message");
  constexpr std::size_t max_bytes = 2000;
  return fmt::format(
      "<p class=\"status {}\"><strong>{}</strong>{}</p>\n", words.css_class, words.words,
      message.empty() ? "" : "<br/><span>" + html_text(one_line(message, max_bytes)) + "</span>");
}

std::string result_section(Json const& summary) {
  Json const& chosen = json_member(summary, "case");
  Json const& result = json_member(summary, "result");
  Json const& residual = json_member(result, "residual");
  Json const& field = json_member(result, "field");
  Json const& resumed = json_member(summary, "resumed_from");
  Json const& steps = json_member(result, "divided_steps");
  bool const advances_time = !number(chosen, "time_step_s").empty();
  HtmlTable table("lr");
  table.row({"equation", json_text(chosen, "equation")});
  table.row({"points", extent(chosen, "points", axis_count_of(summary))});
  table.row({"precision", json_text(chosen, "precision")});
  table.row({"method", json_text(chosen, "method")});
  table.row({advances_time ? "steps" : "iterations", whole(result, "iterations")});
  if (advances_time) {
    table.row({"longest time step", number(chosen, "time_step_s")});
    table.row({"error of a step, at most", number(chosen, "time_tolerance")});
    table.row({"divided steps", whole(steps, "accepted")});
    table.row({"rejected steps", whole(steps, "rejected")});
    table.row({"shortest and longest of them", steps_range(steps)});
    table.row({"time of the field", number(result, "time_s")});
  }
  table.row({"tolerance", tolerance_words(summary)});
  table.row({"estimated error, relative to the range", number(residual, "error")});
  table.row({"first residual (" + json_text(chosen, "norm") + ")", number(residual, "first")});
  table.row({"last residual", number(residual, "last")});
  table.row({"values", json_text(chosen, "label")});
  table.row({"minimum of the field", number(field, "min") + place(field, "min_at")});
  table.row({"maximum of the field", number(field, "max") + place(field, "max_at")});
  table.row({"mean of the field", number(field, "mean")});
  table.row({"resumed from", json_text(resumed, "file")});
  table.row({"checksum of the field", json_text(result, "checksum")});
  return html_section("Result", table.text());
}

std::string picture_section(RunFiles const& files) {
  std::string figures;
  for (EmbeddedPicture const& picture : files.pictures) {
    bool const is_initial = picture.name.starts_with("u_initial");
    std::string const what = is_initial ? "The initial field" : "The final field";
    figures += figure(fmt::format("<img alt=\"{}\" src=\"data:{};base64,{}\"/>\n", what,
                                  picture.type, base64(picture.bytes)),
                      what + " (" + picture.name + ")");
  }
  return html_section("Field", figures);
}

std::string residual_section(RunFiles const& files) {
  if (!files.residuals || files.residuals->rows < 2) return "";
  Plot plot{"", {"iteration"}, {"relative residual and error", true}, {}};
  add_curve(plot, *files.residuals, "relative", "residual");
  add_curve(plot, *files.residuals, "error", "estimated error");
  add_tolerance(plot, json_number(json_member(files.summary, "case"), "tolerance"));
  if (!has_points(plot)) return "";
  return html_section("Residuals", figure(inline_plot(plot), "residuals.csv"));
}

std::string heat_section(Json const& summary) {
  Json const& result = json_member(summary, "result");
  return html_section("Heat", balance_table(json_member(result, "heat_balance")) +
                                  flux_table(json_member(result, "flux")) +
                                  floating_table(json_member(result, "floating")));
}

std::string region_section(Json const& summary) {
  Json const& regions = json_member(summary, "regions");
  if (!regions.is_array()) return "";
  constexpr std::size_t max_rows = 200;
  HtmlTable table("llrrrrl", {"region", "name", "asked", "on the grid", "deviation", "power", ""});
  for (std::size_t i = 0; i < std::min(regions.size(), max_rows); ++i) {
    Json const& one = regions[i];
    table.row({json_text(one, "kind"), json_text(one, "name"), number(one, "asked"),
               number(one, "measure"), deviation(one), number(one, "power"), region_remarks(one)});
  }
  std::string const others =
      regions.size() > max_rows
          ? fmt::format("<p class=\"soft\">and {} more, in summary.json</p>\n",
                        regions.size() - max_rows)
          : "";
  return html_section("Regions: volumes, areas and powers", table.text() + others);
}

std::string time_section(Json const& summary) {
  Json const& performance = json_member(summary, "performance");
  double const wall_s = json_number(performance, "wall_s");
  HtmlTable table("lrr", {"time", "", "share"});
  constexpr std::array<std::pair<char const*, char const*>, 6> rows{
      {{"wall_s", "from the start to the last output"},
       {"solve_s", "in the iterations"},
       {"compute_s", "in sweeps"},
       {"halo_s", "in halo exchanges"},
       {"reduction_s", "in residuals"},
       {"output_s", "waiting for files and pictures"}}};
  for (auto const& [key, label] : rows) {
    double const seconds = json_number(performance, key);
    if (std::isnan(seconds)) continue;
    table.row({label, format_seconds(seconds),
               wall_s > 0.0 ? fmt::format("{:.0f} %", 100.0 * seconds / wall_s) : ""});
  }
  HtmlTable rates("lr", {"rate", ""});
  double const rate = json_number(performance, "gcells_per_second");
  rates.row({"points updated", std::isnan(rate) ? "" : format_rate(1e9 * rate)});
  rates.row({"bytes read and written", gigabytes(performance, "bytes_per_second")});
  if (!std::isnan(json_number(performance, "copy_bytes_per_second"))) {
    rates.row({"plain copies", gigabytes(performance, "copy_bytes_per_second")});
  }
  return html_section("Time", table.text() + rates.text());
}

std::string machine_section(Json const& summary) {
  Json const& execution = json_member(summary, "execution");
  Json const& versions = json_member(summary, "versions");
  HtmlTable table("ll");
  table.row({"device", json_text(execution, "device")});
  table.row({"backend", json_text(execution, "backend")});
  table.row({"ranks", whole(execution, "ranks")});
  table.row({"hosts", whole(execution, "hosts")});
  table.row({"threads per rank", whole(execution, "threads_per_rank")});
  table.row({"decomposition", extent(execution, "decomposition", axis_count_of(summary))});
  table.row({"halos", json_text(execution, "transport")});
  table.row({"sweeps", json_text(execution, "plan")});
  table.row({"device memory per rank", bytes(execution, "device_bytes_per_rank")});
  constexpr std::array<std::pair<char const*, char const*>, 8> rows{{{"isotherm", "isotherm"},
                                                                     {"revision", "revision"},
                                                                     {"build_type", "build"},
                                                                     {"compiler", "compiler"},
                                                                     {"flags", "flags"},
                                                                     {"cuda", "CUDA"},
                                                                     {"mpi", "MPI"},
                                                                     {"hdf5", "HDF5"}}};
  for (auto const& [key, label] : rows) table.row({label, json_text(versions, key)});
  return html_section("Machine and versions", table.text());
}

std::string warning_section(RunFiles const& files) {
  std::vector<std::string> texts = texts_in(json_member(files.summary, "warnings"));
  texts.insert(texts.end(), files.faults.begin(), files.faults.end());
  return html_section("Warnings", list_of(texts));
}

std::string file_section(Json const& summary) {
  std::vector<std::string> const names =
      texts_in(json_member(json_member(summary, "result"), "files"));
  constexpr std::size_t max_names = 100;
  std::string items;
  for (std::size_t i = 0; i < std::min(names.size(), max_names); ++i) {
    items +=
        fmt::format("<li><a href=\"{}\">{}</a></li>\n", link_target(names[i]), html_line(names[i]));
  }
  if (names.size() > max_names) {
    items += fmt::format("<li>and {} more</li>\n", names.size() - max_names);
  }
  return html_section("Files", items.empty() ? "" : "<ul>\n" + items + "</ul>\n");
}

std::string case_section(RunFiles const& files) {
  if (files.case_text.empty()) return "";
  constexpr std::size_t max_bytes = std::size_t{256} << 10U;
  std::string_view const shown = cut(files.case_text, max_bytes);
  std::string const rest =
      shown.size() < files.case_text.size()
          ? "<p class=\"soft\">The case is longer; all of it is in case.toml.</p>\n"
          : "";
  return html_section("Case", "<pre>" + html_text(shown) + "</pre>\n" + rest);
}

}  // namespace isotherm::app
