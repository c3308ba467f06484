#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "decomposition/ranks/serial/mpi.h"

// NOLINTBEGIN(readability-identifier-naming): the standard's names
namespace {

constexpr int no_messages = 1;    ///< the error of calls that send or receive
constexpr int out_of_memory = 2;  ///< the error of windows

std::atomic<bool> started{false};
std::atomic<bool> ended{false};
std::thread::id main_thread;

/// The number of bytes of one value, in the order of MPI_Datatype.
constexpr std::array<std::size_t, 7> size_of{1, 1, 4, 4, 8, 8, 8};

/// Copies the values that this rank sends to itself.
int copy(void const* send, int offset, void* receive, int count, MPI_Datatype type) {
  if (send == MPI_IN_PLACE || send == receive || count == 0) return MPI_SUCCESS;
  std::size_t const bytes = size_of[type];
  std::memcpy(receive, static_cast<char const*>(send) + static_cast<std::size_t>(offset) * bytes,
              static_cast<std::size_t>(count) * bytes);
  return MPI_SUCCESS;
}

/// Copies as above, to the place in the receive buffer that `offset` gives.
int copy_to(void const* send, int count, void* receive, int offset, MPI_Datatype type) {
  auto* const place =
      static_cast<char*>(receive) + static_cast<std::size_t>(offset) * size_of[type];
  return copy(send, 0, place, count, type);
}

/// Copies a text and its length to where MPI's callers expect them.
int copy_text(std::string_view text, char* to, int* length) {
  text.copy(to, text.size());
  to[text.size()] = '\0';
  *length = static_cast<int>(text.size());
  return MPI_SUCCESS;
}

}  // namespace

int MPI_Init_thread(int* /*argc*/, char*** /*argv*/, int required, int* provided) {
  started = true;
  main_thread = std::this_thread::get_id();
  *provided = required;
  return MPI_SUCCESS;
}

int MPI_Initialized(int* flag) {
  *flag = started ? 1 : 0;
  return MPI_SUCCESS;
}

int MPI_Finalize() {
  ended = true;
  return MPI_SUCCESS;
}

int MPI_Finalized(int* flag) {
  *flag = ended ? 1 : 0;
  return MPI_SUCCESS;
}

int MPI_Query_thread(int* provided) {
  *provided = MPI_THREAD_MULTIPLE;
  return MPI_SUCCESS;
}

int MPI_Is_thread_main(int* flag) {
  *flag = std::this_thread::get_id() == main_thread ? 1 : 0;
  return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm /*comm*/, int code) { std::_Exit(code); }

int MPI_Error_string(int code, char* text, int* length) {
  return copy_text(code == out_of_memory ? "out of memory"
                                         : "isotherm was built without MPI, so it has one rank, "
                                           "which cannot exchange messages",
                   text, length);
}

int MPI_Get_library_version(char* text, int* length) {
  return copy_text("none (built without MPI)", text, length);
}

int MPI_Comm_rank(MPI_Comm /*comm*/, int* rank) {
  *rank = 0;
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm /*comm*/, int* size) {
  *size = 1;
  return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm /*comm*/, MPI_Comm* copy) {
  *copy = isotherm_made_comm;
  return MPI_SUCCESS;
}

int MPI_Comm_split(MPI_Comm /*comm*/, int color, int /*key*/, MPI_Comm* part) {
  *part = color == MPI_UNDEFINED ? MPI_COMM_NULL : isotherm_made_comm;
  return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int /*type*/, int key, MPI_Info /*info*/, MPI_Comm* part) {
  return MPI_Comm_split(comm, 0, key, part);
}

int MPI_Comm_free(MPI_Comm* comm) {
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm /*comm*/, MPI_Errhandler /*handler*/) { return MPI_SUCCESS; }

int MPI_Comm_group(MPI_Comm /*comm*/, MPI_Group* group) {
  *group = isotherm_group_of_one;
  return MPI_SUCCESS;
}

