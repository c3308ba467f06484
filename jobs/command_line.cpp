#include "jobs/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

#include "io/together.hpp"
#include "jobs/bench.hpp"
#include "jobs/bench_timing.hpp"
#include "jobs/compare.hpp"
#include "jobs/exit_code.hpp"
#include "jobs/info.hpp"
#include "jobs/new_case.hpp"
#include "jobs/run.hpp"
#include "jobs/text.hpp"
#include "jobs/version.hpp"
#include "jobs/wording.hpp"
#include "kernels/error.hpp"

namespace isotherm {

namespace {

/// An action for the root alone; all ranks return its exit code.
Action for_root(std::function<int()> work) {
  return [work = std::move(work)](mpi::Communicator const& ranks) {
    int code = exit_code::done;
    on_root(ranks, [&] {
      code = work();
      std::cout.flush();
      require(std::cout.good(), "the output cannot be written (is the disk full?)");
    });
    return std::stoi(ranks.broadcast(std::to_string(code)));
  };
}

/// Options keep their values in what `add` returns, so they live as long as the action does.
template <class Options>
std::shared_ptr<Options> kept() {
  return std::make_shared<Options>();
}

/// "run.directory" as a TOML string, whatever is in it.
std::string as_override(std::string const& key, std::string const& text) {
  std::string quoted;
  for (char const c : text) {
    quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  }
  return key + "=\"" + quoted + "\"";
}

struct RunWords {
  RunOptions options;
  std::optional<std::string> device{}, output{};
  std::string resume_from;

