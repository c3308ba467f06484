#include "case/stop_criterion.hpp"

#include <algorithm>
#include <sstream>

#include "case/basics/text/wording.hpp"
#include "case/expressions/expression.hpp"
#include "case/sections/parts.hpp"
#include "solver/discretise/flux/heat_content.hpp"
#include "solver/methods.hpp"

namespace isotherm {
namespace {

/// The quantities that a criterion may name. The flux is none of them, because it is several
/// numbers.
constexpr std::array stop_quantities{Quantity::max,      Quantity::min,  Quantity::mean,
                                     Quantity::integral, Quantity::heat, Quantity::energy};

constexpr char const* examples =
    R"((needs a quantity, < or >, and a number, as in "max < 300" or "probe centre > 50"))";

/// Returns the text without blanks at its ends, and with single blanks between words.
std::string in_words(std::string const& text) {
  std::istringstream stream(text);
  std::string all;
  for (std::string word; stream >> word;) all += (all.empty() ? "" : " ") + word;
  return all;
}

/// Returns the place of a probe, which must measure a single value.
Probe::Where place_of_probe(CaseSection const& method, std::string const& name,
                            std::vector<Probe> const& probes) {
  auto const found = std::ranges::find(probes, "probe_" + name + ".csv", &Probe::table);
  if (found == probes.end()) {
    method.fail("stop", "names the probe " + in_quotes(name) +
                            ", which the case does not have (needs the name of a [[probe]])");
  }
  if (!std::holds_alternative<Probe::Point>(found->where)) {
    method.fail("stop", "names the probe " + in_quotes(name) +
                            ", which measures several values (needs a point: a [[probe]] with at)");
  }
  return found->where;
}

/// Returns what the left side of a criterion measures.
Probe::Where read_subject(CaseSection const& method, std::string const& subject,
                          Problem const& problem, std::vector<Probe> const& probes) {
  constexpr std::string_view probe = "probe ";
  if (subject.starts_with(probe)) {
    return place_of_probe(method, subject.substr(probe.size()), probes);
  }
  auto const* const found = std::ranges::find(
      stop_quantities, subject, [](Quantity quantity) { return std::string_view(name(quantity)); });
  if (found == stop_quantities.end()) {
    std::string all = "probe NAME";
    for (Quantity const one : stop_quantities) all += std::string(", ") + name(one);
    method.fail("stop", "measures " + in_quotes(subject) + " (needs one of " + all + ")");
  }
  if (*found == Quantity::heat && problem.equation != Equation::diffusion) {
    method.fail("stop", "measures heat, which a steady problem does not have");
  }
  if (*found == Quantity::heat && !counts_heat_from_zero(problem)) {
    method.fail(
        "stop",
        "measures heat, but the capacity is not a positive number at u = 0, from which heat "
        "is counted");
  }
  return Probe::Quantities{{*found}, {}};
}

/// Returns the number on the right side of a criterion, which may be an expression of constants.
double read_threshold(CaseSection const& method, std::string const& text,
                      Constants const& constants) {
  if (text.empty()) method.fail("stop", std::string("has no number ") + examples);
  try {
    return constant_value(text, constants);
  } catch (InputError const& error) {
    method.fail("stop", std::string("compares with ") + error.what());
  }
}

}  // namespace

/// A criterion is a text of three parts: what is measured, "<" or ">", and a number.
///
///     [method]
///     stop = "probe centre < 200"
std::optional<StopCriterion> read_stop(CaseDocument const& document, Problem const& problem,
                                       MethodSettings const& method,
                                       std::vector<Probe> const& probes) {
  CaseSection const section = document.section("method");
  if (!section.has("stop")) return std::nullopt;
  if (method.check_every == 0) {
    section.fail("check_every",
                 "is 0, but stop is judged at checks (needs 1 or more, or leave it out)");
  }
  std::string const text = in_words(section.text("stop"));
  auto const at = text.find_first_of("<>");
  if (at == std::string::npos) {
    section.fail("stop", "is " + in_quotes(text) + ", which compares nothing " + examples);
  }
  StopCriterion stop;
  stop.text = text;
  stop.below = text[at] == '<';
  stop.where = read_subject(section, in_words(text.substr(0, at)), problem, probes);
  stop.threshold = read_threshold(section, in_words(text.substr(at + 1)), document.constants);
  return stop;
}

}  // namespace isotherm
