#include "case/toml/key_advice.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string>

namespace isotherm {
namespace {

/// Words in lower case without "_" and "-", and their counterpart in some sections.
struct OtherWords {
  std::string_view sections;  ///< separated by blanks
  std::string_view words;     ///< likewise
  std::string_view advice;
};

constexpr std::string_view conditions = "boundary.* boundary.patch";
constexpr std::string_view media = "equation material";
constexpr std::string_view shapes = "material fixed insulated source boundary.patch";

constexpr std::string_view convection =
    R"(write type = "convection" with h, the heat transfer coefficient, and ambient, the )"
    R"(ambient temperature)";
constexpr std::string_view given_flux =
    R"(write type = "flux" with value, the heat flux into the box per area, or with power, the )"
    R"(total)";
constexpr std::string_view no_flux = R"(write type = "neumann", which is insulated if value is 0)";
constexpr std::string_view given_value = R"(write type = "dirichlet" with value)";
constexpr std::string_view implicit_steps =
    R"(write name = "backward_euler" or "crank_nicolson", the implicit methods)";

// The first row that has the word applies.
constexpr std::array other_keys{
    // The whole case.
    OtherWords{"case", "mesh domain", "write [grid] with points, lower and upper"},
    OtherWords{"case", "solver time timestepping numerics", "write [method]"},
    OtherWords{"case", "bc bcs boundaryconditions boundaries", "write [boundary]"},
    OtherWords{"case", "materials media", "write [[material]], once for each"},
    OtherWords{"case", "sources heatsource heatsources", "write [[source]], once for each"},
    OtherWords{"case", "ic initialcondition initialconditions", "write [initial] with value"},
    OtherWords{"case", "pde physics problem model", "write [equation] with type"},
    OtherWords{"case", "probes monitor monitors", "write [[probe]], once for each"},
    OtherWords{"case", "parameters variables params", "write [constants]"},
    OtherWords{"case", "name", "write title"},
    // The grid.
    OtherWords{"grid", "nx ny nz n cells npoints numpoints resolution shape dims",
               "write points, the numbers of points along the axes, as in points = [65, 65]"},
    OtherWords{"grid", "lx ly lz l length lengths size extent extents xmax ymax zmax max end",
               "write upper, the largest coordinates, as in upper = [1.0, 1.0]; lower is 0 by "
               "default"},
    OtherWords{"grid", "xmin ymin zmin x0 origin min start",
               "write lower, the smallest coordinates, as in lower = [0.0, 0.0]"},
    OtherWords{"grid", "dx dy dz h delta gridspacing meshsize",
               "write spacing, as in spacing = [0.01, 0.01], or points and upper"},
    OtherWords{"grid", "dim ndim dimension dimensions",
               "leave it out: points has a number for each axis"},
    OtherWords{"grid", "coordinatesystem coordsystem symmetry",
               R"(write geometry = "axisymmetric")"},
    OtherWords{"grid", "periodic", R"(write [boundary] x = { type = "periodic" })"},
    OtherWords{"grid", "dtype", R"(write precision = "float32" or "float64")"},
    // The equation and materials.
    OtherWords{media,
               "k lambda kappa thermalconductivity heatconductivity permittivity epsilon eps epsr "
               "sigma hydraulicconductivity transmissivity permeability kx ky kz",
               "write conductivity"},
    OtherWords{media,
               "rho cp c specificheat heatcapacity volumetricheatcapacity rhocp rhoc density "
               "storage specificstorage storativity",
               "write capacity, the heat capacity per volume: density times specific heat"},
    OtherWords{"equation", "alpha a d diffusioncoefficient diffusioncoeff thermaldiffusivity",
               "write diffusivity, or conductivity and capacity"},
    OtherWords{"material", "alpha a d diffusivity diffusioncoefficient thermaldiffusivity",
               "write conductivity and capacity, whose ratio it is"},
    OtherWords{"material", "q qv heatsource power source", "write [[source]] with the same region"},
    OtherWords{"equation", "q qv f rhs heatsource heating heatgeneration volumetricsource charge",
               "write source, per volume"},
    OtherWords{"equation", "power", "write [[source]] with a region and power"},
    OtherWords{"equation", "t0 tinit tinitial initialtemperature u0 initial initialvalue ic",
               "write [initial] value"},
    OtherWords{"equation", "dirichlet neumann bc boundary",
               "write [boundary], as in all = { type = "
               R"("dirichlet", value = 0.0 })"},
    OtherWords{"equation", "velocity v advection", "isotherm computes no flows: leave it out"},
    OtherWords{"equation", "name equation pde",
               R"(write type = "laplace", "poisson" or "diffusion")"},
    // Faces and their conditions.
    OtherWords{"boundary", "left west xmin x0 xlo xlow xminus", "write x_lower"},
    OtherWords{"boundary", "right east xmax x1 xhi xhigh xplus", "write x_upper"},
    OtherWords{"boundary", "ymin y0 ylo ylow south front", "write y_lower"},
    OtherWords{"boundary", "ymax y1 yhi yhigh north back", "write y_upper"},
    OtherWords{"boundary", "zmin z0 zlo zlow", "write z_lower"},
    OtherWords{"boundary", "zmax z1 zhi zhigh", "write z_upper"},
    OtherWords{"boundary", "bottom lower", "write y_lower in 2D, z_lower in 3D"},
    OtherWords{"boundary", "top upper", "write y_upper in 2D, z_upper in 3D"},
    OtherWords{"boundary", "default walls faces others", "write all"},
    OtherWords{"boundary", "dirichlet neumann robin convection periodic type value temperature",
               R"(name the face, as in x_lower = { type = "dirichlet", value = 1.0 })"},
    OtherWords{conditions, "htc alpha hc heattransfercoefficient",
               R"(write h, the heat transfer coefficient of type = "convection")"},
    OtherWords{conditions, "tambient tinf tinfinity tfluid tamb ambienttemperature",
               R"(write ambient, as in type = "convection")"},
    OtherWords{conditions, "temperature t u temp fixedvalue dirichlet",
               R"(write value, as in type = "dirichlet", value = 20.0)"},
    OtherWords{conditions, "flux heatflux q neumann", given_flux},
    OtherWords{conditions, "gradient derivative", R"(write type = "neumann" with value)"},
    OtherWords{conditions, "epsilon eps", R"(write emissivity, as in type = "radiation")"},
    OtherWords{"radiation", "epsilon eps", "write emissivity"},
    OtherWords{conditions, "kind bc bctype condition", R"(write type, as in type = "dirichlet")"},
    // The method.
    OtherWords{"method", "dt deltat timestep stepsize step steplength",
               "write time_step, the length of a step"},
    OtherWords{"method", "nt nsteps numsteps numberofsteps timesteps ntimesteps", "write steps"},
    OtherWords{"method", "tend tmax tfinal tstop finaltime stoptime time totaltime duration end",
               "write end_time"},
    OtherWords{"method", "t0 tstart", "write start_time"},
    OtherWords{"method", "tol rtol reltol eps epsilon accuracy relativetolerance",
               "write tolerance, of the error relative to the range of u"},
    OtherWords{"method", "atol abstol", "write absolute_tolerance, of the residual"},
    OtherWords{"method", "maxiter maxiterations maxit itmax iter niter iters numiterations",
               "write iterations, the largest number of them"},
    OtherWords{"method", "solver scheme algorithm type method integrator timeintegrator",
               R"(write name, as in name = "multigrid")"},
    OtherWords{"method", "cfl courant fourier safety safetyfactor",
               R"(write stable_fraction with time_step = "stable")"},
    OtherWords{"method", "theta implicit", implicit_steps},
    OtherWords{"method", "preconditioner precond pc ksp omega relaxation relaxationfactor",
               "leave it out: multigrid chooses it"},
    // Initial values and fixed regions.
    OtherWords{"initial", "t0 t u u0 temperature constant expression function tinit uniform",
               "write value, a number or an expression of x, y, z"},
    OtherWords{"fixed", "temperature t u potential voltage type dirichlet",
               "write value, the value in the region"},
    OtherWords{"source", "q qv heat value rate heatgeneration",
               "write power, the total, or density, per volume"},
    OtherWords{shapes, "sphere circle disc disk",
               "write ball, as in ball = { center = [0.5, 0.5], radius = 0.1 }"},
    OtherWords{shapes, "rectangle rect cuboid block cube region",
               "write box, as in box = { lower = [0.0, 0.0], upper = [0.5, 0.5] }"},
    OtherWords{shapes, "mask file image polygon",
               R"(write where, an expression or a file, as in where = { file = "mask.png", above )"
               "= 0.5 }"},
    OtherWords{shapes, "center centre radius", "write ball or cylinder with center and radius"},
    OtherWords{shapes, "lower upper", "write box with lower and upper"},
    // What is written, and how the case is run.
    OtherWords{"output", "dir path folder name file filename outputdirectory", "write directory"},
    OtherWords{"output", "every interval frequency writeevery saveevery outputevery nout",
               "write snapshot_every, in steps, or snapshot_interval, in time"},
    OtherWords{"output", "times outputtimes savetimes", "write snapshot_times"},
    OtherWords{"output", "image plot png figure", R"(write picture = "png")"},
    OtherWords{"output", "colormap cmap colourmap", "write colour_map"},
    OtherWords{
        "output", "unit units lengthunits axisunit",
        R"(write length_unit = "mm" for axes, label = "Temperature, °C" for u, flux_unit and time_unit)"},
    OtherWords{"output", "isolines isotherms levels ncontours", "write contours"},
    OtherWords{"output", "range vmin vmax clim colorrange", "write picture_range = [0.0, 100.0]"},
    OtherWords{"output", "slice slices", "write picture_slice, as in { z = 0.5 }"},
    OtherWords{"output", "variables quantity", "write fields or quantities"},
    OtherWords{"output", "format vtk", "leave it out: snapshots are VTKHDF files"},
    OtherWords{"output", "probe probes monitor", "write [[probe]]"},
    OtherWords{"run", "gpu cuda backend", R"(write device = "cuda", "cpu" or "auto")"},
    OtherWords{"run", "threads nthreads numthreads",
               "leave it out, and set OMP_NUM_THREADS in the environment"},
    OtherWords{"run", "ranks np nprocs processes nproc", "leave it out, and start mpirun -n"},
    OtherWords{"run", "timelimit walltime limit", "write wall_time"},
};

// Boundary conditions, equations and methods that other programs name differently.
constexpr std::array other_choices{
    OtherWords{"boundary.*.type", "convective mixed", convection},
    OtherWords{"boundary.*.type", "heatflux heat", given_flux},
    OtherWords{"boundary.*.type", "insulated insulation adiabatic symmetry noflux zerogradient",
               no_flux},
    OtherWords{"boundary.*.type", "temperature fixed isothermal fixedvalue constant", given_value},
    OtherWords{"boundary.*.type", "fixedgradient", R"(write type = "neumann" with value)"},
    OtherWords{"boundary.*.type", "radiative", R"(write type = "radiation" with emissivity)"},
    OtherWords{"equation.type", "heat transient unsteady parabolic heatequation conduction",
               R"(write type = "diffusion" for a problem in time, "poisson" or "laplace" for a )"
               "steady one"},
    OtherWords{"equation.type", "steady elliptic stationary electrostatic electrostatics",
               R"(write type = "poisson", or "laplace" without a source)"},
    OtherWords{"method.name", "implicit euler bdf bdf1 impliciteuler theta cranknicholson",
               implicit_steps},
    OtherWords{"method.name", "rkl rkl1 rkc rkc2 rock2 rock4 sts supertimestepping",
               R"(write name = "rkl2", explicit steps of many stages)"},
    OtherWords{"method.name", "explicit expliciteuler forwardeuler rk4 eulerforward",
               R"(write name = "ftcs", the explicit method)"},
    OtherWords{"method.name", "cg pcg gmres bicgstab amg mg gmg sor gaussseidel iterative krylov",
               R"(write name = "multigrid", which is a preconditioner of conjugate gradients if )"
               "that helps"},
    OtherWords{"method.name", "lu sparse cholesky fft dst", R"(write name = "direct")"},
};

/// Returns a word in lower case, without "_" and "-".
std::string plain(std::string_view word) {
  std::string text;
  for (char const letter : word) {
    if (letter == '_' || letter == '-' || letter == ' ') continue;
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

/// Returns whether a list with blanks contains a word.
bool has_word(std::string_view list, std::string_view word) {
  std::istringstream stream{std::string(list)};
  for (std::string one; stream >> one;) {
    if (one == word) return true;
  }
  return false;
}

/// Returns the first row that has a word in a section; null if there is none.
template <std::size_t count>
OtherWords const* find(std::array<OtherWords, count> const& rows, std::string_view section,
                       std::string_view word) {
  auto const* const found = std::ranges::find_if(rows, [&](OtherWords const& row) {
    return has_word(row.sections, section) && has_word(row.words, word);
  });
  return found == rows.end() ? nullptr : found;
}

}  // namespace

std::string advice_on_key(std::string_view section, std::string_view key) {
  std::string const word = plain(key);
  OtherWords const* const here = find(other_keys, section.empty() ? "case" : section, word);
  if (here != nullptr) return std::string(here->advice);
  if (!section.empty()) return "";
  // A key without a section: it belongs in one of these.
  for (std::string_view const home : {"grid", "method", "equation", "output", "run"}) {
    OtherWords const* const there = find(other_keys, home, word);
    if (there != nullptr) return "in [" + std::string(home) + "]: " + std::string(there->advice);
  }
  return "";
}

std::string advice_on_choice(std::string_view section, std::string_view key,
                             std::string_view choice) {
  bool const is_condition = section == "boundary.*" || section == "boundary.patch";
  std::string const place =
      std::string(is_condition ? "boundary.*" : section) + '.' + std::string(key);
  OtherWords const* const found = find(other_choices, place, plain(choice));
  return found == nullptr ? "" : std::string(found->advice);
}

}  // namespace isotherm
