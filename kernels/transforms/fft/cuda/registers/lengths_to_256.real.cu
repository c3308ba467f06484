#include "kernels/transforms/fft/cuda/registers/start_registers.cuh"

namespace isotherm::cuda {

template bool start_registers<64>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);
template bool start_registers<128>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);
template bool start_registers<192>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);
template bool start_registers<256>(Queue&, RegisterTask<ISOTHERM_REAL>, bool);

}  // namespace isotherm::cuda
