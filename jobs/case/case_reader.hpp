#pragma once

#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "jobs/case/case_parts.hpp"

namespace isotherm {

/// Reads a case in two steps, between which the values that it has in files can be looked at: by
/// all ranks, each of which takes a share of them.
class CaseReader {
 public:
  /// Reads what is solved. The parameters are those of parse_case(), which has both steps.
  /// @param like  see parse_case_like(); has to live as long
  /// @throws InputError
  CaseReader(std::string text, std::string const& name, std::vector<std::string> overrides,
             Case const* like = nullptr);

  /// Looks at the values in files, and for the longest stable step where all points of a body have
  /// a say in it. Collective. @throws InputError  on every rank
  void look_together(mpi::Communicator const& ranks);

  /// Reads all the rest. Once. @throws InputError
  [[nodiscard]] Case finish();

 private:
  void find_longest_step(mpi::Communicator const& ranks);

  std::string text_;
  std::vector<std::string> overrides_;
  CaseDocument document_;
  Case chosen_{};
};

}  // namespace isotherm
