#include "app/command_line/manual/man_page.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <sstream>
#include <string_view>

#include "app/command_line/app_parts.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/wording.hpp"

// The manual page is generated from the command line's description and the tables below, which
// contain the parts that --help does not have.
namespace isotherm::app {
namespace {

/// A term and its explanation.
struct Entry {
  std::string_view name, text;
};

constexpr std::string_view description =
    "A case file describes the problem: a grid, an equation, its boundary conditions and a method. "
    "A "
    "run leaves the fields (for ParaView, and to resume from), a picture, tables of residuals and "
    "a summary in the output directory.\n"
    "Each command can be started by itself; run and bench also on many ranks, by mpirun or srun. A "
    "rank takes one GPU, where there are any, or its share of the cores.";

/// Section ENVIRONMENT.
constexpr std::array environment{
    Entry{"ISOTHERM_PLAN_TABLE", "The plan table of runs whose case names none; /dev/null: none."},
    Entry{"XDG_CONFIG_HOME",
          "Where the user's own plan table is looked for, instead of in ~/.config."},
    Entry{"XDG_CACHE_HOME",
          "Where plans that a first run has measured are kept, instead of in ~/.cache."},
    Entry{"HOME", "The folder that contains ~/.config and ~/.cache."},
    Entry{"OMP_NUM_THREADS", "How many threads a rank has on a CPU."},
    Entry{"OMP_WAIT_POLICY",
          "passive: threads that wait for each other sleep at once; active: they spin."},
    Entry{"GOMP_SPINCOUNT",
          "How often such threads look for each other before they sleep; 5000 if neither is set."},
    Entry{"CUDA_VISIBLE_DEVICES", "The GPUs that ranks may take."},
    Entry{"TERM", "If it is dumb or not set, no progress bar is drawn."},
    Entry{"NO_COLOR", "If it is set and not empty, no progress bar is drawn."},
    Entry{"SLURM_JOB_END_TIME",
          "When the job ends, as SLURM sets it: the run writes a checkpoint and stops before."},
    Entry{"ISOTHERM_PATIENCE_S",
          "After how many seconds without progress a run of several ranks reports it; 0: never."},
    Entry{"ISOTHERM_DEBUG", "If set, messages about failures name their place in the sources."},
};

/// Section FILES.
constexpr std::array files{
    Entry{"~/.config/isotherm/plans.toml",
          "The user's own plan table, as isotherm bench tune writes it."},
    Entry{"share/isotherm/cases", "Cases to copy from, where isotherm was installed."},
    Entry{"share/isotherm/slurm", "Job scripts."},
    Entry{"share/doc/isotherm", "The documents; docs/README.md says where to find what."},
    Entry{"u_*.vtkhdf, u.xmf", "In the output directory: the fields, and a list of them to open."},
    Entry{"summary.json, residuals.csv, run.log, case.toml",
          "There, too: all numbers of the run, its residuals, what it printed, and the case."},
    Entry{"report.html", "There, too: a page about the run, for browsers."},
    Entry{"probe_*.csv, quantities.csv",
          "There, too, where the case asks for them: what was measured while it ran."},
};

/// Section EXAMPLES.
constexpr std::array examples{
    Entry{"isotherm new laplace > case.toml", "A commented case to start from."},
    Entry{"isotherm run case.toml --dry-run", "What it would need: memory, disk space, time."},
    Entry{"mpirun -n 4 isotherm run case.toml --set method.tolerance=1e-9",
          "Solve it on four ranks, with another tolerance."},
    Entry{"isotherm run case.toml --resume", "Resume a stopped run."},
    Entry{"isotherm sweep case.toml --over equation.source=1,2,5 --table results.csv",
          "Solve it with three values of a key, and make a table."},
};

/// An exit code and its meaning.
struct ExitCode {
  int code;
  std::string_view text;
};
constexpr std::array exit_codes{
    ExitCode{exit_code::done, "Done; where a tolerance was asked for, it is reached."},
    ExitCode{exit_code::failed,
             "Something failed on the way; or the fields that were compared differ."},
    ExitCode{exit_code::bad_input,
             "The input is wrong: nothing was computed and nothing overwritten. Or a file that was "
             "verified is damaged."},
    ExitCode{exit_code::not_converged,
             "The tolerance was not reached, or a time step could not be solved."},
    ExitCode{exit_code::stopped,
             "A run was stopped, by a signal or as its time was over, and has written a "
             "checkpoint: it can be resumed."},
};

/// Escapes a text for roff. Hyphens and quotes remain ASCII characters, so users can search for
/// them and copy them. The escapes are those that groff_man(7) recommends: \- \(ha \(ti \(aq \(ga
/// \(dq and \e.
std::string plain(std::string_view text) {
  std::string all;
  for (char const c : text) {
    switch (c) {
      case '\\':
        all += "\\e";
        break;
      case '-':
        all += "\\-";
        break;
      case '^':
        all += "\\(ha";
        break;
      case '~':
        all += "\\(ti";
        break;
      case '\'':
        all += "\\(aq";
        break;
      case '`':
        all += "\\(ga";
        break;
      case '"':
        all += "\\(dq";
        break;
      default:
        all += c;
    }
  }
  return all;
}

// Font changes of roff: the text in bold or italic, then the regular font again.
std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

/// Formats lines of text as paragraphs. A leading dot is escaped, because it would begin a request.
std::string prose(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::string all;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty()) continue;
    all += (all.empty() ? "" : ".PP\n") + std::string(line[0] == '.' ? "\\&" : "") + plain(line) +
           '\n';
  }
  return all;
}

