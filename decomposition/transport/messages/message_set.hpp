#pragma once

#include <cstddef>
#include <optional>
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

/// A section of a message, which travels on its own.
struct MessagePiece {
  std::size_t message = 0;  ///< number of the message
  std::size_t offset = 0;   ///< of the section in the message, in bytes
  std::size_t bytes = 0;
};

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
  /// The sections in which the messages are sent; an empty message has an empty one.
  [[nodiscard]] std::vector<MessagePiece> const& send_pieces() const { return send_pieces_; }
  /// Starts sending one of send_pieces(). Each is sent once in an exchange, in their order.
  void post_send(MessagePiece const& piece);

  /// Waits until another message is complete, in order of arrival, and returns its number. Returns
  /// messages().size() after the last one.
  /// @throws Error  if a message has another length than agreed
  std::size_t next_received();
  /// Returns a piece that has arrived, each once, or nullopt if none has arrived since the last
  /// call. Does not wait.
  /// @throws Error  as next_received()
  std::optional<MessagePiece> poll_received();
  /// True if pieces have not been returned yet.
  [[nodiscard]] bool is_receiving() const { return pieces_left_ > 0; }
  /// Waits until all send ranges may change.
  void wait_for_sends();

 private:
  /// Posts the receive of one piece.
  void post_receive(MessagePiece const& piece);
  /// Checks the length of a piece that has arrived, and removes it from the open pieces.
  /// @throws Error  as next_received()
  void finish_piece(MessagePiece const& piece, MPI_Status const& status);

  UniqueHandle<mpi::CommTraits> comm_;
  std::vector<PlacedMessage> messages_;
  std::vector<MessagePiece> send_pieces_;
  std::vector<MessagePiece> receive_pieces_;
  std::vector<MPI_Request> receives_{};   ///< by piece
  std::vector<std::size_t> open_pieces_;  ///< pieces still to arrive, by message
  std::size_t pieces_left_ = 0;           ///< pieces still to arrive, of all messages
  std::vector<MPI_Request> sends_{};
};

}  // namespace isotherm
