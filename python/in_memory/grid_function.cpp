#include "python/in_memory/grid_function.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

namespace isotherm {

namespace {

/// Returns the index of the grid point that has this coordinate.
std::int64_t index_of(Grid const& grid, int axis, double coordinate) {
  return std::llround(grid.position(axis, coordinate));
}

/// A cache of the values at two times. The solver evaluates all points of a pass at the same time,
/// so two times are enough. If they alternate, each is requested only once.
class ValuesInTime {
 public:
  ValuesInTime(GivenFunction given, Grid grid, GlobalBox box)
      : given_(std::move(given)), grid_(std::move(grid)), box_(box) {}

  /// Returns the value at a point and time.
  double at(double x, double y, double z, double time_s) {
    Index3 const point{index_of(grid_, 0, x), index_of(grid_, 1, y), index_of(grid_, 2, z)};
    if (!box_.contains(point.x, point.y, point.z)) return std::numeric_limits<double>::quiet_NaN();
    Index3 const at = point - box_.lower;
    Extent3 const extent = box_.extent();
    return of_time(given_.varies_in_time ? time_s
                                         : 0.0)[at.x + extent.x * (at.y + extent.y * at.z)];
  }

 private:
  /// The values at one time.
  struct Known {
    double time_s = 0.0;
    std::shared_ptr<double const> values{};
  };

  /// Returns the values at a time. If the time is that of the previous point, no lock is needed.
  /// One atomic load with acquire order makes the values visible that publish() released.
  double const* of_time(double time_s) {
    Known const* const newest = newest_.load(std::memory_order_acquire);
    return newest != nullptr && newest->time_s == time_s ? newest->values.get() : given_at(time_s);
  }
  /// Returns the values at a time from the cache, or requests them. Holds the lock while `give`
  /// runs, so only one thread calls it.
  double const* given_at(double time_s) {
    std::lock_guard const lock(mutex_);
    for (Known& known : known_) {
      if (known.values && known.time_s == time_s) return publish(known);
    }
    // The entry that is replaced belongs to an earlier pass, so no thread reads it any more.
    Known& oldest = newest_ == &known_[0] ? known_[1] : known_[0];
    oldest = {time_s, given_.give(time_s, box_)};
    return publish(oldest);
  }
  /// Makes an entry the newest one. Release order: the entry is complete before other threads see
  /// it.
  double const* publish(Known const& known) {
    newest_.store(&known, std::memory_order_release);
    return known.values.get();
  }

  GivenFunction given_;
  Grid grid_;
  GlobalBox box_;
  std::mutex mutex_;  // protects changes of the members below
  std::array<Known, 2> known_{};
  std::atomic<Known const*> newest_{nullptr};
};

}  // namespace

ScalarFunction lookup(GivenFunction given, Grid const& grid, GlobalBox box) {
  ScalarFunction function;
  function.varies_in_time = given.varies_in_time;
  auto const values = std::make_shared<ValuesInTime>(std::move(given), grid, box);
  function.evaluate = [values](double x, double y, double z, double t) {
    return values->at(x, y, z, t);
  };
  return function;
}

}  // namespace isotherm
