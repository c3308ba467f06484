#pragma once

#include <cstddef>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "decomposition/transport/message_buffers.hpp"

namespace isotherm {

/// A message and where its bytes lie, which is where they stay.
struct PlacedMessage : Message {
  std::byte const* send = nullptr;
  std::byte* receive = nullptr;
};

/// `messages` with their ranges in two buffers.
std::vector<PlacedMessage> placed(std::vector<Message> const& messages, MessageBuffer const& sends,
                                  MessageBuffer const& receives);

/// The MPI requests of a fixed set of messages: post, wait, and post again. On a communicator of
/// its own, so that the messages of two sets never meet. Not copied, because MPI knows its ranges.
class MessageSet {
 public:
  /// MPI counts in int; longer messages travel as several of this many bytes.
  static constexpr std::size_t longest_piece_bytes = std::size_t{1} << 30;

  /// Collective over `ranks`.
  MessageSet(mpi::Communicator const& ranks, std::vector<PlacedMessage> messages,
             std::size_t piece_bytes = longest_piece_bytes);
  ~MessageSet();  ///< withdraws receives that are still open: a run that fails in mid-exchange
  MessageSet(MessageSet const&) = delete;
  MessageSet& operator=(MessageSet const&) = delete;

  [[nodiscard]] std::vector<PlacedMessage> const& messages() const { return messages_; }

  void post_receives();
  /// The send ranges must stay as they are until wait_for_sends().
  void post_sends();

  /// Waits for messages in the order in which they become whole. Returns the number of one, or
  /// messages().size() when all of the posted ones have been returned.
  /// @throws Error  where a message is shorter than was agreed
  std::size_t next_received();
  void wait_for_sends();

 private:
  struct Piece {
    std::size_t message;
    std::size_t bytes;
  };
  void post_receive(std::size_t message);
  void post_send(PlacedMessage const& message);
  void finish_piece(Piece piece, MPI_Status const& status);

  UniqueHandle<mpi::CommTraits> comm_;
  std::vector<PlacedMessage> messages_;
  std::size_t piece_bytes_;
  std::vector<MPI_Request> receives_;
  std::vector<Piece> pieces_;             ///< of receives_, in the same order
  std::vector<std::size_t> open_pieces_;  ///< by message
  std::vector<MPI_Request> sends_;
};

}  // namespace isotherm
