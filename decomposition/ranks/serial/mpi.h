#pragma once

// The part of MPI that isotherm uses, for a single rank. A build with ISOTHERM_MPI=OFF includes
// this file as <mpi.h> instead of an MPI library's, and the program then depends on none.
// Collective calls copy the caller's values. Messages cannot occur, since a rank sends none to
// itself: these calls return an error. The names, arguments and constants are those of the standard
// (https://www.mpi-forum.org/docs/), so the sources are the same for both builds.

#include <cstddef>

/// Defined only by this file: MPI is missing, and a job has one rank.
#define ISOTHERM_SERIAL_MPI 1

// NOLINTBEGIN(readability-identifier-naming): the standard's names
/// A communicator. All contain the same rank.
enum MPI_Comm : int { MPI_COMM_NULL, MPI_COMM_WORLD, MPI_COMM_SELF, isotherm_made_comm };
enum MPI_Datatype : int {
  MPI_BYTE,
  MPI_CHAR,
  MPI_INT,
  MPI_FLOAT,
  MPI_DOUBLE,
  MPI_INT64_T,
  MPI_UINT64_T
};
enum MPI_Op : int { MPI_SUM, MPI_MIN, MPI_MAX };
enum MPI_Group : int { MPI_GROUP_NULL, isotherm_group_of_one };
enum MPI_Request : int { MPI_REQUEST_NULL };
enum MPI_Info : int { MPI_INFO_NULL };
enum MPI_Errhandler : int { MPI_ERRORS_RETURN };
/// A window is the address of its block of memory.
using MPI_Win = void*;
using MPI_Aint = std::ptrdiff_t;
struct MPI_Status {};

inline constexpr int MPI_SUCCESS = 0;
inline constexpr int MPI_UNDEFINED = -32766;
inline constexpr int MPI_COMM_TYPE_SHARED = 1;
inline constexpr int MPI_THREAD_SINGLE = 0;
inline constexpr int MPI_THREAD_FUNNELED = 1;
inline constexpr int MPI_THREAD_SERIALIZED = 2;
inline constexpr int MPI_THREAD_MULTIPLE = 3;
inline constexpr int MPI_MAX_ERROR_STRING = 256;
inline constexpr int MPI_MAX_LIBRARY_VERSION_STRING = 256;
inline constexpr MPI_Win MPI_WIN_NULL = nullptr;
inline constexpr MPI_Status* MPI_STATUS_IGNORE = nullptr;
inline constexpr MPI_Status* MPI_STATUSES_IGNORE = nullptr;
/// As a send buffer: the values are already where they are received.
inline char* const MPI_IN_PLACE = reinterpret_cast<char*>(-1);

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int MPI_Initialized(int* flag);
int MPI_Finalize();
int MPI_Finalized(int* flag);
int MPI_Query_thread(int* provided);
int MPI_Is_thread_main(int* flag);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Error_string(int code, char* text, int* length);
int MPI_Get_library_version(char* text, int* length);

int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* part);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* part);
int MPI_Comm_free(MPI_Comm* comm);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_group(MPI_Comm comm, MPI_Group* group);
int MPI_Group_free(MPI_Group* group);
int MPI_Group_translate_ranks(MPI_Group from, int count, int const* ranks, MPI_Group to,
                              int* found);

int MPI_Barrier(MPI_Comm comm);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request);
int MPI_Bcast(void* values, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Allreduce(void const* send, void* receive, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm);
int MPI_Gather(void const* send, int count, MPI_Datatype type, void* receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Gatherv(void const* send, int count, MPI_Datatype type, void* receive, int const* counts,
                int const* offsets, MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Allgatherv(void const* send, int count, MPI_Datatype type, void* receive, int const* counts,
                   int const* offsets, MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Alltoall(void const* send, int count, MPI_Datatype type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Alltoallv(void const* send, int const* counts, int const* offsets, MPI_Datatype type,
                  void* receive, int const* receive_counts, int const* receive_offsets,
                  MPI_Datatype receive_type, MPI_Comm comm);

int MPI_Isend(void const* send, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Irecv(void* receive, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status);
int MPI_Wait(MPI_Request* request, MPI_Status* status);
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses);
int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status);
int MPI_Testany(int count, MPI_Request* requests, int* index, int* found, MPI_Status* status);
int MPI_Cancel(MPI_Request* request);
int MPI_Get_count(MPI_Status const* status, MPI_Datatype type, int* count);

int MPI_Info_create(MPI_Info* info);
int MPI_Info_set(MPI_Info info, char const* key, char const* value);
int MPI_Info_free(MPI_Info* info);
int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* memory,
                            MPI_Win* window);
int MPI_Win_shared_query(MPI_Win window, int rank, MPI_Aint* bytes, int* unit, void* memory);
int MPI_Win_free(MPI_Win* window);
// NOLINTEND(readability-identifier-naming)
