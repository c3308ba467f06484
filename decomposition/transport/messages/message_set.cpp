#include "decomposition/transport/messages/message_set.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/waiting.hpp"

namespace isotherm {
namespace {

/// Calls visit(offset, bytes) for the pieces of a range. An empty range has one empty piece, so
/// both sides agree on the number of pieces.
template <class Visit>
void for_each_piece(std::size_t bytes, std::size_t piece_bytes, Visit const& visit) {
  // do … while: an empty range is visited once.
  std::size_t offset = 0;
  do {
    std::size_t const length = std::min(piece_bytes, bytes - offset);
    visit(offset, length);
    offset += length;
  } while (offset < bytes);
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
      piece_bytes_(piece_bytes),
      open_pieces_(messages_.size(), 0) {}

MessageSet::~MessageSet() { std::for_each(receives_.begin(), receives_.end(), withdraw); }

void MessageSet::post_receives() {
  receives_.clear();
  // The requests of the previous exchange are complete.
  pieces_.clear();
  // Pieces of all messages in one list of requests, so MPI_Waitany() can wait for any of them.
  for (std::size_t message = 0; message < messages_.size(); ++message) {
    post_receive(message);
  }
}

void MessageSet::post_receive(std::size_t message) {
  PlacedMessage const& what = messages_[message];
  for_each_piece(what.receive_bytes, piece_bytes_, [&](std::size_t offset, std::size_t bytes) {
    receives_.push_back(MPI_REQUEST_NULL);
    mpi::check(MPI_Irecv(what.receive + offset, static_cast<int>(bytes), MPI_BYTE, what.peer,
                         what.receive_tag, comm_.get(), &receives_.back()));
    pieces_.push_back({message, bytes});
    ++open_pieces_[message];
  });
}

void MessageSet::post_sends() {
  sends_.clear();
  for (PlacedMessage const& message : messages_) {
    post_send(message);
  }
}

void MessageSet::post_send(PlacedMessage const& message) {
  // Pieces share a tag: MPI preserves the order of messages between two ranks.
  for_each_piece(message.send_bytes, piece_bytes_, [&](std::size_t offset, std::size_t bytes) {
    sends_.push_back(MPI_REQUEST_NULL);
    mpi::check(MPI_Isend(message.send + offset, static_cast<int>(bytes), MPI_BYTE, message.peer,
                         message.send_tag, comm_.get(), &sends_.back()));
  });
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
    Piece const piece = pieces_[static_cast<std::size_t>(index)];
    finish_piece(piece, status);
    if (open_pieces_[piece.message] == 0) {
      return piece.message;
    }
  }
}

void MessageSet::finish_piece(Piece piece, MPI_Status const& status) {
  int bytes = 0;
  // A shorter message would leave old values in the halo without notice.
  mpi::check(MPI_Get_count(&status, MPI_BYTE, &bytes));
  require(static_cast<std::size_t>(bytes) == piece.bytes,
          "rank " + std::to_string(messages_[piece.message].peer) + " sent " +
              std::to_string(bytes) + " bytes of halo instead of " + std::to_string(piece.bytes) +
              " (all ranks must exchange the same depth)");
  --open_pieces_[piece.message];
}

void MessageSet::wait_for_sends() {
  // The send ranges belong to MPI until their requests are complete.
  Waiting const waiting(WaitsFor::ranks);
  for (MPI_Request& send : sends_) {
    mpi::check(MPI_Wait(&send, MPI_STATUS_IGNORE));
  }
}

}  // namespace isotherm
