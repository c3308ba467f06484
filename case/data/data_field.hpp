#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "case/data/data_blocks.hpp"
#include "case/data/data_points.hpp"
#include "case/data/value_file.hpp"
#include "case/data/wanted_values.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/precision.hpp"
#include "solver/problem/scalar_function.hpp"

namespace isotherm {

/// Values of a case that come from a file instead of an expression, at the points of the grid or of
/// one of its faces.
///
/// Each rank can evaluate it at any place. After keep(), the values of the rank's own subdomain are
/// in memory. After check(), so are those at a sample of the points, which all ranks evaluate
/// during set-up. All other values are read on demand through a cache.
///
/// Life cycle: settle() opens the file, want() registers requirements, check() verifies them on all
/// ranks together, keep() loads a subdomain.
///
///     auto const field = std::make_shared<DataField>(place, ValueFile{"data.h5", "/q"});
///     field->settle(grid, std::nullopt);
///     field->want({.points = grid.box(), .sign = Sign::positive});
///     field->check(ranks, Precision::float64);      // collective
///     field->keep(subdomain.owned_global());
///     double const q = field->at(0.5, 0.5, 0.0);
class DataField {
 public:
  /// @param said  the key that names the file, for messages: "case.toml:12: [equation] source"
  DataField(std::string said, ValueFile file);

  /// Opens the file and checks everything except the values. Call it once.
  /// @throws InputError  if the shape of the dataset does not fit; the message begins with `said`
  void settle(Grid const& grid, std::optional<Face> face);

  /// Registers a requirement for check(). Has no effect once the values have been checked.
  void want(WantedValues wanted) {
    if (!checksum_) wanted_.push_back(std::move(wanted));
  }
  /// Registers the requirement that values are finite and not all 0, for a region selection.
  /// @param points  those of the grid
  /// @param whose  names the points in the message: "the grid's points"
  void want_some(GlobalBox points, std::string whose);

  /// Returns the value of the nearest point. Thread-safe. @pre  settle() has succeeded
  /// @throws InputError  if the file cannot be read, before check(); afterwards Error
  [[nodiscard]] double at(double x, double y, double z) const;

  /// Reads and checks all values. Each rank reads a share and keeps only the sample. Collective.
  /// @throws InputError  on every rank, naming the first point whose value is not valid
  void check(mpi::Communicator const& ranks, Precision precision);
  /// Returns the checksum of all values; empty before check().
  [[nodiscard]] std::optional<std::uint64_t> checksum() const { return checksum_; }

  /// Loads the values of a subdomain and of its neighbouring points into memory. A second call has
  /// no effect.
  /// @throws InputError  if the file is damaged
  void keep(GlobalBox const& points);
  /// Returns the memory that keep() needs, in bytes.
  [[nodiscard]] std::size_t bytes_to_keep(GlobalBox const& points) const;

  [[nodiscard]] std::filesystem::path const& file() const { return file_.path; }
  /// Returns the key that names the file, with its place: "case.toml:12: [equation] source".
  [[nodiscard]] std::string const& said() const { return said_; }
  /// Returns the key that names the file: "[equation] source".
  [[nodiscard]] std::string key() const {
    return said_.substr(std::min(said_.rfind('['), said_.size()));
  }

 private:
  /// The results of one rank's share: checksum, number of nonzero values, sample.
  struct Found;
  /// The values at which all ranks evaluate the field during set-up.
  class Sample;

  /// Checks the share of one rank, piece by piece. Not collective.
  [[nodiscard]] Found check_share(int rank, int ranks, Precision precision) const;
  void verify() const;
  void check_piece(GlobalBox piece, Precision precision, Found& found) const;
  void check_wanted(GlobalBox piece, std::vector<double> const& values, Precision precision,
                    WantedValues const& wanted) const;
  // In the functions below, a point is an index of the dataset, not of the grid.
  [[nodiscard]] bool counts(Index3 point, WantedValues const& wanted) const;
  [[noreturn]] void refuse(Index3 point, double value, Precision precision,
                           WantedValues const& wanted) const;
  [[nodiscard]] double read_at(Index3 point) const;
  [[nodiscard]] GlobalBox box_to_keep(GlobalBox const& points) const;

  /// The key that names the file, with its place: the beginning of every message.
  std::string said_;
  ValueFile file_;
  /// Requirements in the order of want(); check() tests each value against all of them.
  std::vector<WantedValues> wanted_{};
  /// Names the points of which one at least must be nonzero; empty if all may be 0.
  std::string wanted_some_of_{};
  /// Maps grid points to indices of the dataset. Empty before settle(), as are the next two.
  std::optional<DataPoints> points_{};
  std::unique_ptr<ValueSource> dataset_{};
  std::unique_ptr<DataBlocks> blocks_{};
  /// The checksum over all ranks' shares. Empty before check().
  std::optional<std::uint64_t> checksum_{};
  std::mutex mutex_{};  ///< protects kept_here_ and sample_here_ while they are set
  // Two members each. The owner is set under the mutex. The pointer is published once, and other
  // threads read through it without a lock.
  std::unique_ptr<NumberBox const> kept_here_{};
  std::shared_ptr<Sample const> sample_here_{};
  std::atomic<NumberBox const*> kept_{nullptr};
  std::atomic<Sample const*> sample_{nullptr};
};

/// All values in files of a case, in the order in which it names them.
using DataFields = std::vector<std::shared_ptr<DataField>>;

/// Wraps a field as a function. settle_data() sets its `text`, which identifies the field within
/// the case.
ScalarFunction function_of(std::shared_ptr<DataField> field);
/// Returns the field that a function wraps; null for a function of another kind.
std::shared_ptr<DataField> data_of(ScalarFunction const& function);

/// Calls check() of all fields. Collective.
void check_data(mpi::Communicator const& ranks, DataFields const& data, Precision precision);
/// Calls keep() of all fields. Collective: an error on one rank is thrown on all.
void keep_data(mpi::Communicator const& ranks, DataFields const& data, GlobalBox const& points);
/// Returns the sum of bytes_to_keep() of all fields.
std::size_t bytes_to_keep(DataFields const& data, GlobalBox const& points);

/// Returns a placeholder for the digest of field `number`, which the text of its function contains
/// until the values are known. No expression contains such a text, because it has braces.
std::string mark_of(std::size_t number);

}  // namespace isotherm
