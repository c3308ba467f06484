#include "app/command_line/new_case.hpp"

#include "case/basics/text/wording.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {
namespace {

// The cases are complete. Comments in them show alternatives.
constexpr char const* laplace = R"toml(title = "new-laplace"

# The steady temperature in a box with a warm top and cold other faces.

[grid]
points    = [65, 65, 65]         # x, y, z, including both ends; two entries make a 2D grid
lower     = [0.0, 0.0, 0.0]      # any unit of length
upper     = [1.0, 1.0, 1.0]
precision = "float64"            # or "float32": half the memory and time

[equation]
type = "laplace"

[boundary]                       # x_lower … z_upper override x, y, z, which override all
all     = { type = "dirichlet", value = 0.0 }
z_upper = { type = "dirichlet", value = "sin(pi*x)*sin(pi*y)" }   # a number or an expression
# x = { type = "neumann", value = 0.0 }      # insulated: no flux through the two x faces
# x = { type = "periodic" }                  # the two x faces are joined

[initial]
value = 0.0                      # the initial guess

[method]
name       = "multigrid"         # or "jacobi", which needs approximately iterations = 20000
tolerance  = 1e-8                # stop if the estimated error is this fraction of the field's range
norm       = "l2"                # or "max"
iterations = 50                  # maximum number of cycles; usually fewer than ten are needed
)toml";

constexpr char const* poisson = R"toml(title = "new-poisson"

# A plate that is heated in its middle and fixed at 0 on its edges: -(u_xx + u_yy) = source.

[grid]
points    = [129, 129]           # x, y, including both ends; three entries make a 3D grid
lower     = [0.0, 0.0]           # any unit of length
upper     = [1.0, 1.0]
precision = "float64"            # or "float32": half the memory and time

[equation]
type   = "poisson"
source = "100*exp(-((x - 0.5)^2 + (y - 0.5)^2)/0.02)"   # a number or an expression

[boundary]                       # x_lower … y_upper override x, y, which override all
all = { type = "dirichlet", value = 0.0 }
# x_lower = { type = "neumann", value = 0.0 }      # insulated: no flux through this face
# y       = { type = "periodic" }                  # the two y faces are joined

[initial]
value = 0.0                      # the initial guess

[method]
name       = "multigrid"         # or "jacobi", which needs approximately iterations = 100000
tolerance  = 1e-8                # stop if the estimated error is this fraction of the field's range
norm       = "l2"                # or "max"
iterations = 50                  # maximum number of cycles; usually fewer than ten are needed
)toml";

constexpr char const* diffusion = R"toml(title = "new-diffusion"

# A hot square on a cold plate whose heat spreads in time: u_t = diffusivity (u_xx + u_yy).

[grid]
points    = [200, 200]           # x, y; three entries make a 3D grid
lower     = [0.0, 0.0]           # any unit of length
upper     = [1.0, 1.0]
precision = "float64"            # or "float32": half the memory and time

[equation]
type        = "diffusion"
diffusivity = 1.0                # length² per time, in any consistent units
# source    = "sin(pi*x)"        # a number or an expression in x, y, z and the time t

[boundary]                       # x_lower … y_upper override x, y, which override all
all = { type = "neumann", value = 0.0 }            # insulated: no flux through any face
# y_upper = { type = "dirichlet", value = "1 + sin(2*pi*t)" }
# x       = { type = "periodic" }                  # the two x faces are joined

[initial]
value = 0.0                      # a number or an expression; boxes replace it

[[initial.box]]                  # points with lower <= coordinate < upper
lower = [0.25, 0.25]
upper = [0.75, 0.75]
value = 1.0

[[initial.gaussian]]             # added to the values above
center = [0.15, 0.15]
width  = 0.05
height = 0.5

[method]
name      = "ftcs"               # or "crank_nicolson", "backward_euler": stable for any time step
end_time  = 0.02                 # or steps = 2000; a larger end_time extends the run (run --resume)
time_step = "stable"             # 0.9 times the largest stable time step; or a number
)toml";

/// Sections that all kinds have in common.
constexpr char const* output = R"toml(
[output]
# directory    = "results"       # output directory; default: the title
# snapshot_every = 500           # iterations or steps between two field files for ParaView
# snapshot_interval = 0.005      # or, for diffusion, the time between two files
picture        = true            # a PNG of the final field; or "svg", "pdf"
# contours     = true            # with contour lines
# label        = "Temperature, °C"   # along its colour bar
# length_unit  = "mm"            # of its axes, for a grid in metres
# film         = true            # pictures during the run, joined to film.gif
# quantities   = ["mean", "max"] # of the whole field, in quantities.csv

# [[probe]]                      # values at a point (at), on a line (from, to, points) or on a plane
# name  = "middle"
# plane = { x = 0.5 }

[checkpoint]
# every_minutes = 10             # the default; 0: none; or every = 1000 iterations or steps
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
  throw InputError("there is no kind of case " + in_quotes(kind) + " (" +
                   (nearest.empty() ? "" : "did you mean " + nearest + "? ") + "valid kinds are " +
                   join(kinds) + ")");
}

}  // namespace isotherm::app
