#include "app/command_line/new_case.hpp"

#include "case/basics/text/wording.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

// The cases are complete. Comments in them show alternatives.
constexpr char const* laplace = R"toml(title = "new-laplace"

# The steady temperature in a box whose top is warm and whose other faces are cold.

[grid]
points    = [65, 65, 65]         # x, y, z; two entries make a 2D grid. Both ends are counted
lower     = [0.0, 0.0, 0.0]      # any unit of length
upper     = [1.0, 1.0, 1.0]
precision = "float64"            # or "float32", half the memory and the time

[equation]
type = "laplace"

[boundary]                       # x_lower … z_upper win over x y z, and these over all
all     = { type = "dirichlet", value = 0.0 }
z_upper = { type = "dirichlet", value = "sin(pi*x)*sin(pi*y)" }   # a number or an expression
# x = { type = "neumann", value = 0.0 }      # insulated: no flow through both x faces
# x = { type = "periodic" }                  # the two x faces are joined

[initial]
value = 0.0                      # where the iteration starts from

[method]
name       = "multigrid"         # or "jacobi", for sweeps (with iterations = 20000 or so)
tolerance  = 1e-8                # stop when the error is this part of the field's range
norm       = "l2"                # or "max"
iterations = 50                  # cycles, at most; a handful is enough
)toml";

constexpr char const* poisson = R"toml(title = "new-poisson"

# A plate heated in its middle, its rim held at 0: -(u_xx + u_yy) = source.

[grid]
points    = [129, 129]           # x, y; three entries make a 3D grid. Both ends are counted
lower     = [0.0, 0.0]           # any unit of length
upper     = [1.0, 1.0]
precision = "float64"            # or "float32", half the memory and the time

[equation]
type   = "poisson"
source = "100*exp(-((x - 0.5)^2 + (y - 0.5)^2)/0.02)"   # a number or an expression

[boundary]                       # x_lower … y_upper win over x y, and these over all
all = { type = "dirichlet", value = 0.0 }
# x_lower = { type = "neumann", value = 0.0 }      # insulated: no flow through this face
# y       = { type = "periodic" }                  # the two y faces are joined

[initial]
value = 0.0                      # where the iteration starts from

[method]
name       = "multigrid"         # or "jacobi", for sweeps (with iterations = 100000 or so)
tolerance  = 1e-8                # stop when the error is this part of the field's range
norm       = "l2"                # or "max"
iterations = 50                  # cycles, at most; a handful is enough
)toml";

constexpr char const* diffusion = R"toml(title = "new-diffusion"

# A hot square on a cold plate: how its heat spreads in time, u_t = diffusivity (u_xx + u_yy).

[grid]
points    = [200, 200]           # x, y; three entries make a 3D grid
lower     = [0.0, 0.0]           # any unit of length
upper     = [1.0, 1.0]
precision = "float64"            # or "float32", half the memory and the time

[equation]
type        = "diffusion"
diffusivity = 1.0                # length² per time; the units are yours, but must agree
# source    = "sin(pi*x)"        # a number or an expression in x, y, z and the time t

[boundary]                       # x_lower … y_upper win over x y, and these over all
all = { type = "neumann", value = 0.0 }            # insulated: no flow through any face
# y_upper = { type = "dirichlet", value = "1 + sin(2*pi*t)" }
# x       = { type = "periodic" }                  # the two x faces are joined

[initial]
value = 0.0                      # a number or an expression; then come the boxes …

[[initial.box]]                  # points with lower <= coordinate < upper
lower = [0.25, 0.25]
upper = [0.75, 0.75]
value = 1.0

[[initial.gaussian]]             # … and this is added to them
center = [0.15, 0.15]
width  = 0.05
height = 0.5

[method]
name      = "ftcs"               # or "crank_nicolson", "backward_euler", for time steps of any length
end_time  = 0.02                 # or steps = 2000; a later end extends the run (run --resume)
time_step = "stable"             # 0.9 of the largest stable one; or a number
)toml";

/// Sections that all kinds have in common.
constexpr char const* output = R"toml(
[output]
# directory    = "results"       # where the files go; default: the title
# snapshot_every = 500           # iterations or steps between two files for ParaView
# snapshot_interval = 0.005      # or, for diffusion, the time between them
picture        = true            # a PNG of the final field; or "svg", "pdf"
# contours     = true            # with lines of equal value in it
# picture_every = 100            # and pictures on the way
# quantities   = ["mean", "max"] # of the whole field, as a table that grows while the case runs

# [[probe]]                      # such a table of a point (at), a line (from, to, points) or a plane
# name  = "middle"
# plane = { x = 0.5 }

[checkpoint]
# every_minutes = 10             # a file to resume from; or every = 1000 (iterations or steps)
keep = 2                         # older checkpoints are removed

[run]
device = "auto"                  # "cuda" if there is a GPU, else "cpu"
)toml";

}  // namespace

std::vector<std::string> const& new_case_kinds() {
  static std::vector<std::string> const kinds{"laplace", "poisson", "diffusion"};
  return kinds;
}

// Each kind is a case of its own, followed by the common sections.
std::string new_case(std::string const& kind) {
  if (kind == "laplace") {
    return std::string(laplace) + output;
  }
  if (kind == "poisson") {
    return std::string(poisson) + output;
  }
  if (kind == "diffusion") {
    return std::string(diffusion) + output;
  }
  auto const& kinds = new_case_kinds();
  std::string const nearest = nearest_name(kind, kinds);
  throw InputError("there is no new case " + quoted(kind) + " (" +
                   (nearest.empty() ? "" : "did you mean " + nearest + "? ") + "there are " +
                   join(kinds) + ")");
}

}  // namespace isotherm
