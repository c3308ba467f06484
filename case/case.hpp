#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "case/probe.hpp"
#include "case/stop_criterion.hpp"
#include "decomposition/field/regrid/resampling.hpp"
#include "decomposition/ranks/device_memory.hpp"
#include "decomposition/transport/transport.hpp"
#include "io/picture/picture_format.hpp"
#include "io/picture/picture_look.hpp"
#include "solver/problem/problem.hpp"
#include "solver/solver.hpp"

// A case file in memory, and the functions that read one from TOML text.
//
// A case is one problem with its method and its output: grid, equation, boundary conditions,
// initial condition, method, snapshots, checkpoints, probes and run settings.
// `docs/reference/case-file.md` lists all keys. Each section has a reader in a file of
// `case/sections`; `parts.hpp` declares them.

namespace isotherm {

class DataField;

/// A file that holds the initial condition.
///
/// It replaces [initial] value, box and gaussian; a case that has both is refused. Reading the case
/// does not open the file. The run reads it on all ranks.
struct InitialFile {
  /// Path of the file, relative to the case file.
  std::filesystem::path path;
  /// Name of the dataset. If it is empty, the file is one of isotherm's own and the field is `u`.
  std::string dataset;
  /// How to interpolate from the file's grid to that of the case. Without it both must be equal.
  std::optional<Curve> resample{};
};

/// Returns the number of components of a snapshot's field: 3 for "gradient" and "flux", else 1.
/// Vectors have three components in 2D, too.
int components_of(std::string const& field);

/// Section [output]: which files a run writes, and which parts of the field they hold.
struct OutputSettings {
  /// Directory for all results, as the case names it.
  std::filesystem::path directory;
  /// Iterations or time steps between two snapshots. 0: none by count.
  std::int64_t snapshot_every = 0;
  /// Physical time between two snapshots, counted from t = 0. 0: none by time.
  /// MethodSettings::times_s holds the output times themselves.
  double snapshot_interval_s = 0.0;
  /// Fields of a snapshot: "u", which is mandatory, "source", "material", "share", "gradient",
  /// "flux".
  std::vector<std::string> fields{"u"};
  /// Format of the picture of the final field, if there is one.
  std::optional<PictureFormat> picture = PictureFormat::png;
  /// Appearance of all pictures: contour lines, range of values, slices.
  PictureLook look{};
  /// Iterations or time steps between two intermediate pictures. 0: none, or approximately 100 for
  /// a film; see pictures_every().
  std::int64_t picture_every = 0;
  /// Format of the film of these pictures, "gif" or "png". Empty: none.
  std::string film{};
  /// Level of deflate compression, from 0 (none) to 9.
  int compression = 0;
  /// True: snapshots of a float64 field are stored as float32. Checkpoints keep the full precision.
  bool as_float32 = false;
  /// Restricts snapshots to these points of the grid.
  std::optional<GlobalBox> cut{};
  /// True: the run continues to compute while another thread writes a field.
  bool in_background = true;
  /// True: the run ends with report.html, a page about it.
  bool report = true;

