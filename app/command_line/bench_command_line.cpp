#include "app/command_line/bench_command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/bench/bench.hpp"
#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/studies/classic_cases.hpp"
#include "app/bench/studies/studies.hpp"
#include "app/command_line/choices.hpp"
#include "app/machine/processor_time.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "decomposition/transport/transport.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

// The options of `bench` and its parts. Parts share many options, so each shared option has a
// function that adds it. One object holds the values of all parts, since only one part runs.
namespace {

/// Adds the options of every part: device, repetitions, JSON file.
/// @param timed  what is timed again and again: "batches", "runs" or "solutions"
void add_bench_options(CLI::App& app, BenchOptions& options, std::string& json,
                       std::string const& timed) {
  add_device(app, options.device, "The device to measure");
  app.add_option("--repeat", options.batches.repeat,
                 "Number of " + timed + " to time; their median is reported")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--json", json, "Also write the numbers to this file")->type_name("FILE");
}

/// Adds the option of parts that time batches of operations.
void add_batch(CLI::App& app, BenchOptions& options) {
  app.add_option("--batch", options.batches.seconds,
                 "Duration of a batch in s; times of short batches are less accurate")
      ->check(CLI::Range(1e-4, 100.0).description(""))
      ->check(no_nan())
      ->type_name("SECONDS")
      ->capture_default_str();
}

/// Converts the value of --precision. @pre the word is "float32", "float64" or "both"
std::vector<Precision> precisions_from(std::string const& word) {
  if (word == "both") return {Precision::float32, Precision::float64};
  return {word == "float32" ? Precision::float32 : Precision::float64};
}

/// Converts the values of --shapes. @throws InputError  if one is not a shape
std::vector<BlockShape> shapes_from(std::vector<std::string> const& words) {
  std::vector<BlockShape> shapes;
  for (std::string const& word : words) {
    auto const shape = parse_block_shape(word);
    if (!shape) {
      throw InputError("--shapes: " + in_quotes(word) +
                       " is not the shape of a block (needs two or three numbers of threads from 1 "
                       "to 1024, as in 16x16 or 32x2x4)");
    }
    shapes.push_back(*shape);
  }
  return shapes;
}

/// The values of all options, as words and as the settings of each part.
///
/// CLI11 writes words to these members while it parses. resolve() converts them afterwards, because
/// some words determine several settings: --grid applies to all parts, for instance.
///
/// The defaults of --precision differ between the parts, so three members hold its value.
struct BenchWords {
  BenchOptions options;
  SweepBenchOptions sweep;
  SolveBenchOptions solve;
  TransformBenchOptions transform;
  TuneOptions tune;
  ScalingBenchOptions scaling;
  ClassicBenchOptions classic;
  SharedBenchOptions shared;
  ReduceBenchOptions reduce;
  SmoothBenchOptions smooth;
  ResampleBenchOptions resample;
  GaussiansBenchOptions gaussians;
  /// The values of --shapes.
  std::vector<std::string> shapes;
  std::string json, grid, output, dimension = "both", precision = "both";
  /// The value of --precision of `bench scaling`.
  std::string scaling_precision = "float32";
  /// The value of --precision of `bench shared`.
  std::string shared_precision = "float32";
  /// The value of --precision of `bench solve` and `bench transform`.
  std::string solve_precision = "float64";
  std::string scaling_transport = "auto";
  bool strong = false, weak = false;
  bool explain = false;  ///< of `bench sweep`

