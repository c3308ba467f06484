#pragma once

#include <string>
#include <vector>

#include "case/sections/parts.hpp"
#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// Reads a case in two steps, between which all ranks check the values in files together.
///
/// The check needs the grid, but the method needs its results: the longest stable time step of a
/// heterogeneous medium. Each rank inspects a share of the points.
///
///     CaseReader reader(text, "case.toml", {});   // each rank parses the same text
///     reader.check_on_all_ranks(ranks);           // collective
///     Case const chosen = reader.finish();
class CaseReader {
 public:
  /// Parses the text and reads the problem: grid, equation, boundary, medium, source, initial
  /// condition. The parameters are those of parse_case(), which performs both steps without the
  /// check.
  /// @param like  see parse_case_like(); must outlive the reader
  /// @param ranks  the number of ranks that share the grid's memory; 0: it is not checked
  /// @throws InputError  if the case is invalid
  CaseReader(std::string text, std::string const& name, std::vector<std::string> overrides,
             Case const* like = nullptr, int ranks = 0);

  /// Checks all values in files, and computes the longest stable time step if it depends on every
  /// point of a heterogeneous medium. Collective.
  /// @throws InputError  on every rank
  void check_on_all_ranks(mpi::Communicator const& ranks);

  /// Reads the remaining sections and returns the case. Call it once.
  /// @throws InputError  if the case is invalid
  [[nodiscard]] Case finish();

 private:
  /// Sets CaseDocument::longest_step_s if the method is explicit and the medium heterogeneous.
  /// Collective.
  void find_longest_step(mpi::Communicator const& ranks);

  /// The text of the case, which becomes Case::text if it needs no change.
  std::string text_;
  /// Assignments such as "method.iterations=50", already applied to the document.
  std::vector<std::string> overrides_;
  /// The parsed document. Readers append the files that they open to CaseDocument::data.
  CaseDocument document_;
  /// The result. The readers fill it section by section, and finish() moves it out.
  Case chosen_{};
};

}  // namespace isotherm