  /// Returns whether snapshots hold less than a restart needs. If so, checkpoints get files of
  /// their own.
  [[nodiscard]] bool reduces() const { return as_float32 || cut.has_value(); }
  /// Returns the number of iterations or steps between two intermediate pictures; 0: none.
  /// @param iterations  of the whole run
  [[nodiscard]] std::int64_t pictures_every(std::int64_t iterations) const;
  /// Returns how many numbers a snapshot stores for each point, summed over all fields.
  [[nodiscard]] int values_per_point() const;
  /// Returns how many numbers a file with the whole field stores for each point. If snapshots are
  /// reduced, checkpoints are separate files and omit the vectors, which can be computed again.
  [[nodiscard]] int values_per_point_of_whole_field() const;
};

/// Policy for a checkpoint that becomes due while the previous field is still being written.
enum class WhenBusy { wait, skip };

/// Section [checkpoint]: how often a run stores its state for a restart.
struct CheckpointSettings {
  /// Iterations or time steps between two checkpoints. 0: none by count.
  std::int64_t every = 0;
  /// Wall-clock minutes between two checkpoints. 0: none by time.
  double every_minutes = 0.0;
  /// Number of checkpoints to keep. Older ones are deleted.
  int keep = 2;
  /// What to do if a checkpoint becomes due while the previous field is still being written.
  WhenBusy when_busy = WhenBusy::wait;
};

/// Device that computes. `automatic` prefers CUDA devices if there are any, except for small grids.
enum class DeviceChoice { automatic, cuda, cpu };

/// Section [run]: on which device and in which way a case is computed. None of these settings
/// changes the problem, so they are not part of the fingerprint.
struct RunSettings {
  DeviceChoice device = DeviceChoice::automatic;
  /// Number of subdomains along each axis. Empty: chosen for the number of ranks.
  std::optional<Extent3> decomposition{};
  /// How ghost layers travel between ranks.
  TransportKind transport = TransportKind::automatic;
  /// Whether MPI may be given pointers to device memory.
  mpi::DeviceMemory mpi_device_memory = mpi::DeviceMemory::automatic;
  /// Kernel variant of the sweeps: the name of a plan, or "auto".
  std::string plan = "auto";
  /// A user's plan table, relative to the case file.
  std::optional<std::filesystem::path> plan_table{};
  /// Whether the plans are measured before the run if this device has none for such a sweep. Empty:
  /// on GPUs of generations that the built-in table was not measured on.
  std::optional<bool> tune{};
  /// Wall-clock seconds after which the run must have stopped, as in a batch job. Empty: no limit.
  std::optional<double> wall_time_s{};
  /// Seconds for which one rank may keep the others waiting before the job is ended. 0: no limit.
  double patience_s = 600.0;
};

/// A region, source or patch of a case, with what is needed to measure it on the grid.
struct PlacedRegion {
  /// "material", "source", "fixed", "insulated", "patch x_lower", "convection", "radiation": the
  /// surface of an insulated region, "film": that of a fixed region with h, or "contact": the
  /// surface between two materials
  std::string kind;
  /// As the case names it, or its number in the list of its kind; "a to b" for a contact.
  std::string name;
  Region where{};                 ///< without `contains` for a source at a place
  GlobalBox within{};             ///< contains all points of the region
  std::optional<Face> face{};     ///< the face of a patch
  std::optional<double> power{};  ///< the total power, if it is given and constant
  bool by_points = false;         ///< the region is the set of the grid points inside
  int contact = -1;               ///< Contact::table of a contact
  /// A warning if a part of a shape with a total power lies outside of the grid; else empty.
  std::string remark{};
};

/// A case file, parsed and checked: everything that `isotherm run` needs to know.
struct Case {
  std::string title;
  Problem problem;
  std::optional<InitialFile> initial_file;
  /// Files with the coordinates of graded axes. Empty for axes without one.
  PerAxis<std::filesystem::path> axis_files{};
  /// Method settings. If the case has "stable", the time step is resolved. The steps are laid out
  /// from t = 0; a resumed run lays them out again.
  MethodSettings method;
  OutputSettings output;
  CheckpointSettings checkpoint;
  RunSettings run;
  /// Measurements during the run: all [[probe]] tables, then [output] quantities if given.
  std::vector<Probe> probes{};
  /// The criterion that ends the run before its last step, if the case has one.
  std::optional<StopCriterion> stop{};
  /// Values that the case reads from files, in the order in which it names them.
  std::vector<std::shared_ptr<DataField>> data{};
  /// Materials, sources, fixed and insulated regions and patches.
  std::vector<PlacedRegion> regions{};
  /// The case as it runs: overrides are applied, and paths are valid from any directory.
  std::string text;
  /// JSON object of all keys that must agree to resume a run: grid, equation, boundary, initial
  /// condition, precision, method and time step.
  std::string fingerprint;
  /// Position and value of each key, for messages about faults that only a run can detect:
  /// "run.plan" -> `case.toml:12: [run] plan = "fast"`. Lists of tables are numbered:
  /// "fixed.0.value" is a key of the first [[fixed]]. See blaming().
  std::map<std::string, std::string> said{};
  /// Keys that overrides have removed, as they contradict them, and the override:
  /// "[method] steps, because of --set method.end_time=2".
  std::vector<std::string> displaced{};
};

/// Parses and checks a case from TOML text.
///
/// Values in files are not checked; only CaseReader::check_on_all_ranks() does that. Not
/// collective.
///
/// Functions are evaluated at a sample of the points, so the cost rarely depends on the size of the
/// grid. One exception is ftcs in a heterogeneous medium: its longest stable time step needs a pass
/// over all points.
///
///     Case const chosen = parse_case(text, "plate.toml", {"method.tolerance=1e-8"});
///     Grid const& grid = chosen.problem.grid;
///
/// @param text       the file's contents
/// @param name       the file's name, for messages ("case.toml:12: [method] …")
/// @param overrides  "method.iterations=50" …, applied in order before anything is checked
/// @throws InputError  one line: what is wrong, file, line and key, and the nearest valid key or
///        the valid values
Case parse_case(std::string const& text, std::string const& name,
                std::vector<std::string> const& overrides = {});

/// Parses a case whose fingerprint shows that it has the same problem as another one, possibly with
/// a different time step.
///
/// The values and coordinates in files are taken from `other`, and so is the longest stable time
/// step, which needs a pass over the grid. No file is opened, since files may have moved since
/// `other` was read. Not collective.
/// @pre  the fingerprint of `other` differs from that of the new case in the time step at most
/// @throws InputError  as parse_case()
Case parse_case_like(Case const& other, std::string const& text, std::string const& name,
                     std::vector<std::string> const& overrides = {});

/// Compares two fingerprints and describes each key that differs: "[method] time_step is 2e-05, the
/// file has 1e-05". An empty result means that a run of `wanted` can resume from `found`.
/// @param wanted  the fingerprint of a case, as Case::fingerprint has it
/// @param found   the fingerprint in a file, which may be any text, even invalid JSON
std::vector<std::string> fingerprint_differences(std::string const& wanted,
                                                 std::string const& found);

/// Returns the line that makes a case resumable if its fingerprint differs from `found` in the time
/// step alone: "time_step = 0.002". Returns an empty text if anything else differs.
/// @param found  the fingerprint in the file to resume from
std::string time_step_to_resume(Case const& chosen, std::string const& found);

}  // namespace isotherm
