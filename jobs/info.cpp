#include "jobs/info.hpp"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "io/snapshot.hpp"
#include "jobs/exit_code.hpp"
#include "jobs/text.hpp"

namespace isotherm {

namespace {

using Json = nlohmann::ordered_json;

char const* type_name(SnapshotInfo const& info) {
  return info.stored_type == NumberType::float32 ? "float32" : "float64";
}

char const* role_name(SnapshotInfo const& info) {
  return info.is_checkpoint ? "checkpoint" : "snapshot";
}

/// An empty text, and one that is no JSON, as null.
Json parsed(std::string const& text) {
  Json json = text.empty() ? Json() : Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json() : json;
}

/// Names of files need not be UTF-8, JSON has to be.
void print(Json const& json) {
  std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

Json to_json(SnapshotFile const& file) {
  SnapshotInfo const& info = file.info;
  Grid const& grid = info.grid;
  return {{"file", file.path.string()},
          {"field", info.field},
          {"iteration", info.iteration},
          {"time_s", info.time_s},
          {"dimension", grid.dimension},
          {"points", {grid.points.x, grid.points.y, grid.points.z}},
          {"lower", grid.lower},
          {"spacing", grid.spacing},
          {"type", type_name(info)},
          {"role", role_name(info)},
          {"can_resume", info.can_resume},
          {"reason_not_resumable", info.reason_not_resumable},
          {"checksum", fmt::format("{:016x}", info.checksum)},
          {"version", info.version},
          {"state", parsed(info.state)},
          {"fingerprint", parsed(info.fingerprint)}};
}

std::string triple(std::array<double, 3> const& values, int dimension) {
  return dimension == 2 ? fmt::format("{:g}, {:g}", values[0], values[1])
                        : fmt::format("{:g}, {:g}, {:g}", values[0], values[1], values[2]);
}

void print(SnapshotFile const& file) {
  SnapshotInfo const& info = file.info;
  Grid const& grid = info.grid;
  std::cout << fmt::format(
      "{}\n"
      "  field       {}, {}, at iteration {}, t = {:g}\n"
      "  points      {}, first at ({}), spacing ({})\n"
      "  role        {}, {}\n"
      "  checksum    {:016x}\n"
      "  written by  isotherm {}\n",
      file.path.string(), info.field, type_name(info), info.iteration, info.time_s,
      format_extent(grid.points, grid.dimension), triple(grid.lower, grid.dimension),
      triple(grid.spacing, grid.dimension), role_name(info),
      info.can_resume ? "can be resumed from"
                      : "cannot be resumed from: " + info.reason_not_resumable,
      info.checksum, info.version);
}

void print_list(std::vector<SnapshotFile> const& files, std::vector<std::string> const& rejected) {
  for (SnapshotFile const& file : files) {
    std::cout << fmt::format("{:>12}  t = {:<12g} {:<10} {:<10} {}\n", file.info.iteration,
                             file.info.time_s, role_name(file.info),
                             file.info.can_resume ? "resumable" : "-",
                             file.path.filename().string());
  }
  for (std::string const& reason : rejected) {
    std::cerr << "isotherm: warning: left out: " << reason << "\n";
  }
}

void list_directory(InfoOptions const& options) {
  std::vector<std::string> rejected;
  auto const files = list_snapshots(options.path, "u", &rejected);
  if (files.empty()) {
    throw InputError("there is no snapshot in " + options.path.string() +
                     (rejected.empty() ? "" : " that can be read: " + rejected.front()));
  }
  if (!options.json) {
    return print_list(files, rejected);
  }
  Json all = Json::array();
  for (SnapshotFile const& file : files) {
    all.push_back(to_json(file));
  }
  print(all);
}

}  // namespace

int show_info(InfoOptions const& options) {
  std::error_code said_below;
  if (std::filesystem::is_directory(options.path, said_below)) {
    list_directory(options);
    return exit_code::done;
  }
  SnapshotFile const file{options.path, read_snapshot_info(options.path)};
  if (options.print_case) {
    std::cout << file.info.case_text;
  } else if (options.json) {
    print(to_json(file));
  } else {
    print(file);
  }
  return exit_code::done;
}

}  // namespace isotherm
