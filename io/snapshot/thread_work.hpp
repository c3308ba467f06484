#pragma once

#include <cstdint>
#include <functional>

namespace isotherm {

/// Calls work(i) for i = 0 … count − 1 on several threads. Scheduling is dynamic: a thread that is
/// free gets the next number. Returns when all calls have ended. After the first exception no
/// further call begins, and that exception is thrown again here.
///
///   on_threads(n, 0, [&](std::int64_t i) { results[i] = compute(i); });
/// @param max_threads  maximum number of threads; 0: all of OpenMP's
void on_threads(std::int64_t count, int max_threads,
                std::function<void(std::int64_t i)> const& work);

}  // namespace isotherm
