#include "kernels/memories/texture.hpp"

// Stand-ins for builds without CUDA, in which nobody can make a texture.

namespace isotherm::cuda {

void destroy_texture(TextureState*) noexcept {}

}  // namespace isotherm::cuda
