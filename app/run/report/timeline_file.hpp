#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/timeline/timeline.hpp"

namespace isotherm::app {

/// Where a timeline is written.
struct TimelineOptions {
  std::filesystem::path file;
  bool quiet = false;  ///< print neither the name of the file nor warnings
};

/// Checks that the file of --timeline replaces nothing but another timeline. Collective.
/// @throws InputError  on every rank, if it exists and is something else
void check_timeline_file(mpi::Communicator const& ranks, std::filesystem::path const& file);

/// Records what the ranks do in `work`, and writes it to a file. Collective.
///
///     int const code = with_timeline(ranks, {"timeline.json"}, [&] {
///       return run_case(ranks, options);
///     });
///
/// The times of all ranks count from the same moment: exactly if the ranks are on the same host,
/// else up to the duration of a barrier.
/// @returns  the result of `work`. If `work` throws, no file is written
/// @throws Error  on every rank, if the file cannot be written
int with_timeline(mpi::Communicator const& ranks, TimelineOptions const& options,
                  std::function<int()> const& work);

/// Returns the maximum number of ranges of a rank: 50,000, and on more than 20 ranks a million for
/// all of them together, but at least 100. So rank 0 needs less than a gigabyte for the text.
std::int64_t maximum_ranges(int ranks);

/// Returns the events of a rank in Chrome's trace format, one JSON object a line, each with a comma
/// at its end. The rank is a process. Its threads, its device and the halo exchanges of the device
/// are threads of it.
/// @param host  name of the rank's host
std::string trace_events(int rank, std::string const& host, Timeline const& timeline);

}  // namespace isotherm::app
