#include "case/data/data_blocks.hpp"

#include <algorithm>
#include <array>
#include <atomic>

namespace isotherm {
namespace {

/// Approximate size of blocks of datasets without chunks, in values.
constexpr std::int64_t values_in_block = 2048;

/// Returns an identifier that is unique in the process.
std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

/// The block of one dataset that a thread used last. Each thread keeps several such records,
/// because the functions of a problem alternate between datasets. Datasets whose identifiers agree
/// modulo `recent_ones` share a record.
struct Recent {
  std::uint64_t id = 0;
  std::int64_t block = 0;
  std::shared_ptr<NumberBox const> values{};
};
constexpr std::size_t recent_ones = 8;
thread_local std::array<Recent, recent_ones> recent;

}  // namespace

NumberBox::NumberBox(ValueSource const& dataset, GlobalBox box) : box_(box), extent_(box.extent()) {
  auto const count = static_cast<std::size_t>(box.point_count());
  if (dataset.fits_float32()) {
    singles_.resize(count);
    dataset.read(box, singles_.data());
  } else {
    doubles_.resize(count);
    dataset.read(box, doubles_.data());
  }
}

std::size_t NumberBox::bytes(ValueSource const& dataset, GlobalBox box) {
  return static_cast<std::size_t>(box.point_count()) *
         (dataset.fits_float32() ? sizeof(float) : sizeof(double));
}

// Whole chunks matter because HDF5 decompresses a chunk as a whole: a box that cuts chunks would
// decompress some of them several times.
Extent3 piece_of(ValueSource const& dataset, std::int64_t maximum) {
  // Extends the chunk along x first, then y and z, by whole multiples while the limit permits.
  Extent3 piece = dataset.chunk();
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const times = std::max<std::int64_t>(1, maximum / (piece.x * piece.y * piece.z));
    piece[axis] = std::min(dataset.points()[axis], piece[axis] * times);
  }
  return piece;
}

DataBlocks::DataBlocks(ValueSource const& dataset, std::int64_t max_values)
    : id_(next_id()),
      dataset_(&dataset),
      points_(dataset.points()),
      extent_(piece_of(dataset, values_in_block)) {
  for (int axis = 0; axis < 3; ++axis) {
    blocks_[axis] = (points_[axis] + extent_[axis] - 1) / extent_[axis];
  }
  // Two layers of blocks suffice to visit the points plane by plane without reading a block twice.
  std::int64_t const of_two_layers = 2 * blocks_.x * blocks_.y;
  std::int64_t const of_some_memory = max_values / (extent_.x * extent_.y * extent_.z);
  max_known_ = static_cast<std::size_t>(std::max(of_two_layers, of_some_memory));
}

std::int64_t DataBlocks::block_at(Index3 point) const {
  Index3 const at{point.x / extent_.x, point.y / extent_.y, point.z / extent_.z};
  return at.x + blocks_.x * (at.y + blocks_.y * at.z);
}

// The thread's last block is found without a lock. The shared pointer keeps it alive even if the
// cache has evicted it.
double DataBlocks::at(Index3 point) {
  std::int64_t const number = block_at(point);
  Recent& last = recent[id_ % recent_ones];
  if (last.id != id_ || last.block != number) last = {id_, number, block(number)};
  return last.values->at(point);
}

// The lock is held while a block is read from the file, so no two threads read the same block.
DataBlocks::Values DataBlocks::block(std::int64_t number) {
  std::lock_guard const lock(mutex_);
  if (auto const found = known_.find(number); found != known_.end()) {
    // Moves the block to the front of the list: it is now the most recently used one.
    turns_.splice(turns_.begin(), turns_, found->second.turn);
    return found->second.values;
  }
  Values values = read(number);
  // Evicts the least recently used block.
  if (known_.size() >= max_known_) {
    known_.erase(turns_.back());
    turns_.pop_back();
  }
  turns_.push_front(number);
  known_[number] = {values, turns_.begin()};
  return values;
}

// Blocks that threads hold in `recent` remain valid.
void DataBlocks::forget() {
  std::lock_guard const lock(mutex_);
  known_.clear();
  turns_.clear();
}

DataBlocks::Values DataBlocks::read(std::int64_t number) {
  Index3 const at{number % blocks_.x, number / blocks_.x % blocks_.y,
                  number / (blocks_.x * blocks_.y)};
  GlobalBox box;
  for (int axis = 0; axis < 3; ++axis) {
    box.lower[axis] = at[axis] * extent_[axis];
    box.upper[axis] = std::min(points_[axis], box.lower[axis] + extent_[axis]);
  }
  values_read_ += box.point_count();
  return std::make_shared<NumberBox const>(*dataset_, box);
}

}  // namespace isotherm
