#include "kernels/sweep/reduce.hpp"

namespace isotherm {

namespace {

std::size_t bytes_of(int changes) { return static_cast<std::size_t>(changes) * sizeof(Change); }

}  // namespace

ChangeReader::ChangeReader(Queue& queue, int maximum)
    : device_(queue, Space::device, bytes_of(maximum)),
      host_(queue, Space::pinned, bytes_of(maximum)),
      fetched_(queue) {}

std::size_t ChangeReader::footprint(Backend backend, int maximum) {
  return Buffer::footprint(backend, Space::device, bytes_of(maximum)) +
         Buffer::footprint(backend, Space::pinned, bytes_of(maximum));
}

void ChangeReader::clear(Queue& queue, int count) {
  fill_bytes(queue, device_.data(), 0, bytes_of(count));  // all bits zero is 0.0
}

void ChangeReader::fetch(Queue& queue, int count) {
  copy_bytes(queue, host_.data(), device_.data(), bytes_of(count));
  fetched_.record(queue);
}

Change ChangeReader::read(int i) const {
  fetched_.wait();
  return host_.as<Change>()[i];
}

}  // namespace isotherm
