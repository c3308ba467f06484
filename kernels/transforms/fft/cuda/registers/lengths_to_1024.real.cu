#include "kernels/transforms/fft/cuda/registers/start_registers.cuh"

namespace isotherm::cuda {

template bool start_registers<640>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);
template bool start_registers<768>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);
template bool start_registers<1024>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);

}  // namespace isotherm::cuda
