#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "io/values/value_source.hpp"
#include "kernels/core/box.hpp"

// Partial reads of large datasets: a box of values in memory, and a cache of blocks.

namespace isotherm {

/// The values of a box of points of a dataset, as float32 if that represents them, else as float64.
/// x is contiguous.
class NumberBox {
 public:
  /// Reads the values. @throws InputError  if the file is damaged
  NumberBox(ValueSource const& dataset, GlobalBox box);

  [[nodiscard]] bool contains(Index3 point) const {
    return box_.contains(point.x, point.y, point.z);
  }
  /// Returns the value at a point. @pre contains(point)
  [[nodiscard]] double at(Index3 point) const {
    Index3 const from = point - box_.lower;
    auto const i = static_cast<std::size_t>(from.x + extent_.x * (from.y + extent_.y * from.z));
    return doubles_.empty() ? static_cast<double>(singles_[i]) : doubles_[i];
  }
  /// Returns the memory that the values of a box need, in bytes.
  static std::size_t bytes(ValueSource const& dataset, GlobalBox box);

 private:
  GlobalBox box_;
  Extent3 extent_;
  // One of the two holds the values; the other one is empty.
  std::vector<float> singles_{};
  std::vector<double> doubles_{};
};

/// Returns the extent of a box of whole chunks with at most `maximum` points, so no chunk is read
/// twice. A single chunk may exceed the limit. The box is extended along x first, then y, then z.
Extent3 piece_of(ValueSource const& dataset, std::int64_t maximum);

/// A cache of blocks of a dataset, which are read on demand; evicts the least recently used block.
///
/// The cache is large enough for a traversal of all points plane by plane without reading a block
/// twice. Each thread also remembers its last block, which needs no lock.
class DataBlocks {
 public:
  /// @param max_values  capacity in values; raised if two layers of blocks need more
  explicit DataBlocks(ValueSource const& dataset, std::int64_t max_values = std::int64_t{1} << 22);

  /// Returns the value at a point. Thread-safe. @throws InputError  if the file is damaged
  [[nodiscard]] double at(Index3 point);
  /// Empties the cache.
  void forget();
  /// Returns the number of values that have been read from the file.
  [[nodiscard]] std::int64_t values_read() const { return values_read_; }

 private:
  using Values = std::shared_ptr<NumberBox const>;
  /// A cached block.
  struct Known {
    Values values;
    /// Position of the block's number in `turns_`.
    std::list<std::int64_t>::iterator turn;
  };
  /// Returns the number of the block that contains a point. Blocks are numbered with x fastest.
  [[nodiscard]] std::int64_t block_at(Index3 point) const;
  /// Returns a block from the cache, or reads it from the file. Acquires the lock.
  [[nodiscard]] Values block(std::int64_t number);
  /// Reads a block from the file. @pre  the calling thread holds the lock
  [[nodiscard]] Values read(std::int64_t number);

  /// Unique in the process, so a later object at the same address is not confused with this one.
  std::uint64_t id_;
  ValueSource const* dataset_;
  Extent3 points_;
  Extent3 extent_;  ///< of a block, in points
  Extent3 blocks_;  ///< number of blocks along each axis
  /// Maximum number of cached blocks.
  std::size_t max_known_;
  std::mutex mutex_{};  ///< protects the members below
  std::unordered_map<std::int64_t, Known> known_{};
  std::int64_t values_read_ = 0;
  std::list<std::int64_t> turns_{};  ///< numbers of the cached blocks, the most recently used first
};

}  // namespace isotherm
