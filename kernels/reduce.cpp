#include "kernels/reduce.hpp"

namespace isotherm {

ChangeReader::ChangeReader(Queue& queue)
    : device_(queue, Space::device, sizeof(Change)),
      host_(queue, Space::pinned, sizeof(Change)),
      fetched_(queue) {}

void ChangeReader::clear(Queue& queue) {
  fill_bytes(queue, device_.data(), 0, sizeof(Change));  // all bits zero is 0.0
}

void ChangeReader::fetch(Queue& queue) {
  copy_bytes(queue, host_.data(), device_.data(), sizeof(Change));
  fetched_.record(queue);
}

Change ChangeReader::read() const {
  fetched_.wait();
  return *host_.as<Change>();
}

}  // namespace isotherm
