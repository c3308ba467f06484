#pragma once

#include <cstdint>
#include <functional>

namespace isotherm {

/// Calls work(i) for i = 0 … count - 1 on several threads, each of which takes the next number when
/// it is free. The first exception ends the work and is thrown again here.
/// @param most_threads  at most; 0: all there are
void on_threads(std::int64_t count, int most_threads,
                std::function<void(std::int64_t i)> const& work);

}  // namespace isotherm
