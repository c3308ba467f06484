#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "io/values/npy_values.hpp"
#include "io/values/zip_archive.hpp"

namespace isotherm {
namespace {

/// Returns the name of an array, as numpy.load() has it.
std::string array_name(ZipEntry const& entry) {
  constexpr std::string_view ending = ".npy";
  std::string name = entry.name;
  if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  // Foreign text is printed, so it must be plain.
  std::ranges::replace_if(
      name, [](char c) { return c < ' ' || c > '~'; }, '?');
  return name;
}

/// Returns the names of all arrays, for messages.
std::string all_names(ZipArchive const& archive) {
  constexpr std::size_t longest = 200;
  std::string names;
  for (ZipEntry const& entry : archive.entries()) {
    names += (names.empty() ? "" : ", ") + array_name(entry);
    if (names.size() > longest) return names.substr(0, longest) + " ...";
  }
  return names;
}

ZipEntry const& chosen(ZipArchive const& archive, std::string const& path,
                       std::string const& name) {
  auto const& all = archive.entries();
  if (all.empty()) throw InputError(path + " contains no array (needs a file of numpy.savez())");
  if (name.empty() && all.size() == 1) return all.front();
  auto const found = std::ranges::find(all, name, array_name);
  if (found != all.end()) {
    if (std::ranges::find(found + 1, all.end(), name, array_name) != all.end()) {
      throw InputError(fmt::format("{}: several arrays have the name \"{}\"", path, name));
    }
    return *found;
  }
  std::string const contents = "(it contains " + all_names(archive) + ')';
  if (name.empty()) {
    throw InputError(path + ": several arrays: name one by dataset = \"...\" " + contents);
  }
  throw NoSuchDataset(
      fmt::format("{}: there is no array \"{}\" in the file {}", path, name, contents));
}

/// Returns the bytes of a deflated entry, which are expanded into memory.
ArrayBytes in_memory(ZipArchive const& archive, ZipEntry const& entry, std::string const& where,
                     RequiredShape const& wanted) {
  // Values have at most 16 bytes, and headers at most 64 KiB.
  std::uint64_t const maximum = static_cast<std::uint64_t>(wanted.count()) * 16 + 65536 + 12;
  auto const contents =
      std::make_shared<std::vector<unsigned char> const>(archive.expanded(entry, maximum));
  return {contents->size(),
          [contents, where](std::uint64_t offset, void* to, std::size_t count) {
            if (offset > contents->size() || count > contents->size() - offset) {
              throw InputError(where + " is truncated");
            }
            std::memcpy(to, contents->data() + offset, count);
          },
          {}};
}

}  // namespace

std::unique_ptr<ValueSource> open_npz(std::filesystem::path const& path, std::string const& name,
                                      RequiredShape const& wanted) {
  auto const archive = std::make_shared<ZipArchive const>(path);
  ZipEntry const& entry = chosen(*archive, path.string(), name);
  std::string where = path.string() + ", array \"" + array_name(entry) + '"';
  if (entry.deflated) {
    ArrayBytes bytes = in_memory(*archive, entry, where, wanted);
    return open_array(std::move(bytes), std::move(where), wanted);
  }
  std::uint64_t const begin = archive->begin_of(entry);
  ArrayBytes bytes{std::min(entry.bytes, entry.stored_bytes),
                   [archive, begin](std::uint64_t offset, void* to, std::size_t count) {
                     archive->read(begin + offset, to, count);
                   },
                   [archive, entry] { archive->verify(entry); }};
  return open_array(std::move(bytes), std::move(where), wanted);
}

}  // namespace isotherm
