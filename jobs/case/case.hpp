#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/field/resampling.hpp"
#include "decomposition/transport/transport.hpp"
#include "io/picture/picture_format.hpp"
#include "io/picture/picture_look.hpp"
#include "jobs/case/probe.hpp"
#include "solver/problem/problem.hpp"
#include "solver/solver.hpp"

namespace isotherm {

class DataField;

/// A file that holds the initial field.
struct InitialFile {
  std::filesystem::path path;       ///< relative to the case file
  std::string dataset;              ///< empty: the field of one of isotherm's own files
  std::optional<Curve> resample{};  ///< from whatever points it has to those of the grid
};

/// Numbers that a field of a snapshot has at each point: 3 of vectors.
int components_of(std::string const& field);

struct OutputSettings {
  std::filesystem::path directory;
  std::int64_t snapshot_every = 0;       ///< iterations or steps; 0: none by number
  double snapshot_interval_s = 0.0;      ///< between two by the field's time, from 0 on; 0: none.
                                         ///< The times themselves are MethodSettings::times_s
  std::vector<std::string> fields{"u"};  ///< "u", "source", "gradient", "flux"
  std::optional<PictureFormat> picture = PictureFormat::png;  ///< of the final field
  PictureLook look{};                                         ///< of all pictures
  std::int64_t picture_every = 0;  ///< iterations or steps between pictures on the way; 0: none
  int compression = 0;             ///< deflate level 0 … 9
  bool as_float32 = false;         ///< snapshots (not checkpoints) of a float64 field as float32
  std::optional<GlobalBox> cut{};  ///< snapshots hold these points only
  bool in_background = true;       ///< the run goes on while a field is written

  /// Snapshots hold less than a run needs to go on, so checkpoints have files of their own.
  [[nodiscard]] bool reduces() const { return as_float32 || cut.has_value(); }
  /// Numbers that a snapshot holds for each of its points.
  [[nodiscard]] int numbers_a_point() const;
  /// The same of a file that holds the whole field. Where it is one beside a snapshot it has no
  /// vectors, which can be made again.
  [[nodiscard]] int numbers_a_point_of_whole() const;
};

/// What becomes of a checkpoint that is due while the field before it is still being written.
enum class WhenBusy { wait, skip };

struct CheckpointSettings {
  std::int64_t every = 0;      ///< iterations or steps; 0: not by count
  double every_minutes = 0.0;  ///< 0: not by time
  int keep = 2;
  WhenBusy when_busy = WhenBusy::wait;
};

enum class DeviceChoice { automatic, cuda, cpu };

struct RunSettings {
  DeviceChoice device = DeviceChoice::automatic;
  std::optional<Extent3> decomposition{};
  TransportKind transport = TransportKind::automatic;
  std::string plan = "auto";
  std::optional<std::filesystem::path> plan_table{};  ///< relative to the case file
  std::optional<double> wall_time_s{};  ///< after which a run must have stopped by itself
  double patience_s = 600.0;  ///< for which a rank may keep others waiting; 0: without end
};

/// A case file, read and checked: all that `isotherm run` needs to know.
struct Case {
  std::string title;
  Problem problem;
  std::optional<InitialFile> initial_file;
  PerAxis<std::filesystem::path> axis_files{};  ///< where coordinates come from; most are empty
  MethodSettings method;  ///< with time_step_s resolved where the case says "stable", and the
                          ///< steps laid out from time 0; a run that is resumed lays them out anew
  OutputSettings output;
  CheckpointSettings checkpoint;
  RunSettings run;
  std::vector<Probe> probes{};                     ///< [[probe]], and, last, [output] quantities
  std::vector<std::shared_ptr<DataField>> data{};  ///< the values that it has in files
  std::string text;         ///< the case as it is run, with overrides applied, from any folder
  std::string fingerprint;  ///< JSON object: grid, equation, boundary, initial, precision, method
                            ///< and time step: the keys that must agree to resume
  /// Where each key of a section is said and what it says, for messages about what only a run can
  /// tell: "run.plan" -> `case.toml:12: [run] plan = "fast"`; "fixed.0.value" is in the first
  /// [[fixed]]. See blaming().
  std::map<std::string, std::string> said{};
};

/// Reads a case from TOML text. Values that it has in files are not looked at: check_data() does.
/// @param text       the file's contents
/// @param name       the file's name, for messages ("case.toml:12: [method] …")
/// @param overrides  "method.iterations=50" …, applied in order before anything is checked
/// @throws InputError  one line: what is wrong, file, line and key, the nearest valid key or the
///                     valid values
Case parse_case(std::string const& text, std::string const& name,
                std::vector<std::string> const& overrides = {});

/// The same of a case whose problem is known to be another's, as their fingerprints say, but for
/// the length of steps perhaps. Values and coordinates in files, and what had to be looked for all
/// over the grid, are the other case's: no file is opened, as it may be elsewhere by now. Serial.
Case parse_case_like(Case const& other, std::string const& text, std::string const& name,
                     std::vector<std::string> const& overrides = {});

/// One clause a key in which two fingerprints differ ("[method] time_step is 2e-05, the file has
/// 1e-05"); empty where a run of `wanted` may go on from `found`.
std::vector<std::string> fingerprint_differences(std::string const& wanted,
                                                 std::string const& found);

/// What to write into a case whose fingerprint differs from `found` by its time step alone, so that
/// a run can go on from there ("time_step = 0.002"); empty where something else differs.
std::string time_step_to_go_on(Case const& chosen, std::string const& found);

}  // namespace isotherm
