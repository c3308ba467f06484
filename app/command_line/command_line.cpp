#include "app/command_line/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "app/bench/measure/bench_timing.hpp"
#include "app/command_line/app_parts.hpp"
#include "app/command_line/bench_command_line.hpp"
#include "app/command_line/choices.hpp"
#include "app/command_line/field_command_line.hpp"
#include "app/command_line/new_case.hpp"
#include "app/command_line/pictures/picture_command_line.hpp"
#include "app/command_line/sweep_command_line.hpp"
#include "app/command_line/word_advice.hpp"
#include "app/post/compare.hpp"
#include "app/post/info.hpp"
#include "app/post/plot/plot.hpp"
#include "app/post/report.hpp"
#include "app/post/verify.hpp"
#include "app/run/report/timeline_file.hpp"
#include "app/run/run.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/csv_table.hpp"
#include "case/basics/text/wording.hpp"
#include "case/basics/version.hpp"
#include "case/toml/option_spellings.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

// Each command has a function add_…(), which describes its options and sets `chosen` when CLI11 has
// parsed it. CLI11 stores values through pointers, so the options live in a shared object. The
// action owns that object together with the callback.
namespace {

/// Wraps an action that only prints on the root. Checks that the output was written, and returns
/// the root's exit code on all ranks. The check matters if standard output is a full disk or a
/// closed pipe: without it, the exit code would be 0 although the output is incomplete.
Action printing(Action work) {
  return [work = std::move(work)](mpi::Communicator const& ranks) {
    int const code = work(ranks);
    on_root(ranks, [&] {
      std::cout.flush();
      require(std::cout.good(), "cannot write the output (is the disk full?)");
    });
    return std::stoi(ranks.broadcast(std::to_string(code)));
  };
}

/// Wraps work that only the root performs. All ranks return its exit code. If the work throws, all
/// ranks throw; see on_root().
Action for_root(std::function<int()> work) {
  return printing([work = std::move(work)](mpi::Communicator const& ranks) {
    int code = exit_code::done;
    on_root(ranks, [&] { code = work(); });
    return code;
  });
}

/// Returns shared storage for the options of a command. Its action holds a copy of the pointer.
template <class Options>
std::shared_ptr<Options> shared_options() {
  return std::make_shared<Options>();
}

/// Returns the text of [run] wall_time for the value of --wall-time: "5400" becomes "1:30:00".
/// Other texts remain, and are checked together with the case.
std::string wall_time_text(std::string const& text) {
  bool const is_count = text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_count || text.size() > 8) return text;
  long const seconds = std::stol(text);
  return fmt::format("{}-{:02}:{:02}:{:02}", seconds / 86400, seconds / 3600 % 24,
                     seconds / 60 % 60, seconds % 60);
}

/// The words of `run`, before they are interpreted. --device, --output and --wall-time become
/// overrides of the case. They follow all values of --set and all words KEY=VALUE, so they replace
/// these.
struct RunWords {
  RunOptions options;
  std::vector<std::string> settings{};  ///< the words after the case file
  std::optional<std::string> device{}, output{}, wall_time{};
  std::optional<std::filesystem::path> timeline{};
  std::string resume_from;

  /// Interprets the words. @throws InputError  if the case file is missing, or if a word after it
  /// is not KEY=VALUE
  /// @param spellings  receives the options that became overrides
  [[nodiscard]] RunOptions resolved(OptionSpellings& spellings) const {
    RunOptions all = options;
    all.ends_process = true;
    std::vector<std::string> words = settings;
    if (!all.case_file.empty()) words.insert(words.begin(), all.case_file);
    if (resume_from.ends_with(".toml") && (words.empty() || is_setting(words.front()))) {
      all.case_file = resume_from;  // the optional value of --resume has consumed the case file
    } else {
      if (words.empty()) {
        throw InputError("run: the case file is missing (isotherm run CASE.toml)");
      }
      if (!resume_from.empty()) all.resume_from = resume_from;
      require_case_file(words.front());
      all.case_file = words.front();
      words.erase(words.begin());
    }
    for (std::string const& word : words) {
      require_setting(word, "isotherm run");
      all.overrides.push_back(word);
    }
    auto const set = [&](char const* key, std::string const& value, std::string const& option) {
      all.overrides.push_back(text_override(key, value));
      spellings.add(all.overrides.back(), option);
    };
    if (device) set("run.device", *device, "--device " + *device);
    if (output) set("output.directory", *output, "--output " + *output);
    if (wall_time) set("run.wall_time", wall_time_text(*wall_time), "--wall-time " + *wall_time);
    return all;
  }
};