  /// What the words come to. @throws InputError  where the case file is missing
  [[nodiscard]] RunOptions resolved() const {
    RunOptions all = options;
    if (all.case_file.empty() && resume_from.ends_with(".toml")) {
      all.case_file = resume_from;  // `--resume case.toml` means the case
    } else if (!resume_from.empty()) {
      all.resume_from = resume_from;
    }
    if (all.case_file.empty()) {
      throw InputError("run: the case file is missing (isotherm run CASE.toml)");
    }
    if (device) {
      all.overrides.push_back(as_override("run.device", *device));
    }
    if (output) {
      all.overrides.push_back(as_override("output.directory", *output));
    }
    return all;
  }
};

/// Options of `run` that have a value.
void add_run_values(CLI::App& run, RunWords& words) {
  run.add_option("CASE", words.options.case_file, "The case file (TOML)")->type_name("");
  run.add_option("--set", words.options.overrides,
                 "Override a key of the case: --set method.iterations=50; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  run.add_option("--device", words.device, "Where to compute (same as run.device)")
      ->type_name("auto|cuda|cpu");
  run.add_option("--output", words.output, "Output directory (same as output.directory)")
      ->type_name("DIR");
}

void add_run(CLI::App& app, Action& chosen) {
  auto const words = kept<RunWords>();
  CLI::App* const run = app.add_subcommand("run", "Run a case");
  add_run_values(*run, *words);
  CLI::Option* const resume =
      run->add_option("--resume", words->resume_from,
                      "Go on from FILE, or from the newest whole field in the output directory")
          ->type_name("[FILE]")
          ->expected(0, 1);
  run->add_flag("--overwrite", words->options.overwrite,
                "Remove an earlier run's results from the output directory first");
  run->add_flag("--dry-run", words->options.dry_run,
                "Say how the case would run and whether it fits; compute and write nothing");
  run->add_flag("--quiet", words->options.quiet, "Print errors only");
  run->callback([words, resume, &chosen] {
    words->options.resume = resume->count() > 0;
    chosen = [options = words->resolved()](mpi::Communicator const& ranks) {
      return run_case(ranks, options);
    };
  });
}

void add_info(CLI::App& app, Action& chosen) {
  auto const options = kept<InfoOptions>();
  CLI::App* const info = app.add_subcommand("info", "Say what a snapshot file holds");
  info->add_option("FILE", options->path, "A snapshot, or a directory of them")
      ->type_name("")
      ->required();
  info->add_flag("--json", options->json, "Print JSON");
  info->add_flag("--case", options->print_case, "Print the case that made the file");
  info->callback(
      [options, &chosen] { chosen = for_root([options] { return show_info(*options); }); });
}

/// What is wrong with a number; empty where nothing is.
std::string finite_and_not_negative(std::string const& text) {
  std::istringstream stream(text);
  double number = 0.0;
  bool const good = stream >> number && stream.eof() && std::isfinite(number) && number >= 0.0;
  return good ? "" : text + " is not a finite number, 0 or more";
}

void add_compare(CLI::App& app, Action& chosen) {
  auto const options = kept<CompareOptions>();
  CLI::App* const compare_app = app.add_subcommand(
      "compare", "Norms of the difference of two fields; exit code 1 beyond the tolerance");
  compare_app->add_option("A", options->a, "A snapshot")->type_name("")->required();
  compare_app->add_option("B", options->b, "Another of the same shape")->type_name("")->required();
  compare_app->add_option("--tolerance", options->tolerance, "Largest difference that is accepted")
      ->check(finite_and_not_negative)
      ->type_name("T")
      ->capture_default_str();
  compare_app->add_flag("--json", options->json, "Print JSON");
  compare_app->callback(
      [options, &chosen] { chosen = for_root([options] { return compare(*options); }); });
}

void add_new(CLI::App& app, Action& chosen) {
  auto const kind = kept<std::string>();
  CLI::App* const start = app.add_subcommand("new", "Print a commented case to start from");
  start->add_option("KIND", *kind, "laplace, poisson or diffusion")->type_name("")->required();
  start->callback([kind, &chosen] {
    chosen = for_root([kind] {
      std::cout << new_case(*kind);
      return exit_code::done;
    });
  });
}

void add_bench_options(CLI::App& app, BenchOptions& options, std::string& json) {
  std::map<std::string, DeviceChoice> const devices{
      {"auto", DeviceChoice::automatic}, {"cuda", DeviceChoice::cuda}, {"cpu", DeviceChoice::cpu}};
  app.add_option("--device", options.device, "Where to compute")
      ->transform(CLI::CheckedTransformer(devices).description(""))
      ->type_name("auto|cuda|cpu");
  app.add_option("--repeat", options.repeat, "Timed batches; the median counts")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--json", json, "Write the numbers to this file too")->type_name("FILE");
}

std::vector<Precision> precisions_from(std::string const& word) {
  if (word == "both") return {Precision::float32, Precision::float64};
  return {word == "float32" ? Precision::float32 : Precision::float64};
}

struct BenchWords {
  BenchOptions options;
  SweepBenchOptions sweep;
  TuneOptions tune;
  HaloBenchOptions halo;
  ScalingBenchOptions scaling;
  std::string json, grid, output, dimension = "both", precision = "both";
  std::string parallel_precision = "float32";  ///< of halo and scaling
  std::string halo_transport = "all", scaling_transport = "auto";
  bool strong = false, weak = false;

  void resolve() {
    if (!json.empty()) {
      options.json = json;
    }
    if (!grid.empty()) {
      sweep.grid = halo.grid = scaling.grid = parse_extent(grid);
    }
    sweep.precisions = tune.precisions = precisions_from(precision);
    halo.precisions = scaling.precisions = precisions_from(parallel_precision);
    if (halo_transport != "all") {
      halo.transports = {transport_from_name(halo_transport)};
    }
    scaling.transport = transport_from_name(scaling_transport);
    if (strong || weak) {  // else both
      scaling.strong = strong;
      scaling.weak = weak;
    }
    if (dimension != "both") {
      tune.dimensions = {dimension == "2" ? 2 : 3};
    }
    if (!output.empty()) {
      tune.output = output;
    }
  }
};

void add_precision(CLI::App& app, std::string& precision) {
  app.add_option("--precision", precision, "Numbers")
      ->check(CLI::IsMember({"float32", "float64", "both"}).description(""))
      ->type_name("float32|float64|both")
      ->capture_default_str();
}

void add_grid(CLI::App& app, std::string& grid, std::string const& what) {
  app.add_option("--grid", grid, what + "; two numbers for 2D")->type_name("NxNxN");
}

/// What a sweep is of.
void add_sweep_subject(CLI::App& app, Equation& equation, BoundaryKind& boundary) {
  std::map<std::string, Equation> const equations{{"laplace", Equation::laplace},
                                                  {"diffusion", Equation::diffusion}};
  std::map<std::string, BoundaryKind> const kinds{{"dirichlet", BoundaryKind::dirichlet},
                                                  {"neumann", BoundaryKind::neumann},
                                                  {"periodic", BoundaryKind::periodic}};
  app.add_option("--equation", equation, "What a sweep does")
      ->transform(CLI::CheckedTransformer(equations).description(""))
      ->type_name("laplace|diffusion");
  app.add_option("--boundary", boundary,
                 "On all faces; laplace keeps its last axis's faces dirichlet")
      ->transform(CLI::CheckedTransformer(kinds).description(""))
      ->type_name("dirichlet|neumann|periodic");
}

void add_check_every(CLI::App& app, std::int64_t& check_every, std::string const& what) {
  app.add_option("--check-every", check_every, what)
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}).description(""))
      ->type_name("N")
      ->capture_default_str();
}

