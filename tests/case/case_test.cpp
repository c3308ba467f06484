#include "case/case.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "tests/case/case_texts.hpp"

// Reading the sections of a valid case.

namespace isotherm::test {
namespace {

Case laplace(std::string_view from = "laplace", std::string_view to = "laplace") {
  return parse_case(with(laplace_case, from, to), "case.toml");
}

Case diffusion(std::string_view from = "wave", std::string_view to = "wave") {
  return parse_case(with(diffusion_case, from, to), "case.toml");
}

BoundaryCondition at(Case const& chosen, char const* face) {
  for (int index = 0; index < 6; ++index) {
    if (name(Face::from_index(index)) == face) {
      return chosen.problem.boundary[Face::from_index(index)];
    }
  }
  throw Error("no such face");
}

TEST(Case, ReadsTheGridOfAnAxisWithItsEnds) {
  Grid const grid = laplace().problem.grid;

  EXPECT_EQ(grid.dimension, 3);
  EXPECT_EQ(grid.points, (Extent3{9, 10, 11}));
  EXPECT_EQ(grid.spacing, (PerAxis<double>{1.0 / 8, 2.0 / 9, 3.0 / 10}));
  EXPECT_EQ(grid.periodic, (PerAxis<bool>{false, false, false}));
}

TEST(Case, ReadsAPeriodicPlane) {
  Grid const grid = diffusion().problem.grid;

  EXPECT_EQ(grid.dimension, 2);
  EXPECT_EQ(grid.points, (Extent3{10, 10, 1}));
  EXPECT_EQ(grid.spacing[0], 1.0 / 10);
  EXPECT_TRUE(grid.periodic[0] && grid.periodic[1]);
  EXPECT_FALSE(grid.periodic[2]);
}

TEST(Case, GridsMayExceed32Bits) {
  Case const chosen = laplace("[9, 10, 11]", "[4000000000, 3, 4]");

  EXPECT_EQ(chosen.problem.grid.point_count(), 48'000'000'000);
}

TEST(Case, SpecificBoundaryKeysOverrideGeneralOnes) {
  Case const chosen = laplace("[initial]",
                              "x_upper = { type = \"dirichlet\", value = 3 }\n"
                              "x = { type = \"neumann\", value = 2 }\n[initial]");

  EXPECT_EQ(at(chosen, "x_lower").kind, BoundaryKind::neumann);
  EXPECT_EQ(at(chosen, "x_lower").value.constant, 2.0);
  EXPECT_EQ(at(chosen, "x_upper").kind, BoundaryKind::dirichlet);
  EXPECT_EQ(at(chosen, "x_upper").value.constant, 3.0);
  EXPECT_EQ(at(chosen, "z_upper").value.constant, 1.0);
}

TEST(Case, ReadsBoundarySections) {
  Case const chosen = laplace("[initial]", "[boundary.y]\ntype = \"neumann\"\n[initial]");

  EXPECT_EQ(at(chosen, "y_upper").kind, BoundaryKind::neumann);
  EXPECT_EQ(at(chosen, "y_upper").value.constant, 0.0);
}

TEST(Case, ReadsTimeDependentExpressions) {
  Case const chosen =
      diffusion("y = { type = \"periodic\" }", "y = { type = \"dirichlet\", value = \"x*t\" }");

  EXPECT_TRUE(at(chosen, "y_lower").value.varies_in_time);
  EXPECT_EQ(at(chosen, "y_lower").value(3.0, 0.0, 0.0, 2.0), 6.0);
}

TEST(Case, ReadsBoxesAndGaussiansInOrder) {
  Case const chosen =
      diffusion("[method]",
                "[[initial.box]]\nlower = [0, 0]\nupper = [0.5, 0.5]\nvalue = 1\n"
                "[[initial.box]]\nlower = [0, 0]\nupper = [0.1, 0.1]\nvalue = 2\n"
                "[[initial.gaussian]]\ncenter = [0.5, 9]\nwidth = 0.1\nheight = -3\n"
                "[method]");
  InitialState const& initial = chosen.problem.initial;

  ASSERT_EQ(initial.boxes.size(), 2U);
  EXPECT_EQ(initial.boxes[1].value, 2.0);
  ASSERT_EQ(initial.gaussians.size(), 1U);
  EXPECT_EQ(initial.gaussians[0].center, (PerAxis<double>{0.5, 9.0, 0.0}));
  EXPECT_EQ(initial.gaussians[0].height, -3.0);
  EXPECT_EQ(initial.value(0.25, 0, 0, 0), std::sin(2.0 * std::acos(-1.0) * 0.25));
}

TEST(Case, ReadsTheInitialFile) {
  Case const chosen = laplace("value = 0.0", "file = \"data/u.h5\"\ndataset = \"/run/u\"");

  ASSERT_TRUE(chosen.initial_file.has_value());
  EXPECT_EQ(chosen.initial_file->path, "data/u.h5");
  EXPECT_EQ(chosen.initial_file->dataset, "/run/u");
}

TEST(Case, ReadsTheInterpolationOfTheInitialField) {
  auto const degree = [](std::string const& keys) {
    return laplace("value = 0.0", "file = \"u_000005.vtkhdf\"\n" + keys).initial_file->resample;
  };
  EXPECT_EQ(degree(""), std::nullopt);
  EXPECT_EQ(degree("resample = false"), std::nullopt);
  EXPECT_EQ(degree("resample = true"), Curve::linear);
  EXPECT_EQ(degree("resample = \"linear\""), Curve::linear);
  EXPECT_EQ(degree("resample = \"cubic\""), Curve::cubic);
  EXPECT_EQ(degree("resample = \"spline\""), Curve::spline);
}

TEST(Case, StableTimeStepDefaultsToNineTenths) {
  double const largest = largest_stable_time_step(diffusion().problem.grid, 1.0);

  EXPECT_EQ(diffusion("time_step = 0.002\n", "").method.time_step_s, 0.9 * largest);
  EXPECT_EQ(diffusion("0.002", "\"stable\"\nstable_fraction = 1").method.time_step_s, largest);
}

TEST(Case, AcceptsTheLargestStableTimeStepWithinRounding) {
  Case const chosen = diffusion("0.002", "0.0025000000000001");

  EXPECT_LE(chosen.method.time_step_s, largest_stable_time_step(chosen.problem.grid, 1.0));
}

TEST(Case, ShortensTheTimeStepToEndAtTheEndTime) {
  MethodSettings const method = diffusion("steps = 7", "end_time = 0.005").method;

  EXPECT_EQ(method.iterations, 3);
  EXPECT_EQ(method.time_step_s, 0.002) << "as a longer run will have it";
  EXPECT_EQ(step_lengths(method), std::pair(0.005 / 3, 0.005 / 3));
}

TEST(Case, StepsThatFitTheEndTimeAreNotShortened) {
  MethodSettings const method = diffusion("steps = 7", "end_time = 0.006").method;

  EXPECT_EQ(method.iterations, 3);
  EXPECT_EQ(step_lengths(method), std::pair(0.002, 0.002));
}

TEST(Case, KeepsATimeStepThatFitsALaterEndTime) {
  for (int const steps : {1, 3, 7, 10, 333, 99999}) {
    MethodSettings const method =
        diffusion("steps = 7", "end_time = " + std::to_string(steps * 0.002)).method;
    EXPECT_EQ(method.iterations, steps);
    EXPECT_EQ(step_lengths(method), std::pair(0.002, 0.002));
  }
}

TEST(Case, EndTimeTakesAtLeastOneStep) {
  MethodSettings const method = diffusion("steps = 7", "end_time = 1e-12").method;

  EXPECT_EQ(method.iterations, 1);
  EXPECT_EQ(method.time_steps.step_after(0), 1e-12);
}

TEST(Case, ReadsImplicitSteps) {
  for (std::string const name : {"backward_euler", "crank_nicolson"}) {
    MethodSettings const plain =
        diffusion("time_step = 0.002\n", "name = \"" + name + "\"\ntime_step = 30.0\n").method;
    EXPECT_EQ(plain.name, name);
    EXPECT_EQ(plain.time_step_s, 30.0);
    EXPECT_EQ(plain.iterations, 7);
    EXPECT_EQ(plain.check_every, 1);
    EXPECT_EQ(plain.step_tolerance, 1e-6);

    MethodSettings const full =
        diffusion("time_step = 0.002\nsteps = 7",
                  "name = \"" + name +
                      "\"\ntime_step = 0.3\nend_time = 1.0\nstep_tolerance = 1e-3\n"
                      "cycle = \"W\"\nsmoother = \"jacobi\"\npre = 1\npost = 8\ncoarsest = 3\n"
                      "cycle_precision = \"float32\"\ncheck_every = 5\ntolerance = 1e-4")
            .method;
    EXPECT_EQ(full.iterations, 4);
    EXPECT_EQ(full.time_steps.step_after(0), 0.25);
    EXPECT_EQ(full.step_tolerance, 1e-3);
    EXPECT_EQ(full.multigrid.cycle, Cycle::w);
    EXPECT_EQ(full.multigrid.smoother, Smoother::jacobi);
    EXPECT_EQ(full.multigrid.pre, 1);
    EXPECT_EQ(full.multigrid.post, 8);
    EXPECT_EQ(full.multigrid.coarsest, 3);
    EXPECT_FALSE(plain.multigrid.coarsest.has_value());  // each method chooses it
    EXPECT_EQ(full.check_every, 5);
    EXPECT_EQ(full.tolerance, 1e-4);
  }
}

/// Separable problems are solved directly, others by multigrid.
TEST(Case, ChoosesTheSolverByTheProblem) {
  std::string const unnamed =
      with(laplace_case, "name = \"jacobi\"\niterations = 20", "tolerance = 1e-6");
  EXPECT_EQ(parse_case(unnamed, "a.toml").method.name, "direct");
  EXPECT_EQ(parse_case(unnamed, "a.toml").method.iterations, 20);
  EXPECT_EQ(parse_case(unnamed, "a.toml", {"method.cycle=W"}).method.name, "multigrid");
  EXPECT_EQ(parse_case(unnamed, "a.toml", {"method.name=multigrid"}).method.name, "multigrid");
  EXPECT_EQ(parse_case(unnamed, "a.toml", {"equation.conductivity=1 + x"}).method.name, "direct");
  // In a smooth medium direct solutions precondition conjugate gradients.
  EXPECT_EQ(parse_case(unnamed, "a.toml", {"equation.conductivity=1 + x*y"}).method.name, "direct");
  EXPECT_EQ(parse_case(unnamed, "a.toml", {"equation.conductivity=1 + x*y"}).method.iterations, 50);
  EXPECT_EQ(
      parse_case(unnamed, "a.toml", {"equation.conductivity=1 + 9*step(x*y - 0.25)"}).method.name,
      "multigrid");
  // 1019 = 1020 - 1 intervals: no fast transform, and matrices of that size take too long.
  EXPECT_EQ(parse_case(unnamed, "a.toml", {"grid.points=[1020, 1020, 1020]"}).method.name,
            "multigrid");
  EXPECT_EQ(parse_case(unnamed, "a.toml", {"grid.points=[1025, 1025, 1025]"}).method.name,
            "direct");

  std::string const implicit =
      with(diffusion_case, "time_step = 0.002", "name = \"crank_nicolson\"\ntime_step = 0.1");
  EXPECT_TRUE(parse_case(implicit, "a.toml").method.direct_steps);
  EXPECT_FALSE(parse_case(implicit, "a.toml", {"method.pre=2"}).method.direct_steps);
  EXPECT_FALSE(
      parse_case(implicit, "a.toml", {"method.step_solver=multigrid"}).method.direct_steps);
  // Direct solutions precondition steady solvers in smooth media, but not steps.
  EXPECT_FALSE(
      parse_case(implicit, "a.toml",
                 {"!equation.diffusivity", "equation.conductivity=2 + cos(2*pi*x)*cos(2*pi*y)",
                  "equation.capacity=1"})
          .method.direct_steps);
  try {
    (void)parse_case(implicit, "a.toml",
                     {"!equation.diffusivity", "equation.conductivity=2 + cos(2*pi*x)*cos(2*pi*y)",
                      "equation.capacity=1", "method.step_solver=direct"});
    FAIL() << "these coefficients are not separable";
  } catch (InputError const& refusal) {
    std::string const text = refusal.what();
    EXPECT_NE(text.find("step_solver is \"direct\", but the coefficients vary"), std::string::npos)
        << text;
  }
}

TEST(Case, ReadsToleranceNormAndChecks) {
  MethodSettings const method =
      laplace("iterations = 20",
              "iterations = 20\ntolerance = 1e-6\nnorm = \"max\"\ncheck_every = 10")
          .method;

  EXPECT_EQ(method.tolerance, 1e-6);
  EXPECT_EQ(method.norm, Norm::max);
  EXPECT_EQ(method.check_every, 10);
}

/// A steady case need not say how or how far to solve. Its method and its iterations do.
TEST(Case, SolvesToADefaultTolerance) {
  std::string const named = "name = \"jacobi\"\niterations = 20";
  for (char const* const lines : {"", "norm = \"max\"", "cycle = \"W\""}) {
    EXPECT_EQ(laplace(named, lines).method.tolerance, 1e-6) << lines;
    EXPECT_NE(laplace(named, lines).method.name, "jacobi") << lines;
  }
  for (char const* const lines : {"iterations = 20", "name = \"multigrid\"", "name = \"direct\"",
                                  "absolute_tolerance = 1e-3"}) {
    EXPECT_EQ(laplace(named, lines).method.tolerance, 0.0) << lines;
  }
  EXPECT_EQ(laplace(named, "iterations = 20").method.name, "jacobi");
  EXPECT_EQ(diffusion().method.tolerance, 0.0);
}

TEST(Case, ChecksShortRunsToATolerance) {
  auto const check_every = [](std::string const& lines) {
    return laplace("iterations = 20", lines).method.check_every;
  };
  EXPECT_EQ(check_every("iterations = 20\ntolerance = 1e-6"), 5);
  EXPECT_EQ(check_every("iterations = 3\nabsolute_tolerance = 1e-6"), 1);
  EXPECT_EQ(check_every("iterations = 1000\ntolerance = 1e-6"), 100);
  EXPECT_EQ(check_every("iterations = 20"), 100);
}

TEST(Case, ReadsOutputCheckpointAndRun) {
  Case const chosen = laplace("keep = 2\n[run]\ndevice = \"cpu\"",
                              "every = 7\nevery_minutes = 0.5\nkeep = 3\n[run]\ndevice = \"cuda\"\n"
                              "decomposition = [2, 1, 3]\ntransport = \"mpi\"\n"
                              "mpi_device_memory = \"yes\"\n"
                              "plan = \"plain\"");

  EXPECT_EQ(chosen.output.directory, "plain");
  EXPECT_EQ(chosen.checkpoint.every, 7);
  EXPECT_EQ(chosen.checkpoint.every_minutes, 0.5);
  EXPECT_EQ(chosen.checkpoint.keep, 3);
  EXPECT_EQ(chosen.run.device, DeviceChoice::cuda);
  EXPECT_EQ(chosen.run.decomposition, (Extent3{2, 1, 3}));
  EXPECT_EQ(chosen.run.transport, TransportKind::mpi);
  EXPECT_EQ(chosen.run.mpi_device_memory, mpi::DeviceMemory::yes);
  EXPECT_EQ(chosen.run.plan, "plain");
}

TEST(Case, AsksForACheckpointEveryTenMinutesByDefault) {
  CheckpointSettings const by_default = laplace("keep = 2", "keep = 2").checkpoint;
  EXPECT_EQ(by_default.every_minutes, 10.0);
  EXPECT_EQ(by_default.when_busy, WhenBusy::skip);
  for (char const* const lines : {"every = 7", "every_minutes = 0"}) {
    CheckpointSettings const chosen = laplace("keep = 2", lines).checkpoint;
    EXPECT_EQ(chosen.every_minutes, 0.0);
    EXPECT_EQ(chosen.when_busy, WhenBusy::wait);
  }
}

TEST(Case, ReadsSnapshotStorage) {
  OutputSettings const output =
      laplace("directory = \"plain\"",
              "fields = [\"u\"]\ncompression = 9\nprecision = \"float32\"\npicture = false\n"
              "snapshot_every = 5\ncut = { lower = [0, 0, 1], upper = [1, 1, 1.2] }")
          .output;

  EXPECT_EQ(output.compression, 9);
  EXPECT_TRUE(output.as_float32);
  EXPECT_FALSE(output.picture);
  EXPECT_EQ(output.snapshot_every, 5);
  EXPECT_EQ(output.cut, (GlobalBox{{0, 0, 4}, {9, 5, 5}}));
}

TEST(Case, ReadsPictureSettings) {
  auto const output = [](std::string const& keys) {
    return laplace("directory = \"plain\"", keys).output;
  };

  EXPECT_EQ(output("").picture, PictureFormat::png);
  EXPECT_EQ(output("").look.contours, std::nullopt);
  EXPECT_EQ(output("picture = true").picture, PictureFormat::png);
  EXPECT_EQ(output("picture = false").picture, std::nullopt);
  EXPECT_EQ(output("picture = \"png\"").picture, PictureFormat::png);
  EXPECT_EQ(output("picture = \"svg\"").picture, PictureFormat::svg);
  EXPECT_EQ(output("picture = \"pdf\"").picture, PictureFormat::pdf);
  EXPECT_EQ(output("contours = true").look.contours, 0);
  EXPECT_EQ(output("contours = false").look.contours, std::nullopt);
  EXPECT_EQ(output("contours = 0").look.contours, std::nullopt);
  EXPECT_EQ(output("contours = 12").look.contours, 12);
  EXPECT_EQ(output("label = \"T, °C\"").look.label, "T, °C");
  EXPECT_EQ(output("colour_map = \"viridis_r\"").look.colour_map, "viridis_r");
  EXPECT_EQ(output("picture_width = 1920").look.width, 1920);
  EXPECT_TRUE(output("arrows = true").look.arrows);
  EXPECT_EQ(output("").look.length, LengthUnit{});
  EXPECT_EQ(output("length_unit = \"mm\"").look.length, (LengthUnit{"mm", 1000.0}));
  EXPECT_EQ(output("length_unit = \"um\"").look.length, (LengthUnit{"µm", 1e6}));
  EXPECT_EQ(output("length_unit = \"in\"").look.length.scale * 0.0254, 1.0);
  EXPECT_EQ(output("length_unit = \"a\"\nlength_scale = 0.5").look.length, (LengthUnit{"a", 0.5}));
}

TEST(Case, ReadsFilmsOfProblemsInTime) {
  auto const film = [](std::string const& keys) {
    std::string const text = with(diffusion_case, "[method]", "[output]\n" + keys + "\n[method]");
    return parse_case(text, "case.toml").output.film;
  };

  EXPECT_EQ(film(""), "");
  EXPECT_EQ(film("film = true"), "gif");
  EXPECT_EQ(film("film = false"), "");
  EXPECT_EQ(film("film = \"png\""), "png");
}

TEST(Case, FilmHasApproximately100Pictures) {
  OutputSettings output;
  EXPECT_EQ(output.pictures_every(1000), 0);
  output.film = "gif";
  EXPECT_EQ(output.pictures_every(1000), 10);
  EXPECT_EQ(output.pictures_every(1001), 11);
  EXPECT_EQ(output.pictures_every(7), 1);
  output.picture_every = 250;
  EXPECT_EQ(output.pictures_every(1000), 250);
}

TEST(Case, OutputDirectoryIsNamedByTitleOrFile) {
  std::string const untitled = with(diffusion_case, "title = \"wave\"\n", "");

  EXPECT_EQ(diffusion("wave", "../A plate: 3/4 \\\" thick ").output.directory, "A-plate-3-4-thick");
  EXPECT_EQ(parse_case(untitled, "cases/warm.toml").output.directory, "warm");
  EXPECT_EQ(parse_case(untitled, "cases/warm.toml").title, "warm");
  EXPECT_EQ(diffusion("wave", "...").output.directory, "results");
  std::string const maximum(99, 'a');
  EXPECT_EQ(diffusion("wave", maximum + "é").output.directory, maximum) << "half a letter is none";
}

TEST(Case, ReadsProbes) {
  Case const chosen = parse_case(std::string(laplace_case) + R"(
[[probe]]
name = "middle"
at = [0.5, 1, 2]
[[probe]]
name = "axis"
from = [0, 0, 0]
to = [1, 2, 3]
points = 3
[[probe]]
name = "lid"
plane = { z = 2.4 })",
                                 "case.toml", {"output.quantities=[\"max\",\"mean\"]"});

  ASSERT_EQ(chosen.probes.size(), 4U);
  EXPECT_EQ(chosen.probes[0].table, "probe_middle.csv");
  EXPECT_EQ(table_heading(chosen.probes[0], 3, false), "iteration,value");
  auto const& line = std::get<Probe::Line>(chosen.probes[1].where);
  EXPECT_EQ(places_on(line), (std::vector<PerAxis<double>>{{0, 0, 0}, {0.5, 1, 1.5}, {1, 2, 3}}));
  EXPECT_EQ(table_heading(chosen.probes[1], 3, true), "iteration,time,distance,x,y,z,value");
  EXPECT_EQ(chosen.probes[2].where, Probe::Where(Probe::Plane{2, 8}));  // z = 2.4 with spacing 0.3
  EXPECT_EQ(table_heading(chosen.probes[3], 3, true), "iteration,time,max,mean");
  EXPECT_EQ(chosen.fingerprint, laplace().fingerprint);  // probes may change on resume
}

/// Adding up 49 spacings gives a coordinate slightly below 1.
TEST(Case, PictureMayShowTheOutermostPlane) {
  Case const chosen =
      parse_case(std::string(laplace_case), "case.toml",
                 {"grid.points=[50,50,50]", "grid.upper=[1,1,1]", "output.picture_slice.z=1.0"});

  EXPECT_EQ(chosen.output.look.planes[2], 1.0);
  EXPECT_EQ(chosen.output.look.planes[0], std::nullopt);
}

/// The draws of numpy.random.RandomState(12072018).uniform([-1, 2, 0], [1, 5, 8], (2, 3)).
TEST(Case, RandomGaussiansCoverTheWholeBox) {
  std::string text = with(laplace_case, "upper = [1.0, 2.0, 3.0]",
                          "lower = [-1.0, 2.0, 0.0]\nupper = [1.0, 5.0, 8.0]");
  text =
      with(text, "[method]",
           "[[initial.gaussian]]\ncount = 2\nseed = 12072018\nwidth = 0.5\nheight = 2\n[method]");
  auto const gaussians = parse_case(text, "case.toml").problem.initial.gaussians;
  std::vector<double> const wanted{-0.7047940561785009, 3.2841782491763802, 6.761920671715576,
                                   0.03761145135768351, 4.6263670995320885, 5.28673600458621};
  ASSERT_EQ(gaussians.size(), 2U);
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    EXPECT_DOUBLE_EQ(gaussians[n / 3].center[static_cast<int>(n % 3)], wanted[n]) << n;
  }
}

TEST(Case, EndOfAPeriodicAxisIsItsFirstPlane) {
  Case const chosen = parse_case(
      std::string(diffusion_case) + "[[probe]]\nname = \"a\"\nplane = { x = 1 }", "case.toml");

  EXPECT_EQ(chosen.probes[0].where, Probe::Where(Probe::Plane{0, 0}));
}

}  // namespace
}  // namespace isotherm::test
