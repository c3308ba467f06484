#include "jobs/live/grid_function.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

namespace isotherm {

namespace {

/// The point of the grid that has this coordinate.
std::int64_t index_of(Grid const& grid, int axis, double coordinate) {
  return std::llround(grid.position(axis, coordinate));
}

/// The values of one time after another: all points of a pass over them are of the same time. Of
/// two times that take turns each is asked for once.
class ValuesInTime {
 public:
  ValuesInTime(GivenFunction given, Grid grid, GlobalBox box)
      : given_(std::move(given)), grid_(std::move(grid)), box_(box) {}

  double at(double x, double y, double z, double time_s) {
    Index3 const point{index_of(grid_, 0, x), index_of(grid_, 1, y), index_of(grid_, 2, z)};
    if (!box_.contains(point.x, point.y, point.z)) return std::numeric_limits<double>::quiet_NaN();
    Index3 const at = point - box_.lower;
    Extent3 const extent = box_.extent();
    return of_time(given_.varies_in_time ? time_s
                                         : 0.0)[at.x + extent.x * (at.y + extent.y * at.z)];
  }

 private:
  struct Known {
    double time_s = 0.0;
    std::shared_ptr<double const> values{};
  };

  /// Without a lock where the time is that of the point before.
  double const* of_time(double time_s) {
    Known const* const newest = newest_.load(std::memory_order_acquire);
    return newest != nullptr && newest->time_s == time_s ? newest->values.get() : given_at(time_s);
  }
  double const* given_at(double time_s) {
    std::lock_guard const lock(mutex_);
    for (Known& known : known_) {
      if (known.values && known.time_s == time_s) return publish(known);
    }
    Known& oldest = newest_ == &known_[0] ? known_[1] : known_[0];  // nobody reads it any more
    oldest = {time_s, given_.give(time_s, box_)};
    return publish(oldest);
  }
  double const* publish(Known const& known) {
    newest_.store(&known, std::memory_order_release);
    return known.values.get();
  }

  GivenFunction given_;
  Grid grid_;
  GlobalBox box_;
  std::mutex mutex_;  // of the changes to what follows
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