/// Adds the options of `run` that have a value, and its argument.
void add_run_values(CLI::App& run, RunWords& words) {
  run.add_option("CASE", words.options.case_file, "The case file (TOML); - reads standard input")
      ->type_name("");
  run.add_option(
         "SETTINGS", words.settings,
         "Keys of the case to set, as with --set: isotherm run case.toml grid.points=[65,65]")
      ->type_name("KEY=VALUE");
  run.add_option("--set", words.options.overrides,
                 "Set a key of the case, e.g. --set method.iterations=50, or remove it: --set "
                 "'!method.tolerance'; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  run.add_option("--device", words.device, "The device to compute on (same as run.device)")
      ->type_name("auto|cuda|cpu");
  run.add_option("-o,--output", words.output, "Output directory (same as output.directory)")
      ->type_name("DIR");
  run.add_option("--wall-time", words.wall_time,
                 "Write a checkpoint and stop before this time is over, with exit code 75: "
                 "HH:MM:SS or a number of seconds (same as run.wall_time)")
      ->type_name("TIME");
  run.add_option("--timeline", words.timeline,
                 "Write what each rank and its GPU did when to this file, a trace for "
                 "https://ui.perfetto.dev; for short runs")
      ->type_name("FILE.json");
}

/// Adds the command `run`.
///
///     mpirun -n 4 isotherm run case.toml method.tolerance=1e-9 --output results
///     isotherm run case.toml --resume
///
/// --resume without a file resumes from the newest field in the output directory. CLI11 refuses
/// --resume-or-overwrite together with --resume or --overwrite. prepare_run() refuses --resume with
/// --overwrite if the file to resume from would be removed.
void add_run(CLI::App& app, Action& chosen) {
  auto const words = shared_options<RunWords>();
  CLI::App* const run = app.add_subcommand("run", "Run a case");
  add_run_values(*run, *words);
  CLI::Option* const resume =
      run->add_option("--resume", words->resume_from,
                      "Resume from FILE, or from the newest complete field in the output directory")
          ->type_name("[FILE]")
          ->expected(0, 1);
  CLI::Option* const overwrite =
      run->add_flag("--overwrite", words->options.overwrite,
                    "First remove the results of an earlier run from the output directory; with "
                    "--resume only if its FILE is in another directory");
  run->add_flag("--resume-or-overwrite", words->options.resume_or_overwrite,
                "Resume if the output directory contains a field to resume from, else start over "
                "as with --overwrite; for scripts that restart a run")
      ->excludes(resume)
      ->excludes(overwrite);
  run->add_flag("--dry-run", words->options.dry_run,
                "Check the case, report the memory and disk space that it needs, and estimate its "
                "run time from a few iterations; write nothing")
      ->excludes("--timeline");
  CLI::Option* const quiet = run->add_flag("--quiet", words->options.quiet, "Print errors only");
  run->add_flag("-v,--verbose", words->options.verbose,
                "Also report the decomposition, the transport of halos and the sweep plan; with "
                "errors, their location in the source code")
      ->excludes(quiet);
  run->callback([words, resume, &chosen] {
    // resolved() may throw, so a missing case file is reported while parsing.
    words->options.resume = resume->count() > 0;
    OptionSpellings spellings;
    RunOptions const options = words->resolved(spellings);
    chosen = [options, spellings, file = words->timeline](mpi::Communicator const& ranks) {
      auto const work = [&] {
        return spellings.in_messages([&] { return run_case(ranks, options); });
      };
      if (!file) return work();
      check_file_to_write(ranks, "--timeline", file);
      check_timeline_file(ranks, *file);
      return with_timeline(ranks, {*file, options.quiet}, work);
    };
  });
}

/// Adds the command `info`. All ranks compute the statistics of --statistics, so the action is
/// wrapped by printing(), not by for_root().
///
///     isotherm info results/u_000500.vtkhdf --statistics
void add_info(CLI::App& app, Action& chosen) {
  auto const options = shared_options<InfoOptions>();
  CLI::App* const info = app.add_subcommand("info", "Show the contents of a snapshot file");
  info->add_option("FILE", options->path, "A snapshot file, or a directory of snapshots")
      ->type_name("")
      ->required();
  info->add_flag("--json", options->json, "Print JSON");
  CLI::Option* const print_case =
      info->add_flag("--case", options->print_case, "Print the case that produced the file");
  info->add_flag("--verify", options->verify,
                 "Also check all values, like isotherm verify; exit code 2 if a file is damaged");
  info->add_flag(
          "--statistics", options->statistics,
          "Also print the minimum and maximum of each field with their locations, the mean, the l2 "
          "norm, and the number of values that are not finite; uses all ranks of an mpirun")
      ->excludes(print_case);
  info->callback([options, &chosen] {
    chosen =
        printing([options](mpi::Communicator const& ranks) { return show_info(ranks, *options); });
  });
}

/// Adds the command `verify`, which rank 0 executes.
///
///     isotherm verify results
void add_verify(CLI::App& app, Action& chosen) {
  auto const options = shared_options<VerifyOptions>();
  CLI::App* const verify_app = app.add_subcommand(
      "verify", "Check that result files are complete and undamaged; exit code 2 if one is not");
  verify_app
      ->add_option("FILE", options->paths, "Files, or directories: all results of a run in them")
      ->type_name("")
      ->required();
  verify_app->add_flag("--json", options->json, "Print JSON");
  verify_app->callback(
      [options, &chosen] { chosen = for_root([options] { return verify(*options); }); });
}

/// Validates the tolerance of `compare`. Returns an error message, or an empty text if the whole
/// text is a finite number of at least 0.
std::string finite_and_not_negative(std::string const& text) {
  std::istringstream stream(text);
  double number = 0.0;
  bool const good = stream >> number && stream.eof() && std::isfinite(number) && number >= 0.0;
  return good ? "" : text + " is not a finite number of at least 0";
}

/// Adds the command `compare`. All ranks share the work; the root prints.
///
///     isotherm compare results/a results/b --tolerance 1e-6
void add_compare(CLI::App& app, Action& chosen) {
  auto const options = shared_options<CompareOptions>();
  CLI::App* const compare_app =
      app.add_subcommand("compare",
                         "Compare two fields: norms of B - A, absolute and relative to those of A; "
                         "exit code 1 if above the tolerance");
  compare_app->add_option("A", options->a, "A snapshot, or a directory: its newest snapshot")
      ->type_name("")
      ->required();
  compare_app
      ->add_option("B", options->b,
                   "Another snapshot, or its directory; on another grid it is interpolated to the "
                   "points of A")
      ->type_name("")
      ->required();
  compare_app
      ->add_option("--tolerance", options->tolerance,
                   "Maximum accepted absolute difference at any point")
      ->check(finite_and_not_negative)
      ->type_name("T")
      ->capture_default_str();
  compare_app
      ->add_option("--relative-tolerance", options->relative_tolerance,
                   "Also accept differences of up to T times the largest |A|, such as 1e-12 for "
                   "fields that differ by rounding")
      ->check(finite_and_not_negative)
      ->type_name("T");
  compare_app->add_flag("--json", options->json, "Print JSON");
  compare_app->callback([options, &chosen] {
    chosen =
        printing([options](mpi::Communicator const& ranks) { return compare(ranks, *options); });
  });
}

/// Adds the command `plot`, which rank 0 executes.
///
///     isotherm plot results/residuals.csv other/residuals.csv --output residuals.svg
///     isotherm plot study.csv --columns equation.diffusivity,max --log x
void add_plot(CLI::App& app, Action& chosen) {
  auto const options = shared_options<PlotOptions>();
  auto const columns = shared_options<std::string>();
  CLI::App* const plot_app =
      app.add_subcommand("plot", "Draw tables (CSV) or measurements of bench as a picture");
  plot_app
      ->add_option("FILE", options->files,
                   "Tables with a header, directories of runs (their residuals), or files that "
                   "bench --json wrote; several become one picture")
      ->type_name("")
      ->required();
  plot_app
      ->add_option("-o,--output", options->output,
                   "The picture, PNG, SVG or PDF by its extension; default: the name of the first "
                   "file, with .png")
      ->type_name("NAME.png");
  plot_app->add_flag("--overwrite", options->overwrite, "Replace the picture if it exists");
  plot_app
      ->add_option("--columns", *columns,
                   "The column of the horizontal axis, then those to draw; of benchmarks the value")
      ->type_name("X,Y[,Y...]");
  plot_app
      ->add_option("--by", options->by,
                   "Draw a curve for each number in this column, at most ten of them")
      ->type_name("COLUMN");
  plot_app
      ->add_option("--log", options->log,
                   "The logarithmic axes; default: y for residuals, none for others")
      ->type_name("x|y|xy|none")
      ->transform(one_of<LogAxes>(
          {{"x", LogAxes::x}, {"y", LogAxes::y}, {"xy", LogAxes::both}, {"none", LogAxes::none}}));
  plot_app->add_option("--title", options->title, "The title; default: the name of the file")
      ->type_name("TEXT");
  plot_app
      ->add_option("--x-label", options->x_label,
                   "The label of the horizontal axis, with its unit; default: the column's name")
      ->type_name("TEXT");
  plot_app
      ->add_option("--y-label", options->y_label,
                   "The label of the vertical axis, with its unit; not of bars")
      ->type_name("TEXT");
  plot_app->callback([options, columns, &chosen] {
    if (!columns->empty()) options->columns = csv_cells(*columns);
    chosen = for_root([options] { return plot(*options); });
  });
}

/// Adds the command `report`, which rank 0 executes.
///
///     isotherm report results
void add_report(CLI::App& app, Action& chosen) {
  auto const options = shared_options<ReportOptions>();
  CLI::App* const report_app = app.add_subcommand(
      "report", "Write the report of a run, a page for browsers, from the files in its directory");
  report_app->add_option("DIR", options->directory, "The output directory of a run")
      ->type_name("")
      ->required();
  report_app
      ->add_option("-o,--output", options->output,
                   "The page; default: report.html in the directory")
      ->type_name("NAME.html");
  report_app->add_flag("--overwrite", options->overwrite,
                       "Replace the page even if isotherm has not written it");
  report_app->callback(
      [options, &chosen] { chosen = for_root([options] { return report(*options); }); });
}

/// Adds the command `new`.
///
///     isotherm new poisson > case.toml
void add_new(CLI::App& app, Action& chosen) {
  auto const kind = shared_options<std::string>();
  CLI::App* const start = app.add_subcommand("new", "Print a commented case file to start from");
  start->add_option("KIND", *kind, "The equation of the case")
      ->type_name(join(new_case_kinds(), "|"))
      ->required();
  start->callback([kind, &chosen] {
    chosen = for_root([kind] {
      std::cout << new_case(*kind);
      return exit_code::done;
    });
  });
}

/// Adds the command `help`: `isotherm help bench sweep` means `isotherm bench sweep --help`. The
/// words are passed to parse_command_line() again with --help, so misspelled commands get the usual
/// advice.
void add_help(CLI::App& app, Action& chosen) {
  std::vector<std::string> names{"help"};
  for (CLI::App const* const command : commands_of(app)) names.push_back(command->get_name());
  auto const words = shared_options<std::vector<std::string>>();
  CLI::App* const help = app.add_subcommand("help", "Print the help of a command");
  help->add_option("COMMAND", *words, "The command and its subcommand, e.g. help bench sweep")
      ->type_name(join(names, "|"));
  help->callback([words, &chosen] {
    std::vector<char const*> all{"isotherm"};
    for (std::string const& word : *words) all.push_back(word.c_str());
    all.push_back("--help");
    chosen = parse_command_line(static_cast<int>(all.size()), all.data());
  });
}

/// Returns the action of --help and --version: the root prints CLI11's text.
Action print(CLI::App const& app, CLI::Success const& asked) {
  std::ostringstream text;
  app.exit(asked, text, text);
  return for_root([text = text.str()] {
    std::cout << text;
    return exit_code::done;
  });
}

}  // namespace

