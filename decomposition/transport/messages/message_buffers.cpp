#include "decomposition/transport/messages/message_buffers.hpp"

namespace isotherm {

RangeLayout::RangeLayout(std::vector<std::size_t> const& sizes) : offsets_{0} {
  for (std::size_t const size : sizes) {
    // Each range is padded to a multiple of the alignment.
    std::size_t const lines = (size + alignment - 1) / alignment;
    offsets_.push_back(offsets_.back() + lines * alignment);
  }
}

std::vector<std::size_t> send_sizes(std::vector<Message> const& messages) {
  std::vector<std::size_t> sizes;
  sizes.reserve(messages.size());
  for (Message const& message : messages) sizes.push_back(message.send_bytes);
  return sizes;
}

std::vector<std::size_t> receive_sizes(std::vector<Message> const& messages) {
  std::vector<std::size_t> sizes;
  sizes.reserve(messages.size());
  for (Message const& message : messages) sizes.push_back(message.receive_bytes);
  return sizes;
}

}  // namespace isotherm