/// Begins a section.
std::string section(std::string_view title) { return ".SH " + std::string(title) + '\n'; }

/// Formats a term and, indented below, its explanation. In roff: ".TP", the term on a line, and the
/// explanation.
std::string item(std::string const& term, std::string_view text) {
  return ".TP\n" + term + '\n' + prose(text);
}

/// Formats all entries of a table.
template <class Entries>
std::string items(Entries const& entries) {
  std::string all;
  for (Entry const& entry : entries) all += item(bold(entry.name), entry.text);
  return all;
}

/// Appends a full stop, which help texts lack.
std::string full_sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

/// Returns "Not together with --quiet." for an option that excludes others; else an empty text.
std::string exclusions(CLI::Option const& option) {
  std::vector<std::string> names;
  for (CLI::Option const* const other : option.get_excludes()) names.push_back(other->get_name());
  return names.empty() ? "" : " Not together with " + join(names, ", ") + '.';
}

/// Formats an option: its names, type, description, default and exclusions.
std::string option_item(CLI::Option const& option) {
  std::string term;
  for (std::string const& name : names_of(option)) term += (term.empty() ? "" : ", ") + bold(name);
  if (!option.get_type_name().empty()) term += ' ' + italic(option.get_type_name());
  std::string const fallback = option.get_default_str();
  return item(term, full_sentence(option.get_description()) +
                        (fallback.empty() ? "" : " Default: " + fallback + '.') +
                        exclusions(option));
}

/// Formats a positional argument.
std::string argument_item(CLI::Option const& argument) {
  std::string const type = argument.get_type_name();
  return item(italic(argument.get_name()) + (type.empty() ? "" : " (" + plain(type) + ')'),
              full_sentence(argument.get_description()));
}

/// Returns the usage of a command: "isotherm run [OPTIONS] [CASE]".
std::string usage(CLI::App const& app, std::string const& name) {
  std::string line = bold(name) + " [" + italic("OPTIONS") + ']';
  if (!commands_of(app).empty()) line += ' ' + italic("COMMAND");
  for (CLI::Option const* const argument : arguments_of(app)) {
    bool const many = argument->get_items_expected_max() > 1;
    std::string const word = italic(argument->get_name()) + (many ? " ..." : "");
    line += ' ' + (argument->get_required() ? word : '[' + word + ']');
  }
  return line;
}

/// Calls `tell` with each command below `app` and its full name, depth first.
template <class Tell>
void for_each_command(CLI::App const& app, std::string const& name, Tell const& tell) {
  for (CLI::App const* const command : commands_of(app)) {
    std::string const full_name = name + ' ' + command->get_name();
    tell(*command, full_name);
    for_each_command(*command, full_name, tell);
  }
}

/// Formats section SYNOPSIS: the usage of all commands without subcommands.
std::string synopsis(CLI::App const& app) {
  std::string all;
  for_each_command(app, app.get_name(), [&](CLI::App const& command, std::string const& name) {
    if (commands_of(command).empty())
      all += (all.empty() ? "" : ".br\n") + usage(command, name) + '\n';
  });
  return all;
}

/// Formats all options of a command.
std::string options(CLI::App const& app) {
  std::string all;
  for (CLI::Option const* const option : options_of(app)) all += option_item(*option);
  return all;
}

/// Formats section COMMANDS: usage, description, arguments and options of each command. Subcommands
/// such as "bench sweep" get a subsection of their own, under their full name.
std::string commands(CLI::App const& app) {
  std::string all;
  for_each_command(app, app.get_name(), [&](CLI::App const& command, std::string const& name) {
    all += ".SS " + usage(command, name) + '\n' + prose(full_sentence(command.get_description()));
    for (CLI::Option const* const argument : arguments_of(command)) all += argument_item(*argument);
    all += options(command);
  });
  return all;
}

/// Formats section EXIT STATUS.
std::string exit_status() {
  std::string all;
  for (auto const& [code, text] : exit_codes) all += item(bold(std::to_string(code)), text);
  return all;
}

}  // namespace

std::string man_page(CLI::App const& app, std::string const& version, std::string const& date) {
  std::string const& name = app.get_name();
  return ".TH ISOTHERM 1 \"" + plain(date) + "\" \"" + plain(name + ' ' + version) +
         "\" \"User Commands\"\n" + section("NAME") + plain(name) +
         " \\- solve the Laplace, Poisson and diffusion equations on regular grids\n" +
         section("SYNOPSIS") + synopsis(app) + section("DESCRIPTION") +
         prose(app.get_description()) + ".PP\n" + prose(description) + section("OPTIONS") +
         options(app) + section("COMMANDS") + commands(app) + section("EXIT STATUS") +
         exit_status() + section("ENVIRONMENT") + items(environment) + section("FILES") +
         items(files) + section("EXAMPLES") + items(examples) + section("SEE ALSO") +
         ".BR mpirun (1),\n.BR srun (1),\n.BR sbatch (1),\n.BR h5dump (1)\n";
}

}  // namespace isotherm::app
