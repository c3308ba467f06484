#include "kernels/transforms/fft/cuda/registers/start_registers.cuh"

namespace isotherm::cuda {

template void start_registers<256>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);

}  // namespace isotherm::cuda
