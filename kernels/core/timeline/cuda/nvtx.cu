#include "kernels/core/timeline/cuda/nvtx.hpp"

// Some distributions package this header apart from the compiler. Without it the profilers show
// kernels only.
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

namespace isotherm::cuda {

#if __has_include(<nvtx3/nvToolsExt.h>)
void begin_nvtx_range(char const* name) noexcept { (void)nvtxRangePushA(name); }
void end_nvtx_range() noexcept { (void)nvtxRangePop(); }
#else
void begin_nvtx_range(char const* /*name*/) noexcept {}
void end_nvtx_range() noexcept {}
#endif

}  // namespace isotherm::cuda
