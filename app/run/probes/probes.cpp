#include "app/run/probes/probes.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <utility>

#include "app/run/schedule/chunking.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/error.hpp"
#include "solver/methods.hpp"

// All ranks measure; only the root has tables. The tables are CSV files, see TableFile.

namespace isotherm::app {

namespace {

/// Returns true if the tables have a column for the time.
bool advances_time(Case const& chosen) { return method_named(chosen.method.name).advances_time; }

/// Returns the first line of a probe's table.
std::string heading_for(Case const& chosen, Probe const& probe) {
  return table_heading(probe, chosen.problem.grid.dimension, advances_time(chosen));
}

/// Returns the probes of an earlier case, or nothing if its text cannot be parsed, for example one
/// of an older version.
std::optional<std::vector<Probe>> probes_of(Case const& chosen, std::string const& case_text) try {
  return parse_case_like(chosen, case_text, "case.toml").probes;
} catch (InputError const&) {
  return std::nullopt;
}

/// Throws an error that begins with the place of the probe in the case, "[probe] name = …".
[[noreturn]] void refuse(Probe const& probe, std::string const& why) {
  throw InputError(probe.said + " goes into " + probe.table + ", " + why);
}

/// Refuses a table whose columns differ.
void require_same_heading(Case const& chosen, Probe const& probe) {
  auto const found = heading_of(chosen.output.directory / probe.table);
  std::string const wanted = heading_for(chosen, probe);
  if (!found || *found == wanted) return;
  refuse(probe, "which has other columns in the output directory: " + one_line(*found, 100) +
                    " (needs " + wanted + ": do not change the probe, or move that file)");
}

/// Refuses a table with older rows for a probe that the resumed run did not have. Such rows belong
/// to another probe, or end with a gap.
void require_no_rows_before(Case const& chosen, Probe const& probe, std::int64_t resumed_at) {
  auto const first = first_iteration_in(chosen.output.directory / probe.table);
  if (!first || *first >= resumed_at) return;
  refuse(probe,
         "which has older rows, although the run to resume has no such probe (move that file, or "
         "rename the probe)");
}

}  // namespace

/// Creates the meters on all ranks and opens the tables on the root.
Probes::Probes(mpi::Communicator const& ranks, Case const& chosen, Solver& solver, RunLog& log,
               std::optional<std::int64_t> resumed_at)
    : ranks_(ranks), case_(chosen), solver_(solver), log_(log), has_time_(advances_time(chosen)) {
  if (chosen.probes.empty()) return;
  rethrow_on_all_ranks(ranks_, [&] {
    for (Probe const& probe : case_.probes) {
      all_.push_back({&probe, make_probe_meter(ranks_, solver_.queue(), solver_.subdomain(),
                                               case_.problem, probe)});
    }
  });
  on_root(ranks_, [&] {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      Probe const& probe = case_.probes[i];
      all_[i].table.emplace(case_.output.directory / probe.table, heading_for(case_, probe),
                            resumed_at, rows_of(probe));
      // A resumed run keeps the rows up to its first iteration.
      all_[i].last = all_[i].table->known_up_to();
    }
  });
}

bool Probes::is_due(std::int64_t iteration) const {
  std::int64_t const every = case_.method.check_every;
  return iteration == 0 || (every > 0 && iteration % every == 0);
}

std::int64_t Probes::next(std::int64_t iteration, std::int64_t limit) const {
  return all_.empty() ? limit : next_multiple(iteration, case_.method.check_every, limit);
}

/// If no measurement is due at the first iteration, only tables without rows get one.
void Probes::measure_first() { measure(!is_due(solver_.iteration())); }

void Probes::measure_due() {
  if (is_due(solver_.iteration())) measure(false);
}

void Probes::measure_last() { measure(false); }

/// Measures each iteration only once, although several of the functions above may request it. The
/// stages are measuring on all ranks, and appending and writing rows on the root.
void Probes::measure(bool only_new_tables) {
  std::int64_t const iteration = solver_.iteration();
  if (all_.empty() || measured_at_ == iteration) return;
  if (!only_new_tables) measured_at_ = iteration;
  // On a device, the field may still be changing.
  solver_.wait();
  for (ProbeTable& one : all_) {
    auto const rows = one.meter->read(solver_.field_view(), solver_.time_s());
    // Before the root's table is examined: all ranks have the numbers.
    note_inflows(one, rows);
    if (!one.table) continue;
    bool const begins = one.last < 0;
    // A resumed run must not repeat the row of its first iteration.
    if (one.last < iteration && (begins || !only_new_tables)) take(one, rows);
    write(one);
  }
}

void Probes::note_inflows(ProbeTable const& one, std::vector<std::vector<double>> const& rows) {
  auto const* const asked = std::get_if<Probe::Quantities>(&one.probe->where);
  if (asked == nullptr) return;
  inflows_ = inflows_in(*asked, rows.front());
  inflows_at_ = solver_.iteration();
}

std::optional<Inflows> Probes::inflows() const {
  return inflows_at_ == solver_.iteration() ? inflows_ : std::nullopt;
}

/// Formats rows: iteration, time if the method advances it, and the numbers that were measured.
void Probes::take(ProbeTable& one, std::vector<std::vector<double>> const& rows) {
  std::string const moment = has_time_ ? fmt::format("{},{}", solver_.iteration(), solver_.time_s())
                                       : fmt::format("{}", solver_.iteration());
  for (std::vector<double> const& row : rows) {
    one.table->add(fmt::format("{},{}\n", moment, fmt::join(row, ",")));
  }
  one.last = solver_.iteration();
}

/// A full disk does not stop the computation: missing rows are written later.
void Probes::write(ProbeTable& one) {
  try {
    one.table->write();
    one.lags = false;
  } catch (Error const& failure) {
    // Reported once until writing succeeds again.
    if (std::exchange(one.lags, true)) return;
    log_.warning(one.table->path().filename().string() +
                 " could not be written: " + failure.what() +
                 "; the run continues and will write these rows with the next ones");
  }
}

/// Tries all tables and then throws the first error.
void Probes::finish() {
  if (all_.empty()) return;
  on_root(ranks_, [&] {
    std::exception_ptr first;
    for (ProbeTable& one : all_) {
      try {
        one.table->write();
      } catch (Error const&) {  // the other tables are written nevertheless
        if (!first) first = std::current_exception();
      }
    }
    if (first) std::rethrow_exception(first);
  });
}

/// Tables are identified by name: the same name must mean the same probe.
void require_same_probes(Case const& chosen, std::string const& former, std::int64_t resumed_at) {
  if (chosen.probes.empty()) return;
  auto const before = probes_of(chosen, former);
  for (Probe const& probe : chosen.probes) {
    require_same_heading(chosen, probe);
    if (!before) continue;  // the earlier case is unknown, so only the heading is compared
    auto const same = std::ranges::find(*before, probe.table, &Probe::table);
    if (same == before->end()) {
      require_no_rows_before(chosen, probe, resumed_at);
    } else if (*same != probe) {
      refuse(probe,
             "which the run to resume fills with other values (do not change the probe, or rename "
             "it)");
    }
  }
}

void check_probe_table(std::filesystem::path const& path) { check_table(path, "", "a probe"); }

}  // namespace isotherm::app