void add_bench_sweep_options(CLI::App& app, BenchWords& words) {
  add_grid(app, words.grid, "Points per axis");
  add_precision(app, words.precision);
  add_sweep_subject(app, words.sweep.equation, words.sweep.boundary);
  app.add_flag("--source", words.sweep.source, "Add a source (laplace becomes poisson)");
  add_check_every(app, words.sweep.check_every,
                  "Also time sweeps of which every Nth measures its residual; 0: do not");
  app.add_option("--plan", words.sweep.plan, "A plan's name, auto or all")
      ->type_name("NAME")
      ->capture_default_str();
}

void add_bench_halo_options(CLI::App& app, BenchWords& words) {
  app.add_option("--transport", words.halo_transport, "How halos travel")
      ->type_name("auto|staged|mpi|peer|nccl|all")
      ->capture_default_str();
  app.add_option("--largest", words.halo.largest_bytes,
                 "Leave out messages of more bytes between the ranks of the ring")
      ->check(CLI::Range(std::int64_t{4096}, std::int64_t{64} << 20).description(""))
      ->type_name("BYTES")
      ->capture_default_str();
  add_grid(app, words.grid, "Points per axis of the grid whose halo is exchanged");
  app.add_option("--depth", words.halo.depth,
                 "Of that halo, in points; default: the steps a pass of the plan of a run")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N");
  add_precision(app, words.parallel_precision);
}

void add_bench_scaling_options(CLI::App& app, BenchWords& words) {
  ScalingBenchOptions& scaling = words.scaling;
  add_grid(app, words.grid, "Points per axis, of all ranks (strong) or of each (weak)");
  add_precision(app, words.parallel_precision);
  add_sweep_subject(app, scaling.equation, scaling.boundary);
  app.add_option("--transport", words.scaling_transport, "How halos travel")
      ->type_name("auto|staged|mpi|peer|nccl")
      ->capture_default_str();
  app.add_option("--plan", scaling.plan, "A plan's name, or auto")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_flag("--strong", words.strong, "The grid on ever more ranks (default: this and --weak)");
  app.add_flag("--weak", words.weak, "The grid on each of ever more ranks");
  add_check_every(app, scaling.check_every, "Measure the residual of every Nth step; 0: of none");
  app.add_option("--steps", scaling.steps, "Also time so many steps from the first to the last")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}).description(""))
      ->type_name("N");
}

void add_bench_tune_options(CLI::App& app, BenchWords& words) {
  app.add_option("--dimension", words.dimension, "Grids")
      ->check(CLI::IsMember({"2", "3", "both"}).description(""))
      ->type_name("2|3|both")
      ->capture_default_str();
  add_precision(app, words.precision);
  app.add_flag("--quick", words.tune.quick, "Fewer and smaller grids: a few minutes");
  app.add_option("--largest", words.tune.largest, "Leave out grids of more points along an axis")
      ->check(CLI::Range(std::int64_t{8}, std::int64_t{1'000'000}).description(""))
      ->type_name("N");
  app.add_option("--output", words.output,
                 "Write the plan table, which runs can read, to this file")
      ->type_name("FILE");
}

