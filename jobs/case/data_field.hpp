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

#include "decomposition/ranks/mpi.hpp"
#include "jobs/case/data_blocks.hpp"
#include "jobs/case/data_points.hpp"
#include "jobs/case/wanted_values.hpp"
#include "kernels/core/precision.hpp"
#include "solver/problem/scalar_function.hpp"

namespace isotherm {

/// Values that a case has in a file, where another has an expression: at the points of the grid, or
/// of a face of it.
///
/// Any rank can be asked for any of them. It finds those of its own part in memory, once keep() was
/// called, and those at a sample of the points, which all ranks look at, once check() was; others
/// it reads as they are asked for.
class DataField {
 public:
  /// @param said  where: "case.toml:12: [equation] source"
  DataField(std::string said, std::filesystem::path file, std::string dataset);

  /// Opens the file, and looks at everything in it but the values. Once.
  /// @throws InputError  where its dataset does not fit; the message begins with `said`
  void settle(Grid const& grid, std::optional<Face> face);

  /// To be asked of the values by check(); once that is done, it says nothing new.
  void want(WantedValues wanted) {
    if (!checksum_) wanted_.push_back(std::move(wanted));
  }
  /// To be finite, and not all 0. @param points  those of the data
  /// @param whose  "the grid's points"
  void want_some(GlobalBox points, std::string whose);

  /// That of the nearest point. May be called from several threads at once.
  [[nodiscard]] double at(double x, double y, double z) const;

  /// Looks at all values, of which each rank reads a share and keeps none. Collective.
  /// @throws InputError  on every rank, with the first point whose value is not as it is wanted
  void check(mpi::Communicator const& ranks, Precision precision);
  /// Of all values, known once they were checked.
  [[nodiscard]] std::optional<std::uint64_t> checksum() const { return checksum_; }

  /// Reads the values of some of the grid's points and of those around them, to be kept; a second
  /// call has no effect. @throws InputError  where the file is damaged
  void keep(GlobalBox const& points);
  /// What that takes.
  [[nodiscard]] std::size_t bytes_to_keep(GlobalBox const& points) const;

  [[nodiscard]] std::filesystem::path const& file() const { return file_; }
  /// "[equation] source".
  [[nodiscard]] std::string key() const {
    return said_.substr(std::min(said_.rfind('['), said_.size()));
  }

 private:
  struct Found;
  class Sample;

  [[nodiscard]] Found look_at_share(int rank, int ranks, Precision precision) const;
  void look_at(GlobalBox piece, Precision precision, Found& found) const;
  void look_at_wanted(GlobalBox piece, std::vector<double> const& values, Precision precision,
                      WantedValues const& wanted) const;
  [[nodiscard]] bool counts(Index3 point, WantedValues const& wanted) const;
  [[noreturn]] void refuse(Index3 point, double value, Precision precision,
                           WantedValues const& wanted) const;
  [[nodiscard]] double read_at(Index3 point) const;
  [[nodiscard]] GlobalBox box_to_keep(GlobalBox const& points) const;

  std::string said_;
  std::filesystem::path file_;
  std::string dataset_name_;
  std::vector<WantedValues> wanted_{};
  std::string wanted_some_of_{};  ///< whose values must not all be 0; empty where they may
  std::optional<DataPoints> points_{};
  std::unique_ptr<ValueDataset> dataset_{};
  std::unique_ptr<DataBlocks> blocks_{};
  std::optional<std::uint64_t> checksum_{};
  std::mutex mutex_{};  ///< of what is published here, once, while others may ask
  std::unique_ptr<NumberBox const> kept_here_{};
  std::shared_ptr<Sample const> sample_here_{};
  std::atomic<NumberBox const*> kept_{nullptr};
  std::atomic<Sample const*> sample_{nullptr};
};

/// All of a case, in the order in which it names them.
using DataFields = std::vector<std::shared_ptr<DataField>>;

/// The field as a function; `text` tells it from the others of the case.
ScalarFunction function_of(std::shared_ptr<DataField> field);
/// The field whose function it is; null where it is of another kind.
std::shared_ptr<DataField> data_of(ScalarFunction const& function);

/// check() of all of them. Collective.
void check_data(mpi::Communicator const& ranks, DataFields const& data, Precision precision);
/// keep() of all of them. Collective: what fails on one rank is thrown on all.
void keep_data(mpi::Communicator const& ranks, DataFields const& data, GlobalBox const& points);
/// bytes_to_keep() of all of them.
std::size_t bytes_to_keep(DataFields const& data, GlobalBox const& points);

/// What stands in the text of the function of the field of that number, for its digest, which is
/// not known yet; no expression holds such a text.
std::string mark_of(std::size_t number);

}  // namespace isotherm
