#pragma once

#include <exception>
#include <new>
#include <string>

namespace isotherm {

/// Returns the message of an exception for the user.
///
/// For std::bad_alloc, whose own text is "std::bad_alloc", the message explains that memory is
/// exhausted and how to help.
inline std::string failure_reason(std::exception const& error) {
  if (dynamic_cast<std::bad_alloc const*>(&error) == nullptr) return error.what();
  return "out of host memory (use more hosts, fewer ranks per host, a smaller grid or float32, or "
         "raise the memory limit of the job or ulimit -v)";
}

}  // namespace isotherm
