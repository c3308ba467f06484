#include "decomposition/transport/messages/message_set.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/waiting.hpp"

namespace isotherm {
namespace {

/// Divides messages of these lengths into pieces. An empty message has one empty piece, so both
/// sides agree on the number of pieces.
std::vector<MessagePiece> pieces_of(std::vector<PlacedMessage> const& messages,
                                    std::size_t Message::*length, std::size_t piece_bytes) {
  std::vector<MessagePiece> pieces;
  for (std::size_t message = 0; message < messages.size(); ++message) {
    std::size_t const bytes = messages[message].*length;
    std::size_t offset = 0;
    // do … while: an empty message is visited once.
    do {
      pieces.push_back({message, offset, std::min(piece_bytes, bytes - offset)});
      offset += pieces.back().bytes;
    } while (offset < bytes);
  }
  return pieces;
}

/// Cancels a receive, so MPI no longer writes to its range.
void withdraw(MPI_Request& receive) {
  if (receive != MPI_REQUEST_NULL) {
    MPI_Cancel(&receive);
    // MPI requires a cancelled request to be completed, too.
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
  }
}

}  // namespace

std::vector<PlacedMessage> placed(std::vector<Message> const& messages, MessageBuffer const& sends,
                                  MessageBuffer const& receives) {
  std::vector<PlacedMessage> all;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    all.push_back({messages[i], sends.at(i), receives.at(i)});
  }
  return all;
}

MessageSet::MessageSet(mpi::Communicator const& ranks, std::vector<PlacedMessage> messages,
                       std::size_t piece_bytes)
    : comm_(mpi::duplicate(ranks.get())),
      messages_(std::move(messages)),
      send_pieces_(pieces_of(messages_, &Message::send_bytes, piece_bytes)),
      receive_pieces_(pieces_of(messages_, &Message::receive_bytes, piece_bytes)),
      open_pieces_(messages_.size(), 0) {}

MessageSet::~MessageSet() { std::for_each(receives_.begin(), receives_.end(), withdraw); }

void MessageSet::post_receives() {
  // The requests of the previous exchange are complete. Pieces of all messages are in one list of
  // requests, so MPI_Waitany() can wait for any of them.
  receives_.clear();
  sends_.clear();
  for (MessagePiece const& piece : receive_pieces_) post_receive(piece);
  pieces_left_ = receive_pieces_.size();
}

void MessageSet::post_receive(MessagePiece const& piece) {
  PlacedMessage const& what = messages_[piece.message];
  receives_.push_back(MPI_REQUEST_NULL);
  mpi::check(MPI_Irecv(what.receive + piece.offset, static_cast<int>(piece.bytes), MPI_BYTE,
                       what.peer, what.receive_tag, comm_.get(), &receives_.back()));
  ++open_pieces_[piece.message];
}

void MessageSet::post_sends() {
  for (MessagePiece const& piece : send_pieces_) post_send(piece);
}

void MessageSet::post_send(MessagePiece const& piece) {
  // Pieces share a tag: MPI preserves the order of messages between two ranks.
  PlacedMessage const& what = messages_[piece.message];
  sends_.push_back(MPI_REQUEST_NULL);
  mpi::check(MPI_Isend(what.send + piece.offset, static_cast<int>(piece.bytes), MPI_BYTE, what.peer,
                       what.send_tag, comm_.get(), &sends_.back()));
}

std::optional<MessagePiece> MessageSet::poll_received() {
  int index = MPI_UNDEFINED;
  int found = 0;
  MPI_Status status{};
  mpi::check(
      MPI_Testany(static_cast<int>(receives_.size()), receives_.data(), &index, &found, &status));
  // Without active requests MPI reports success, but no index.
  if (found == 0 || index == MPI_UNDEFINED) return std::nullopt;
  MessagePiece const piece = receive_pieces_[static_cast<std::size_t>(index)];
  finish_piece(piece, status);
  return piece;
}

std::size_t MessageSet::next_received() {
  Waiting const waiting(WaitsFor::ranks);
  while (true) {
    int index = MPI_UNDEFINED;
    MPI_Status status{};
    mpi::check(MPI_Waitany(static_cast<int>(receives_.size()), receives_.data(), &index, &status));
    // No receive is open any more.
    if (index == MPI_UNDEFINED) {
      return messages_.size();
    }
    // Pieces arrive in any order; a message is complete after its last one.
    MessagePiece const& piece = receive_pieces_[static_cast<std::size_t>(index)];
    finish_piece(piece, status);
    if (open_pieces_[piece.message] == 0) {
      return piece.message;
    }
  }
}

void MessageSet::finish_piece(MessagePiece const& piece, MPI_Status const& status) {
  int bytes = 0;
  // A shorter message would leave old values in the halo without notice.
  mpi::check(MPI_Get_count(&status, MPI_BYTE, &bytes));
  require(static_cast<std::size_t>(bytes) == piece.bytes,
          "rank " + std::to_string(messages_[piece.message].peer) + " sent " +
              std::to_string(bytes) + " bytes of halo instead of " + std::to_string(piece.bytes) +
              " (all ranks must exchange the same depth)");
  --open_pieces_[piece.message];
  --pieces_left_;
}

void MessageSet::wait_for_sends() {
  // The send ranges belong to MPI until their requests are complete.
  Waiting const waiting(WaitsFor::ranks);
  for (MPI_Request& send : sends_) {
    mpi::check(MPI_Wait(&send, MPI_STATUS_IGNORE));
  }
}

}  // namespace isotherm
