#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "case/expressions/expression_names.hpp"
#include "case/toml/toml_document.hpp"
#include "solver/problem/problem.hpp"

// Typed access to the keys of one table of a case, with messages that name file, line and key.
//
//     CaseSection const method = document.section("method");
//     method.require_key("steps", "a number of time steps");
//     auto const steps = method.whole("steps", 0, 1);      // default 0, minimum 1
//     if (steps % 2 != 0) method.fail("steps", "is odd");  // "case.toml:7: [method] steps is odd"

namespace isotherm {

class DataField;

/// The names that functions of a case may use, and how their values in files are found.
///
/// The references and pointers refer to the CaseDocument and the Problem, which must outlive it.
/// CaseDocument::scope() makes one:
///
///     FunctionScope const scope = document.scope(problem, false);
///     ScalarFunction const source = section.function("source", 0.0, scope);
struct FunctionScope {
  int dimension = 3;   ///< in 2D, functions may not name z
  bool time = false;   ///< whether functions may name t
  bool field = false;  ///< whether functions may name u, the value of the field
  Constants const& constants;
  std::string const& case_file;  ///< the case file, the base of relative paths
  std::vector<std::shared_ptr<DataField>>* data = nullptr;  ///< receives the files that are opened
  Grid const* grid = nullptr;  ///< the grid; null if it is not known yet, so files cannot be opened
  /// The face to whose points values belong; none: the points of the grid.
  std::optional<Face> face{};
  /// Files that are open already, in the order of the case; null if there are none. See
  /// parse_case_like().
  std::vector<std::shared_ptr<DataField>> const* known = nullptr;
};

/// Opens the file of a function, if it has one, or reuses one from `scope.known`.
void settle_data(ScalarFunction& function, FunctionScope const& scope);

/// A table of a case or of another document; reads its values.
///
/// @pre check_keys() has accepted the document, so each key is known and has the right type
/// @throws InputError  "PLACE: [section] key …" from each reader, if a value is out of range or a
///        key without default is missing
class CaseSection {
 public:
  /// Returns the section `name` of `root`; one without keys if it is missing.
  /// @param file  the place for messages about a section that has no line
  static CaseSection of(TomlTable const& root, std::string const& name, std::string const& file);
  /// Wraps a table whose name in messages is `path` ("initial.box").
  CaseSection(TomlTable table, std::string path);

  [[nodiscard]] bool has(std::string const& key) const { return table_.find(key) != nullptr; }
  [[nodiscard]] bool empty() const { return table_.entries.empty(); }

  /// Returns a text of one line without control characters, which is not blank.
  [[nodiscard]] std::string text(std::string const& key, std::string const& fallback) const;
  [[nodiscard]] std::string text(std::string const& key) const;
  [[nodiscard]] bool flag(std::string const& key, bool fallback) const;
  /// Returns a whole number from `minimum` to max_iterations (2^52), which no count needs to
  /// exceed.
  [[nodiscard]] std::int64_t whole(std::string const& key, std::int64_t fallback,
                                   std::int64_t minimum) const;
  /// Returns a finite number, which may be written with or without a decimal point.
  [[nodiscard]] double number(std::string const& key, double fallback) const;
  /// Returns a number above 0.
  [[nodiscard]] double positive(std::string const& key, double fallback) const;
  [[nodiscard]] double positive(std::string const& key) const;
  /// Returns whether the key is present and its value is not a text.
  [[nodiscard]] bool is_number(std::string const& key) const;
  [[nodiscard]] bool is_flag(std::string const& key) const;
  /// Returns a list of numbers, of any length. The key must be present.
  [[nodiscard]] std::vector<double> numbers(std::string const& key) const;
  [[nodiscard]] std::vector<std::int64_t> wholes(std::string const& key) const;
  /// Returns a list of texts, of any length. @pre  the key is present
  [[nodiscard]] std::vector<std::string> texts(std::string const& key) const;
  /// Returns a list with one number per axis; z is 0 in 2D.
  [[nodiscard]] PerAxis<double> place(std::string const& key, int dimension) const;
  /// Returns a number, an expression, or values in a file, as a function of place and time.
  [[nodiscard]] ScalarFunction function(std::string const& key, double fallback,
                                        FunctionScope const& scope) const;
  /// Returns one function per axis, from a list or from a single one that holds for all axes. A
  /// list in 2D has no entry for z, which keeps the fallback. If the key is missing, all axes have
  /// it.
  [[nodiscard]] PerAxis<ScalarFunction> functions(std::string const& key, double fallback,
                                                  FunctionScope const& scope) const;
  [[nodiscard]] bool is_list(std::string const& key) const;
  [[nodiscard]] bool is_table(std::string const& key) const;
  /// Returns the table that is the value of `key`. @pre  the key is present
  [[nodiscard]] CaseSection section(std::string const& key) const;
  /// Returns the tables of a list; none if the key is missing.
  [[nodiscard]] std::vector<CaseSection> sections(std::string const& key) const;

  /// Returns the place of `key` for messages: "case.toml:12: [section] key".
  [[nodiscard]] std::string place_of(std::string const& key) const;

  /// Throws InputError "PLACE: [section] key WHAT". If the key is missing, the place is that of the
  /// section.
  [[noreturn]] void fail(std::string const& key, std::string const& what) const;
  /// Throws if `key` is present although it has no effect.
  void refuse(std::string const& key, std::string const& what) const;
  /// Throws if `key` is missing; `needs` describes a valid value.
  void require_key(std::string const& key, std::string const& needs) const;

 private:
  /// Returns the value of a key. @pre  the key is present
  [[nodiscard]] TomlValue const& value(std::string const& key) const;
  /// Reads a table { file, dataset } as a function, and opens the file if the grid is known.
  [[nodiscard]] ScalarFunction as_data(std::string const& key, TomlTable const& table,
                                       FunctionScope const& scope, std::string const& along) const;
  [[nodiscard]] ScalarFunction as_coefficient(std::string const& key, TomlTable const& table,
                                              FunctionScope const& scope) const;
  [[nodiscard]] ScalarFunction as_function(std::string const& key, TomlValue const& value,
                                           FunctionScope const& scope,
                                           std::string const& along = "") const;
  [[noreturn]] void fail_count(std::string const& key, std::size_t count, int dimension) const;

  TomlTable table_;
  /// Name of the table in messages, such as "initial.box"; empty for the whole document.
  std::string path_;
};

}  // namespace isotherm
