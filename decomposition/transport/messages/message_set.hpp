#pragma once

#include <cstddef>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "decomposition/transport/messages/message_buffers.hpp"

namespace isotherm {

/// A message with the fixed addresses of its send and receive ranges.
struct PlacedMessage : Message {
  std::byte const* send = nullptr;
  std::byte* receive = nullptr;
};

/// Returns `messages` with range i of both buffers for message i.
std::vector<PlacedMessage> placed(std::vector<Message> const& messages, MessageBuffer const& sends,
                                  MessageBuffer const& receives);

/// The MPI requests of a fixed set of messages, which may be posted and completed any number of
/// times. Each set has its own communicator, so messages of different sets never match. Not
/// copyable, because MPI stores the addresses of the ranges.
///
///     set.post_receives();
///     set.post_sends();
///     for (auto i = set.next_received(); i < set.messages().size(); i = set.next_received()) {
///       unpack(i);                             // as messages arrive
///     }
///     set.wait_for_sends();
class MessageSet {
 public:
  /// Longer messages travel as several pieces, because MPI counts in int.
  static constexpr std::size_t longest_piece_bytes = std::size_t{1} << 30;

  /// Collective over `ranks`.
  /// @param piece_bytes  maximum length of a piece; tests use small ones
  MessageSet(mpi::Communicator const& ranks, std::vector<PlacedMessage> messages,
             std::size_t piece_bytes = longest_piece_bytes);
  ~MessageSet();  ///< cancels receives that are still open after a failure during an exchange
  MessageSet(MessageSet const&) = delete;
  MessageSet& operator=(MessageSet const&) = delete;

  [[nodiscard]] std::vector<PlacedMessage> const& messages() const { return messages_; }

  /// Starts receiving all messages into their receive ranges.
  void post_receives();
  /// Starts sending all messages. The send ranges must not change before wait_for_sends() returns.
  void post_sends();

  /// Waits until another message is complete, in order of arrival, and returns its number. Returns
  /// messages().size() after the last one.
  /// @throws Error  if a message has another length than agreed
  std::size_t next_received();
  /// Waits until all send ranges may change.
  void wait_for_sends();

 private:
  /// A piece of a message that is being received.
  struct Piece {
    std::size_t message;
    std::size_t bytes;
  };
  /// Posts the receives of all pieces of one message.
  void post_receive(std::size_t message);
  /// Posts the sends of all pieces of one message.
  void post_send(PlacedMessage const& message);
  /// Checks the length of a piece that has arrived, and removes it from the open pieces.
  /// @throws Error  as next_received()
  void finish_piece(Piece piece, MPI_Status const& status);

  UniqueHandle<mpi::CommTraits> comm_;
  std::vector<PlacedMessage> messages_;
  std::size_t piece_bytes_;
  std::vector<MPI_Request> receives_;     ///< one per piece, of all messages
  std::vector<Piece> pieces_;             ///< by request in receives_
  std::vector<std::size_t> open_pieces_;  ///< pieces still to arrive, by message
  std::vector<MPI_Request> sends_;
};

}  // namespace isotherm
