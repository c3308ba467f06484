#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "io/snapshot/value_dataset.hpp"
#include "kernels/core/box.hpp"

namespace isotherm {

/// The values of some points of a dataset, in the narrowest type that holds them.
class NumberBox {
 public:
  NumberBox(ValueDataset const& dataset, GlobalBox box);

  [[nodiscard]] bool contains(Index3 point) const {
    return box_.contains(point.x, point.y, point.z);
  }
  [[nodiscard]] double at(Index3 point) const {
    Index3 const from = point - box_.lower;
    auto const i = static_cast<std::size_t>(from.x + extent_.x * (from.y + extent_.y * from.z));
    return doubles_.empty() ? static_cast<double>(singles_[i]) : doubles_[i];
  }
  /// What one of a dataset takes.
  static std::size_t bytes(ValueDataset const& dataset, GlobalBox box);

 private:
  GlobalBox box_;
  Extent3 extent_;
  std::vector<float> singles_{};
  std::vector<double> doubles_{};
};

/// The most points, up to about `most`, that can be read at once without reading a chunk twice.
Extent3 piece_of(ValueDataset const& dataset, std::int64_t most);

/// Values of a dataset that are read as they are asked for, in blocks, of which those that were
/// asked for last are kept: enough to go through the points plane by plane.
class DataBlocks {
 public:
  /// @param most_values  that may be kept, if they are more than it takes for that
  explicit DataBlocks(ValueDataset const& dataset,
                      std::int64_t most_values = std::int64_t{1} << 22);

  /// May be called from several threads at once. @throws InputError  where the file is damaged
  [[nodiscard]] double at(Index3 point);
  /// Keeps none of those that were read so far.
  void forget();
  /// How many values were read from the file so far.
  [[nodiscard]] std::int64_t values_read() const { return values_read_; }

 private:
  using Values = std::shared_ptr<NumberBox const>;
  struct Known {
    Values values;
    std::list<std::int64_t>::iterator turn;
  };
  [[nodiscard]] std::int64_t block_at(Index3 point) const;
  [[nodiscard]] Values block(std::int64_t number);
  [[nodiscard]] Values read(std::int64_t number);

  std::uint64_t id_;  ///< no two have the same, also one after the other
  ValueDataset const* dataset_;
  Extent3 points_;
  Extent3 extent_;  ///< of a block
  Extent3 blocks_;  ///< along each axis
  std::size_t most_known_;
  std::mutex mutex_{};  ///< of what follows
  std::unordered_map<std::int64_t, Known> known_{};
  std::int64_t values_read_ = 0;
  std::list<std::int64_t> turns_{};  ///< the block that was asked for last is the first
};

}  // namespace isotherm
