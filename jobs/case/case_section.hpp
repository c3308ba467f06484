#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/case/expression_names.hpp"
#include "jobs/case/toml_document.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

class DataField;

/// What functions of this case may name, and where they find values in files.
struct FunctionScope {
  int dimension = 3;  ///< 2: not z
  bool time = false;  ///< t
  Constants const& constants;
  std::string const& case_file;  ///< that names of files are relative to
  std::vector<std::shared_ptr<DataField>>* data =
      nullptr;                 ///< where those are kept that are settled
  Grid const* grid = nullptr;  ///< null where it is not known yet, and files cannot be settled
  std::optional<Face> face{};  ///< whose points values belong to; none: the grid's
  /// Those that are known already, in the order in which they are settled; null where none are.
  std::vector<std::shared_ptr<DataField>> const* known = nullptr;
};

/// Settles a function's file, if it has one.
void settle_data(ScalarFunction& function, FunctionScope const& scope);

/// A table of a case, or of another document, whose keys and types have been checked (check_keys);
/// reads its values.
///
/// Every reader throws InputError "PLACE: [section] key …" where a value is out of its range, or
/// where a key without a fallback is missing.
class CaseSection {
 public:
  /// The section `name` of `root`; one without keys where it is missing.
  /// @param file  the place that messages name where there is no line to name
  static CaseSection of(TomlTable const& root, std::string const& name, std::string const& file);
  CaseSection(TomlTable table, std::string path);

  [[nodiscard]] bool has(std::string const& key) const { return table_.find(key) != nullptr; }
  [[nodiscard]] bool empty() const { return table_.entries.empty(); }

  [[nodiscard]] std::string text(std::string const& key, std::string const& fallback) const;
  [[nodiscard]] std::string text(std::string const& key) const;
  [[nodiscard]] bool flag(std::string const& key, bool fallback) const;
  /// A whole number from `least` to most_iterations, which no count in a document needs to exceed.
  [[nodiscard]] std::int64_t whole(std::string const& key, std::int64_t fallback,
                                   std::int64_t least) const;
  [[nodiscard]] double number(std::string const& key, double fallback) const;
  /// A number above 0.
  [[nodiscard]] double positive(std::string const& key, double fallback) const;
  [[nodiscard]] double positive(std::string const& key) const;
  [[nodiscard]] bool is_number(std::string const& key) const;
  [[nodiscard]] bool is_flag(std::string const& key) const;
  [[nodiscard]] std::vector<double> numbers(std::string const& key) const;
  [[nodiscard]] std::vector<std::int64_t> wholes(std::string const& key) const;
  [[nodiscard]] std::vector<std::string> texts(std::string const& key) const;
  /// A list of one number an axis; z is 0 in 2D.
  [[nodiscard]] PerAxis<double> place(std::string const& key, int dimension) const;
  /// A number, an expression, or values in a file.
  [[nodiscard]] ScalarFunction function(std::string const& key, double fallback,
                                        FunctionScope const& scope) const;
  /// The same for all axes, or a list of one for each; where the key is missing,
  /// the fallback. In 2D a list says nothing of z, which keeps the fallback.
  [[nodiscard]] PerAxis<ScalarFunction> functions(std::string const& key, double fallback,
                                                  FunctionScope const& scope) const;
  [[nodiscard]] bool is_list(std::string const& key) const;
  [[nodiscard]] CaseSection section(std::string const& key) const;
  /// The tables of a list; none where the key is missing.
  [[nodiscard]] std::vector<CaseSection> sections(std::string const& key) const;

  /// Where `key` is said: "case.toml:12: [section] key".
  [[nodiscard]] std::string place_of(std::string const& key) const;

  /// Throws InputError "PLACE: [section] key WHAT"; the place is the section's where the key is
  /// missing.
  [[noreturn]] void fail(std::string const& key, std::string const& what) const;
  /// Throws where `key` is there, though it can have no effect.
  void refuse(std::string const& key, std::string const& what) const;
  /// Throws where `key` is missing; `needs` says what it takes.
  void require_key(std::string const& key, std::string const& needs) const;

 private:
  [[nodiscard]] TomlValue const& value(std::string const& key) const;
  [[nodiscard]] ScalarFunction as_data(std::string const& key, TomlTable const& table,
                                       FunctionScope const& scope, std::string const& along) const;
  [[nodiscard]] ScalarFunction as_function(std::string const& key, TomlValue const& value,
                                           FunctionScope const& scope,
                                           std::string const& along = "") const;
  [[noreturn]] void fail_count(std::string const& key, std::size_t count, int dimension) const;

  TomlTable table_;
  std::string path_;
};

}  // namespace isotherm
