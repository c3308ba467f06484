#include "kernels/transforms/fft/cuda/sine/sine_kernels.cuh"

namespace isotherm::cuda {

template void start_sine<512>(Queue&, SineTask, bool);

}  // namespace isotherm::cuda