  /// Converts the words into the settings of all parts. @throws InputError  if a size is not valid
  void resolve() {
    if (!json.empty()) {
      options.json = json;
    }
    if (!grid.empty()) {
      sweep.grid = solve.grid = transform.grid = scaling.grid = smooth.grid = parse_extent(grid);
    }
    sweep.precisions = tune.precisions = precisions_from(precision);
    scaling.precisions = precisions_from(scaling_precision);
    solve.precisions = transform.precisions = precisions_from(solve_precision);
    shared.precisions = precisions_from(shared_precision);
    classic.shapes = tune.shapes = shapes_from(shapes);
    scaling.transport = transport_from_name(scaling_transport);
    if (strong || weak) {  // neither or both: both are measured
      scaling.strong = strong;
      scaling.weak = weak;
    }
    if (dimension != "both") {
      tune.dimensions = shared.dimensions = {dimension == "2" ? 2 : 3};
    }
    if (!output.empty()) {
      tune.output = output;
    }
  }
};

/// Adds --precision.
void add_precision(CLI::App& app, std::string& precision) {
  app.add_option("--precision", precision, "Precision of the field")
      ->check(CLI::IsMember({"float32", "float64", "both"}).description(""))
      ->type_name("float32|float64|both")
      ->capture_default_str();
}

/// Adds --grid. resolve() parses the text with parse_extent(), which accepts NxN and NxNxN.
void add_grid(CLI::App& app, std::string& grid, std::string const& what) {
  app.add_option("--grid", grid, what + "; NxN in 2D")->type_name("NxNxN");
}

/// Adds --boundary. The transformer replaces the word by the enumerator. Its description is empty,
/// since the type name lists the words already.
void add_boundary(CLI::App& app, BoundaryKind& boundary, std::string const& what) {
  std::map<std::string, BoundaryKind> const kinds{{"dirichlet", BoundaryKind::dirichlet},
                                                  {"neumann", BoundaryKind::neumann},
                                                  {"periodic", BoundaryKind::periodic}};
  app.add_option("--boundary", boundary, what)
      ->transform(CLI::CheckedTransformer(kinds).description(""))
      ->type_name("dirichlet|neumann|periodic");
}

/// Adds --conductivity: the homogeneous or heterogeneous medium to measure.
void add_conductivity(CLI::App& app, BenchConductivity& conductivity) {
  std::map<std::string, BenchConductivity> kinds;
  for (auto const kind :
       {BenchConductivity::constant, BenchConductivity::smooth, BenchConductivity::ball,
        BenchConductivity::layers, BenchConductivity::blocks, BenchConductivity::strips,
        BenchConductivity::pores}) {
    kinds[name(kind)] = kind;
  }
  app.add_option(
         "--conductivity", conductivity,
         "Conductivity of the cube: constant (no coefficients are read), smooth (ratio "
         "10), a ball or layers (100), random blocks (1000), strips at 45 degrees (1e6), or "
         "random points (1e-6)")
      ->transform(CLI::CheckedTransformer(kinds).description(""))
      ->type_name("constant|smooth|ball|layers|blocks|strips|pores");
}

/// Adds --graded.
void add_graded(CLI::App& app, bool& graded) {
  app.add_flag(
      "--graded", graded,
      "Grade the axes that are not periodic: spacings of up to 20 : 1, narrow at the ends");
}

/// Adds the equation and the boundary condition of a sweep. For Laplace's equation, unit_problem()
/// keeps Dirichlet faces on the last axis, so the solution is unique.
void add_sweep_subject(CLI::App& app, Equation& equation, BoundaryKind& boundary) {
  std::map<std::string, Equation> const equations{{"laplace", Equation::laplace},
                                                  {"diffusion", Equation::diffusion}};
  app.add_option("--equation", equation,
                 "The equation: laplace (Jacobi sweeps) or diffusion (FTCS steps)")
      ->transform(CLI::CheckedTransformer(equations).description(""))
      ->type_name("laplace|diffusion");
  add_boundary(app, boundary,
               "The boundary condition on all faces; for laplace the faces of the last axis remain "
               "dirichlet");
}

/// Options of `bench sweep`.
///
///     isotherm bench sweep --grid 512x512x512 --equation diffusion --plan all
void add_bench_sweep_options(CLI::App& app, BenchWords& words) {
  add_grid(app, words.grid, "Points on each axis");
  add_precision(app, words.precision);
  add_sweep_subject(app, words.sweep.equation, words.sweep.boundary);
  add_conductivity(app, words.sweep.conductivity);
  add_graded(app, words.sweep.graded);
  app.add_flag("--source", words.sweep.source, "Add a source (laplace becomes poisson)");
  app.add_option("--plan", words.sweep.plan,
                 "Name of a plan; auto: the plan that a run would use; all: every plan")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_flag("--explain", words.explain,
               "Also report what the kernels occupy (registers, shared memory, occupancy) and what "
               "bounds their speed");
}

/// Options of `bench solve`.
///
///     isotherm bench solve --grid 256x256x256 --conductivity layers
void add_bench_solve_options(CLI::App& app, BenchWords& words) {
  add_grid(app, words.grid, "Points on each axis");
  add_precision(app, words.solve_precision);
  add_boundary(app, words.solve.boundary,
               "The boundary condition on all faces; those of the last axis remain dirichlet");
  add_conductivity(app, words.solve.conductivity);
  add_graded(app, words.solve.graded);
  app.add_option("--method", words.solve.method,
                 "Method of solution; all: multigrid, and direct if the problem is separable")
      ->check(CLI::IsMember({"multigrid", "direct", "all"}).description(""))
      ->type_name("multigrid|direct|all")
      ->capture_default_str();
}

/// Options of `bench transform`.
///
///     isotherm bench transform --grid 513x513x513 --kind fft
void add_bench_transform_options(CLI::App& app, BenchWords& words) {
  add_grid(app, words.grid, "Points on each axis, of each rank");
  add_precision(app, words.solve_precision);
  add_boundary(app, words.transform.boundary, "The boundary condition on all faces");
  app.add_option("--kind", words.transform.kind,
                 "Kind of transform: fft, if the numbers of points allow it, dense, or tridiagonal "
                 "systems in its place")
      ->check(CLI::IsMember({"fft", "dense", "tridiagonal", "all"}).description(""))
      ->type_name("fft|dense|tridiagonal|all")
      ->capture_default_str();
}

/// Options of `bench scaling`.
///
///     mpirun -n 8 isotherm bench scaling --strong --equation diffusion --check-every 100
void add_bench_scaling_options(CLI::App& app, BenchWords& words) {
  ScalingBenchOptions& scaling = words.scaling;
  add_grid(
      app, words.grid,
      "Points on each axis, of the whole grid (strong) or of the subdomain of each rank (weak)");
  add_precision(app, words.scaling_precision);
  add_sweep_subject(app, scaling.equation, scaling.boundary);
  app.add_option("--transport", words.scaling_transport, "How halos are exchanged")
      ->type_name(transport_names("|"))
      ->capture_default_str();
  app.add_option("--plan", scaling.plan, "Name of a plan; auto: the plan that a run would use")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_flag("--strong", words.strong,
               "Measure strong scaling: one grid on 1, 2, 4 ... ranks (default: both)");
  app.add_flag("--weak", words.weak,
               "Measure weak scaling: a grid of this size for each rank (default: both)");
  // A residual norm needs a reduction over all points and ranks.
  app.add_option("--check-every", scaling.check_every, "Compute a residual every N steps; 0: never")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}).description(""))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--steps", scaling.steps, "Also time N steps as a whole")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}).description(""))
      ->type_name("N");
}