void describe_program(CLI::App& app, Action& chosen) {
  app.name("isotherm");
  app.description(
      "Solves the Laplace, Poisson and diffusion equations on regular grids, in parallel on CPUs "
      "and GPUs.\n"
      "Start with:  isotherm new laplace > case.toml;  mpirun -n 2 isotherm run case.toml\n"
      "The word run may be left out:  isotherm case.toml");
  app.set_version_flag("-V,--version", [] { return version_text(); });
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 bad input, 3 tolerance not reached, 75 stopped by a signal "
      "or the time limit, with a checkpoint");
  add_run(app, chosen);
  add_info(app, chosen);
  add_verify(app, chosen);
  add_compare(app, chosen);
  add_field_commands(app, chosen);
  add_sweep_commands(app, chosen);
  add_picture_commands(app, chosen);
  add_plot(app, chosen);
  add_report(app, chosen);
  add_new(app, chosen);
  add_bench(app, chosen);
  add_help(app, chosen);
}

// CLI11 reports --help and --version as exceptions of the type Success. They are obeyed only if the
// command line has no unknown word; otherwise the message is about that word.
Action parse_command_line(int argc, char const* const* argv) {
  CLI::App app;
  Action chosen;
  describe_program(app, chosen);
  refuse_empty_words(argc, argv);
  std::vector<char const*> words(argv, argv + argc);
  if (argc > 1 && is_case_file(argv[1])) words.insert(words.begin() + 1, "run");
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (CLI::Success const& asked) {
    if (app.remaining(true).empty()) return print(app, asked);
    throw InputError(word_advice(app, asked));
  } catch (CLI::ParseError const& error) {
    throw InputError(word_advice(app, error));
  }
  return chosen;
}

}  // namespace isotherm::app