int MPI_Group_free(MPI_Group* group) {
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

int MPI_Group_translate_ranks(MPI_Group /*from*/, int count, int const* ranks, MPI_Group /*to*/,
                              int* found) {
  std::memcpy(found, ranks, static_cast<std::size_t>(count) * sizeof(int));
  return MPI_SUCCESS;
}

int MPI_Barrier(MPI_Comm /*comm*/) { return MPI_SUCCESS; }

int MPI_Ibarrier(MPI_Comm /*comm*/, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int MPI_Bcast(void* /*values*/, int /*count*/, MPI_Datatype /*type*/, int /*root*/,
              MPI_Comm /*comm*/) {
  return MPI_SUCCESS;
}

int MPI_Allreduce(void const* send, void* receive, int count, MPI_Datatype type,
                  MPI_Op /*operation*/, MPI_Comm /*comm*/) {
  return copy(send, 0, receive, count, type);
}

int MPI_Gather(void const* send, int count, MPI_Datatype type, void* receive, int /*receive_count*/,
               MPI_Datatype /*receive_type*/, int /*root*/, MPI_Comm /*comm*/) {
  return copy(send, 0, receive, count, type);
}

int MPI_Gatherv(void const* send, int count, MPI_Datatype type, void* receive,
                int const* /*counts*/, int const* offsets, MPI_Datatype /*receive_type*/,
                int /*root*/, MPI_Comm /*comm*/) {
  return copy_to(send, count, receive, offsets[0], type);
}

int MPI_Allgatherv(void const* send, int count, MPI_Datatype type, void* receive,
                   int const* /*counts*/, int const* offsets, MPI_Datatype /*receive_type*/,
                   MPI_Comm /*comm*/) {
  return copy_to(send, count, receive, offsets[0], type);
}

int MPI_Alltoall(void const* send, int count, MPI_Datatype type, void* receive,
                 int /*receive_count*/, MPI_Datatype /*receive_type*/, MPI_Comm /*comm*/) {
  return copy(send, 0, receive, count, type);
}

int MPI_Alltoallv(void const* send, int const* counts, int const* offsets, MPI_Datatype type,
                  void* receive, int const* /*receive_counts*/, int const* receive_offsets,
                  MPI_Datatype /*receive_type*/, MPI_Comm /*comm*/) {
  auto const* const from =
      static_cast<char const*>(send) + static_cast<std::size_t>(offsets[0]) * size_of[type];
  return copy_to(from, counts[0], receive, receive_offsets[0], type);
}

int MPI_Isend(void const* /*send*/, int /*count*/, MPI_Datatype /*type*/, int /*peer*/, int /*tag*/,
              MPI_Comm /*comm*/, MPI_Request* /*request*/) {
  return no_messages;
}

int MPI_Irecv(void* /*receive*/, int /*count*/, MPI_Datatype /*type*/, int /*peer*/, int /*tag*/,
              MPI_Comm /*comm*/, MPI_Request* /*request*/) {
  return no_messages;
}

int MPI_Test(MPI_Request* /*request*/, int* done, MPI_Status* /*status*/) {
  *done = 1;
  return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request* /*request*/, MPI_Status* /*status*/) { return MPI_SUCCESS; }

int MPI_Waitall(int /*count*/, MPI_Request* /*requests*/, MPI_Status* /*statuses*/) {
  return MPI_SUCCESS;
}

int MPI_Waitany(int /*count*/, MPI_Request* /*requests*/, int* index, MPI_Status* /*status*/) {
  *index = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int MPI_Testany(int /*count*/, MPI_Request* /*requests*/, int* index, int* found,
                MPI_Status* /*status*/) {
  *index = MPI_UNDEFINED;
  *found = 1;
  return MPI_SUCCESS;
}

int MPI_Cancel(MPI_Request* /*request*/) { return MPI_SUCCESS; }

int MPI_Get_count(MPI_Status const* /*status*/, MPI_Datatype /*type*/, int* count) {
  *count = 0;
  return MPI_SUCCESS;
}

int MPI_Info_create(MPI_Info* info) {
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

int MPI_Info_set(MPI_Info /*info*/, char const* /*key*/, char const* /*value*/) {
  return MPI_SUCCESS;
}

int MPI_Info_free(MPI_Info* /*info*/) { return MPI_SUCCESS; }

int MPI_Win_allocate_shared(MPI_Aint bytes, int /*unit*/, MPI_Info /*info*/, MPI_Comm /*comm*/,
                            void* memory, MPI_Win* window) {
  *window = std::malloc(static_cast<std::size_t>(bytes));
  *static_cast<void**>(memory) = *window;
  return *window != nullptr ? MPI_SUCCESS : out_of_memory;
}

int MPI_Win_shared_query(MPI_Win window, int /*rank*/, MPI_Aint* bytes, int* unit, void* memory) {
  *bytes = 0;
  *unit = 1;
  *static_cast<void**>(memory) = window;
  return MPI_SUCCESS;
}

int MPI_Win_free(MPI_Win* window) {
  std::free(*window);
  *window = MPI_WIN_NULL;
  return MPI_SUCCESS;
}
// NOLINTEND(readability-identifier-naming)
