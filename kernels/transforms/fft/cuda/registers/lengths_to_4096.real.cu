#include "kernels/transforms/fft/cuda/registers/start_registers.cuh"

namespace isotherm::cuda {

template bool start_registers<2048>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);
template bool start_registers<4096>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);

}  // namespace isotherm::cuda