void add_bench(CLI::App& app, Action& chosen) {
  CLI::App* const bench = app.add_subcommand("bench", "Measure this machine");
  bench->require_subcommand(1);
  auto const words = kept<BenchWords>();
  CLI::App* const sweep = bench->add_subcommand("sweep", "Time the sweeps, plan by plan");
  CLI::App* const classic =
      bench->add_subcommand("classic", "Time the classic cases, plan by plan");
  CLI::App* const tune = bench->add_subcommand("tune", "Find the fastest plans of this machine");
  CLI::App* const copy = bench->add_subcommand("copy", "Measure the copy rate");
  CLI::App* const halo =
      bench->add_subcommand("halo", "Time the transports between ranks: latency and bandwidth");
  CLI::App* const scaling =
      bench->add_subcommand("scaling", "Time steps on ever more of the ranks");
  for (CLI::App* const part : {sweep, tune, classic, copy, halo, scaling}) {
    add_bench_options(*part, words->options, words->json);
  }
  add_bench_sweep_options(*sweep, *words);
  add_bench_tune_options(*tune, *words);
  add_bench_halo_options(*halo, *words);
  add_bench_scaling_options(*scaling, *words);
  auto const runs = [words, &chosen](CLI::App* part, auto const& measure) {
    part->callback([words, &chosen, measure] {
      words->resolve();
      chosen = [words, measure](auto& ranks) {
        check_file_to_write(ranks, "--json", words->options.json);
        return measure(ranks, *words);
      };
    });
  };
  runs(sweep, [](auto& ranks, auto& w) { return bench_sweep(ranks, w.options, w.sweep); });
  runs(tune, [](auto& ranks, auto& w) { return bench_tune(ranks, w.options, w.tune); });
  runs(classic, [](auto& ranks, auto& w) { return bench_classic(ranks, w.options); });
  runs(copy, [](auto& ranks, auto& w) { return bench_copy(ranks, w.options); });
  runs(halo, [](auto& ranks, auto& w) { return bench_halo(ranks, w.options, w.halo); });
  runs(scaling, [](auto& ranks, auto& w) { return bench_scaling(ranks, w.options, w.scaling); });
}

/// CLI11 would only miss a known command. @throws InputError  where the first word is none
void check_command(CLI::App const& app, int argc, char const* const* argv) {
  if (argc < 2 || argv[1][0] == '-') {
    return;
  }
  std::string const word = argv[1];
  std::vector<std::string> names;
  for (CLI::App const* const command : app.get_subcommands([](auto const*) { return true; })) {
    names.push_back(command->get_name());
  }
  if (std::find(names.begin(), names.end(), word) == names.end()) {
    std::string const near = nearest_name(word, names);
    throw InputError(isotherm::quoted(word) + " is not a command (" +
                     (near.empty() ? "there are " + join(names) : "did you mean " + near + "?") +
                     ")");
  }
}

/// The text of --help and --version, for the root to print.
Action print(CLI::App const& app, CLI::Success const& asked) {
  std::ostringstream text;
  app.exit(asked, text, text);
  return for_root([text = text.str()] {
    std::cout << text;
    return exit_code::done;
  });
}

}  // namespace

Action parse_command_line(int argc, char const* const* argv) {
  CLI::App app(
      "Solves the Laplace, Poisson and diffusion equations on CPUs and GPUs, in parallel.\n"
      "Start with:  isotherm new laplace > case.toml;  mpirun -n 2 isotherm run case.toml",
      "isotherm");
  app.set_version_flag("--version", [] { return version_text(); });
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 bad input, 3 tolerance not reached, 75 stopped with a "
      "checkpoint");
  Action chosen;
  add_run(app, chosen);
  add_info(app, chosen);
  add_compare(app, chosen);
  add_new(app, chosen);
  add_bench(app, chosen);
  check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (CLI::Success const& asked) {
    return print(app, asked);
  } catch (CLI::ParseError const& error) {
    throw InputError(std::string(error.what()) + " (see isotherm --help)");
  }
  return chosen;
}

}  // namespace isotherm
