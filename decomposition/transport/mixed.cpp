#include "decomposition/transport/mixed.hpp"

#include <utility>

namespace isotherm {
namespace {

/// Forwards each call to the transport that carries the message.
class Mixed final : public Transport {
 public:
  Mixed(std::vector<PartialTransport> shares, std::size_t message_count,
        TransportDescription description)
      : shares_(std::move(shares)), places_(message_count), description_(std::move(description)) {
    for (PartialTransport const& share : shares_) {
      // Each share numbers its own messages from 0.
      for (std::size_t n = 0; n < share.messages.size(); ++n) {
        places_[share.messages[n]] = {share.transport.get(), n};
      }
    }
  }

  [[nodiscard]] TransportDescription description() const override { return description_; }
  [[nodiscard]] std::byte* outgoing(std::size_t i) override {
    return places_[i].transport->outgoing(places_[i].number);
  }
  [[nodiscard]] std::byte const* incoming(std::size_t i) override {
    return places_[i].transport->incoming(places_[i].number);
  }
  [[nodiscard]] bool enqueues_only() const override {
    for (PartialTransport const& share : shares_) {
      if (!share.transport->enqueues_only()) return false;
    }
    return true;
  }
  void begin(Queue& queue) override {
    for (PartialTransport const& share : shares_) share.transport->begin(queue);
  }
  /// Finishes the transports in the order of the shares, which the caller has chosen: first those
  /// that other ranks or the device wait for, since the host may wait for messages of the others.
  void finish(Queue& queue) override {
    for (PartialTransport const& share : shares_) share.transport->finish(queue);
  }

 private:
  /// The transport that carries a message.
  struct Place {
    Transport* transport = nullptr;
    std::size_t number = 0;  ///< among the messages of that transport
  };

  std::vector<PartialTransport> shares_;
  std::vector<Place> places_;  ///< by message of the exchange
  TransportDescription description_;
};

}  // namespace

std::vector<Message> chosen(std::vector<Message> const& messages,
                            std::vector<std::size_t> const& numbers) {
  std::vector<Message> some;
  some.reserve(numbers.size());
  for (std::size_t const i : numbers) some.push_back(messages[i]);
  return some;
}

PartialTransport remaining(PartialTransport const& share, std::vector<Message> const& messages) {
  std::vector<bool> is_taken(messages.size(), false);
  for (std::size_t const i : share.messages) is_taken[i] = true;
  PartialTransport rest;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!is_taken[i]) rest.messages.push_back(i);
  }
  return rest;
}

std::unique_ptr<Transport> make_mixed_transport(std::vector<PartialTransport> shares,
                                                std::size_t message_count,
                                                TransportDescription description) {
  return std::make_unique<Mixed>(std::move(shares), message_count, std::move(description));
}

}  // namespace isotherm