/// Adds a list of words or numbers, separated by commas.
template <class Value>
CLI::Option* add_list(CLI::App& app, std::string const& name, std::vector<Value>& values,
                      std::string const& what) {
  return app.add_option(name, values, what)->delimiter(',')->allow_extra_args(false);
}

/// Options of `bench classic`.
///
///     isotherm bench classic --case laplace-512 --shapes 32x2x4,16x16
void add_bench_classic_options(CLI::App& app, BenchWords& words) {
  add_list(app, "--case", words.classic.cases,
           "Cases to run: " + join(classic_case_names()) + " (default: all)")
      ->type_name("NAME,...");
  app.add_option("--points", words.classic.points,
                 "Points on each axis instead of the published numbers, for a short measurement")
      ->check(CLI::Range(std::int64_t{8}, std::int64_t{100'000}).description(""))
      ->type_name("N");
  add_list(app, "--shapes", words.shapes,
           "Shapes of thread blocks, as 16x16 or 32x2x4, instead of the published ones")
      ->type_name("XxYxZ,...");
}

/// Options of `bench shared`.
///
///     isotherm bench shared --sizes 256,1024 --steps 10,1000 --dimension 2
void add_bench_shared_options(CLI::App& app, BenchWords& words) {
  add_list(app, "--sizes", words.shared.sizes,
           "Points on each axis (default: 256 to 8192 in 2D, 64 to 512 in 3D)")
      ->check(CLI::Range(std::int64_t{8}, std::int64_t{100'000}).description(""))
      ->type_name("N,...");
  add_list(app, "--steps", words.shared.steps, "Steps of a run (default: 100)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}).description(""))
      ->type_name("N,...");
  app.add_option("--dimension", words.dimension, "Dimension of the grids")
      ->check(CLI::IsMember({"2", "3", "both"}).description(""))
      ->type_name("2|3|both")
      ->capture_default_str();
  add_precision(app, words.shared_precision);
}

/// Options of `bench reduce`.
///
///     isotherm bench reduce --points 100000000
void add_bench_reduce_options(CLI::App& app, BenchWords& words) {
  app.add_option("--points", words.reduce.points,
                 "Numbers to add (default: 268435456 on a GPU, 16777216 on the CPU)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{2'000'000'000}).description(""))
      ->type_name("N");
}

/// Options of `bench smooth`.
///
///     isotherm bench smooth --table 5,9,17
void add_bench_smooth_options(CLI::App& app, BenchWords& words) {
  add_grid(app, words.grid, "Points on each axis (default: 4096x4096 on a GPU, else 1024x1024)");
  add_list(
      app, "--table", words.smooth.tables,
      "Weights of each table along an axis, odd numbers of at most 63, in 3D 15 (default: 3, 9, "
      "17; in 3D 3, 5, 7)")
      ->type_name("N,...");
}

/// Options of `bench resample`.
///
///     isotherm bench resample --points 257
void add_bench_resample_options(CLI::App& app, BenchWords& words) {
  app.add_option("--points", words.resample.points,
                 "Points on each axis of the cube (default: 257 on a GPU, 65 on the CPU)")
      ->check(CLI::Range(std::int64_t{8}, std::int64_t{4096}).description(""))
      ->type_name("N");
}

/// Options of `bench gaussians`.
///
///     isotherm bench gaussians --points 64
void add_bench_gaussians_options(CLI::App& app, BenchWords& words) {
  app.add_option(
         "--points", words.gaussians.points,
         "Points on each axis of the cube (default: 128 as published on a GPU, 64 on the CPU)")
      ->check(CLI::Range(std::int64_t{8}, std::int64_t{1024}).description(""))
      ->type_name("N");
}

/// Options of `bench tune`.
///
///     isotherm bench tune --quick --output plans.toml
void add_bench_tune_options(CLI::App& app, BenchWords& words) {
  app.add_option("--dimension", words.dimension, "Dimension of the grids")
      ->check(CLI::IsMember({"2", "3", "both"}).description(""))
      ->type_name("2|3|both")
      ->capture_default_str();
  add_precision(app, words.precision);
  add_list(app, "--shapes", words.shapes,
           "Also measure the kernels of studies with thread blocks of these shapes, as 16x16 or "
           "32x2x4; only on GPUs")
      ->type_name("XxYxZ,...");
  app.add_flag("--quick", words.tune.quick, "Measure fewer and smaller grids, in a few minutes");
  app.add_option("--largest", words.tune.largest, "Skip grids with more than N points on an axis")
      ->check(CLI::Range(std::int64_t{8}, std::int64_t{1'000'000}).description(""))
      ->type_name("N");
  app.add_option("-o,--output", words.output,
                 "Write the fastest plans to this file, a plan table that runs can read")
      ->type_name("FILE");
}

/// Makes a command measure something: its callback, which CLI11 calls after parsing, sets the
/// action. That checks first that the JSON file can be written, warns if other programs have used
/// the processors, and checks the output.
template <class Measure>
void set_action(CLI::App& part, std::shared_ptr<BenchWords> const& words, Action& chosen,
                Measure const& measure) {
  part.callback([words, &chosen, measure, &part] {
    if (!part.get_subcommands().empty()) return;  // `bench`, if one of its parts was chosen
    words->resolve();
    chosen = [words, measure](auto& ranks) {
      check_file_to_write(ranks, "--json", words->options.json);
      ProcessorWatch const processors(ranks);
      int const code = measure(ranks, *words);
      if (std::string const hint = processors.hint(); !hint.empty() && ranks.is_root()) {
        std::cout << hint << std::endl;
      }
      on_root(ranks, [] {
        require(std::cout.flush().good(), "cannot write the output (is the disk full?)");
      });
      return code;
    };
  });
}

/// What the parts of `bench` have in common.
struct BenchParts {
  CLI::App* bench;
  std::shared_ptr<BenchWords> words;  ///< shared with the actions
  Action* chosen;

  /// Adds a part.
  /// @param timed        see add_bench_options()
  /// @param add_options  adds the part's own options: add_options(part, words)
  template <class Options, class Measure>
  void add(std::string const& name, std::string const& what, std::string const& timed,
           Options const& add_options, Measure const& measure) const {
    CLI::App& part = *bench->add_subcommand(name, what);
    add_bench_options(part, words->options, words->json, timed);
    if (timed == "batches") add_batch(part, words->options);
    add_options(part, *words);
    set_action(part, words, *chosen, measure);
  }
};

/// Adds the parts that measure the program.
void add_program_parts(BenchParts const& parts) {
  parts.add("sweep", "Measure the speed of sweeps with each plan (seconds to minutes)", "batches",
            add_bench_sweep_options, [](auto& ranks, auto& w) {
              return (w.explain ? explain_sweep : bench_sweep)(ranks, w.options, w.sweep);
            });
  parts.add("solve",
            "Measure the time of solutions to tolerances 1e-8 and 1e-10 (seconds to a minute)",
            "solutions", add_bench_solve_options,
            [](auto& ranks, auto& w) { return bench_solve(ranks, w.options, w.solve); });
  parts.add("transform", "Measure the transforms of direct solutions along each axis (seconds)",
            "batches", add_bench_transform_options,
            [](auto& ranks, auto& w) { return bench_transform(ranks, w.options, w.transform); });
  parts.add("tune", "Find the fastest plans for this machine (an hour; --quick: minutes)",
            "batches", add_bench_tune_options,
            [](auto& ranks, auto& w) { return bench_tune(ranks, w.options, w.tune); });
  parts.add("scaling", "Measure strong and weak scaling up to all ranks", "batches",
            add_bench_scaling_options,
            [](auto& ranks, auto& w) { return bench_scaling(ranks, w.options, w.scaling); });
}

/// Adds the parts that repeat published studies.
void add_study_parts(BenchParts const& parts) {
  parts.add("classic", "Repeat the published cases with each kernel and block shape (minutes)",
            "runs", add_bench_classic_options,
            [](auto& ranks, auto& w) { return bench_classic(ranks, w.options, w.classic); });
  parts.add("shared",
            "Compare shared with global memory of a GPU, by size and number of steps (minutes)",
            "runs", add_bench_shared_options,
            [](auto& ranks, auto& w) { return bench_shared(ranks, w.options, w.shared); });
  parts.add("reduce", "Compare forms of a sum, from the naive one to that of a library (seconds)",
            "batches", add_bench_reduce_options,
            [](auto& ranks, auto& w) { return bench_reduce(ranks, w.options, w.reduce); });
  parts.add("smooth", "Compare the memories that can hold a table of weights (seconds)", "batches",
            add_bench_smooth_options,
            [](auto& ranks, auto& w) { return bench_smooth(ranks, w.options, w.smooth); });
  parts.add("resample", "Compare interpolations, also by the texture units of a GPU (seconds)",
            "batches", add_bench_resample_options,
            [](auto& ranks, auto& w) { return bench_resample(ranks, w.options, w.resample); });
  parts.add("gaussians", "Add 500 published Gaussians, with their terms in each memory (seconds)",
            "batches", add_bench_gaussians_options,
            [](auto& ranks, auto& w) { return bench_gaussians(ranks, w.options, w.gaussians); });
}

}  // namespace

// A subcommand per part, of which at most one is given. Each has the common options and its own.
void add_bench(CLI::App& app, Action& chosen) {
  CLI::App* const bench = app.add_subcommand("bench",
                                             "Measure the speed of this machine: without a "
                                             "subcommand three numbers, in less than a minute");
  bench->require_subcommand(0, 1);
  auto const words = std::make_shared<BenchWords>();
  add_bench_options(*bench, words->options, words->json, "batches");
  add_batch(*bench, words->options);
  add_grid(*bench, words->grid, "Points on each axis, for a shorter or longer measurement");
  set_action(*bench, words, chosen,
             [](auto& ranks, auto& w) { return bench_machine(ranks, w.options, w.sweep.grid); });
  BenchParts const parts{bench, words, &chosen};
  add_program_parts(parts);
  add_study_parts(parts);
}

}  // namespace isotherm::app
