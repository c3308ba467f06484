#include "solver/multigrid/levels/level_clock.hpp"

#include "kernels/core/error.hpp"

namespace isotherm {

LevelClock::LevelClock(Queue& queue, std::size_t levels) : queue_(&queue), parts_(levels + 1) {
  enter_field();
}

void LevelClock::enter(std::size_t part) {
  require(part < parts_, "the timed level does not exist");
  if (!changes_.empty() && changes_.back().to == part) return;
  changes_.push_back({part, Event(*queue_)});
  changes_.back().event.record(*queue_);
}

std::vector<double> LevelClock::seconds() {
  Event end(*queue_);
  end.record(*queue_);
  end.wait();
  std::vector<double> seconds(parts_);
  for (std::size_t n = 0; n < changes_.size(); ++n) {
    // Each interval ends with the next event.
    Event const& next = n + 1 < changes_.size() ? changes_[n + 1].event : end;
    seconds[changes_[n].to] += next.seconds_since(changes_[n].event);
  }
  return seconds;
}

}  // namespace isotherm
