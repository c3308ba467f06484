#include "app/command_line/sweep_command_line.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/word_advice.hpp"
#include "app/sweep/run_table.hpp"
#include "app/sweep/sweep.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

/// Adds --columns.
void add_columns(CLI::App& app, std::vector<std::string>& columns) {
  app.add_option(
         "--columns", columns,
         "Columns of the table, separated by commas: varied keys, status, iterations, time, "
         "error, min, max, mean, flux.NAME, heat_balance.NAME, probe_NAME.COLUMN, wall_s, "
         "any value of summary.json, any key of the case")
      ->type_name("A,B,C")
      ->delimiter(',')
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// The words of `sweep`, before they are interpreted.
struct SweepWords {
  SweepOptions options;
  std::vector<std::string> settings{};  ///< the words after the case file
  std::optional<std::string> device{};

  /// Interprets the words. @throws InputError  if a word is not KEY=VALUE
  [[nodiscard]] SweepOptions resolved() const {
    SweepOptions all = options;
    require_case_file(all.case_file.string());
    for (std::string const& word : settings) {
      require_setting(word, "isotherm sweep");
      all.overrides.push_back(word);
    }
    if (device) {
      all.overrides.push_back(text_override("run.device", *device));
      all.spellings.add(all.overrides.back(), "--device " + *device);
    }
    return all;
  }
};

/// Adds the options of `sweep` that decide what is run.
void add_sweep_subject(CLI::App& sweep_app, SweepWords& words) {
  SweepOptions& options = words.options;
  sweep_app.add_option("CASE", options.case_file, "The case file (TOML)")
      ->type_name("")
      ->required();
  sweep_app
      .add_option("SETTINGS", words.settings, "Keys of the case to set in all runs, as with --set")
      ->type_name("KEY=VALUE");
  sweep_app
      .add_option("--over", options.over,
                  "A key and its values: KEY=1,2,5 or KEY=A:B:N (N numbers from A to B; A:B:N:log: "
                  "with equal ratios) or KEY=@FILE (a value on each line); or @FILE.csv (a line of "
                  "keys, then lines of values). If repeated, all combinations are run")
      ->type_name("KEY=VALUES")
      ->expected(1)
      ->allow_extra_args(false)  // a KEY=VALUE after it is a setting
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->required();
  sweep_app
      .add_option("--set", options.overrides, "Set a key of the case in all runs; may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sweep_app.add_option("--device", words.device, "The device to compute on (same as run.device)")
      ->type_name("auto|cuda|cpu");
}

/// Adds the command `sweep`.
///
///     isotherm sweep case.toml --over equation.diffusivity=0.1,0.2 --table results.csv --jobs 2
void add_sweep(CLI::App& app, Action& chosen) {
  auto const words = std::make_shared<SweepWords>();
  CLI::App* const sweep_app = app.add_subcommand(
      "sweep", "Run a case with all combinations of the values of some keys, and make a table");
  add_sweep_subject(*sweep_app, *words);
  SweepOptions& options = words->options;
  sweep_app
      ->add_option("-o,--output", options.output,
                   "Directory for the runs, each in a directory of its own; default: CASE-sweep")
      ->type_name("DIR");
  sweep_app
      ->add_option(
          "--table", options.table,
          "Write the table to this file: .csv, .json, or else aligned text (default: it is "
          "printed)")
      ->type_name("FILE");
  add_columns(*sweep_app, options.columns);
  sweep_app
      ->add_option("--jobs", options.jobs,
                   "Number of runs at the same time, which share the cores and the GPUs")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
  sweep_app->add_flag("--dry-run", options.dry_run,
                      "Check all cases and list the directories of the runs; run nothing");
  sweep_app->add_flag("--quiet", options.quiet, "Print errors only");
  sweep_app->callback([words, &chosen] {
    chosen = [options = words->resolved()](mpi::Communicator const& ranks) {
      return sweep(ranks, options);
    };
  });
}

/// Adds the command `table`.
///
///     isotherm table study/* --columns diffusivity,max --output results.csv
void add_table(CLI::App& app, Action& chosen) {
  auto const options = std::make_shared<TableOptions>();
  auto const format = std::make_shared<std::string>();
  CLI::App* const table =
      app.add_subcommand("table", "Make a table of the results of runs, a row for each run");
  table
      ->add_option("DIR", options->directories,
                   "Output directories of runs, or directories that contain such directories")
      ->type_name("")
      ->required();
  add_columns(*table, options->columns);
  table->add_option("--format", *format, "Default: that of the file's extension, else text")
      ->check(CLI::IsMember({"text", "csv", "json"}).description(""))
      ->type_name("text|csv|json");
  table
      ->add_option("-o,--output", options->file,
                   "Write the table to this file instead of printing it")
      ->type_name("FILE");
  table->add_flag("--overwrite", options->overwrite,
                  "Replace the file even if it is not a table of such runs");
  table->add_flag("--extrapolate", options->extrapolate,
                  "Runs on three or more grids, or with three time steps: add the results "
                  "extrapolated to a spacing or step of 0 (Richardson), error bars of the finest "
                  "ones, and the observed orders of convergence");
  table->callback([options, format, &chosen] {
    if (!format->empty()) options->format = format_for("table." + *format);
    chosen = [options](mpi::Communicator const& ranks) {
      int code = 0;
      on_root(ranks, [&] {
        code = make_table(*options);
        std::cout.flush();
        require(std::cout.good(), "cannot write the output (is the disk full?)");
      });
      return code;
    };
  });
}

}  // namespace

void add_sweep_commands(CLI::App& app, Action& chosen) {
  add_sweep(app, chosen);
  add_table(app, chosen);
}

}  // namespace isotherm::app
