#include "io/values/zip_archive.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <zlib.h>

#include "io/values/value_source.hpp"

namespace isotherm {
namespace {

using Bytes = std::span<unsigned char const>;

/// Returns a little-endian number at an offset; 0 beyond the end.
std::uint64_t number_at(Bytes bytes, std::size_t offset, std::size_t count) {
  if (offset + count > bytes.size()) return 0;
  std::uint64_t number = 0;
  for (std::size_t i = count; i > 0; --i) number = number << 8 | bytes[offset + i - 1];
  return number;
}

constexpr std::uint64_t end_record = 0x06054b50, end_record_64 = 0x06064b50,
                        locator_64 = 0x07064b50, directory_record = 0x02014b50,
                        file_record = 0x04034b50;
constexpr std::uint64_t full_32 = 0xffffffff;        ///< the number is in the ZIP64 extension
constexpr std::size_t piece = std::size_t{1} << 20;  ///< bytes that are read at once
constexpr char const* wrong_contents = "the contents of an array are wrong";
constexpr std::size_t end_bytes = 22, locator_bytes = 20, entry_bytes = 46, file_bytes = 30;

/// Replaces the numbers of an entry that its ZIP64 extension contains, in their order.
void extend(ZipEntry& entry, Bytes extra) {
  constexpr std::uint64_t zip64 = 1;
  while (extra.size() >= 4) {
    std::size_t const length = std::min<std::size_t>(number_at(extra, 2, 2), extra.size() - 4);
    Bytes const field = extra.subspan(4, length);
    if (number_at(extra, 0, 2) == zip64) {
      std::size_t at = 0;
      for (std::uint64_t* number : {&entry.bytes, &entry.stored_bytes, &entry.header}) {
        if (*number != full_32) continue;
        *number = number_at(field, at, 8);
        at += 8;
      }
    }
    extra = extra.subspan(4 + length);
  }
}

/// Where the list of files is.
struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

}  // namespace

ZipArchive::ZipArchive(std::filesystem::path const& path)
    : path_(path), file_(open_values(path)), size_(size_of(file_, path)) {
  read_directory();
}

void ZipArchive::damaged(std::string const& what) const {
  throw InputError(path_.string() + " is damaged: " + what);
}

void ZipArchive::read(std::uint64_t offset, void* to, std::size_t bytes) const {
  if (offset > size_ || bytes > size_ - offset) damaged("a part of it is missing");
  read_or_refuse(file_, offset, to, bytes, path_);
}

// The record that ends an archive is found by its signature, because a comment of unknown length
// may follow it.
void ZipArchive::read_directory() {
  constexpr std::uint64_t max_directory = std::uint64_t{1} << 24;
  std::size_t const length = std::min<std::uint64_t>(size_, end_bytes + locator_bytes + 65535);
  std::vector<unsigned char> tail(length);
  read(size_ - length, tail.data(), length);
  std::ptrdiff_t at = static_cast<std::ptrdiff_t>(length) - static_cast<std::ptrdiff_t>(end_bytes);
  while (at >= 0 && number_at(tail, static_cast<std::size_t>(at), 4) != end_record) --at;
  if (at < 0) throw InputError(path_.string() + " is not a file of numpy.savez()");
  auto const end = static_cast<std::size_t>(at);
  Directory directory{number_at(tail, end + 16, 4), number_at(tail, end + 12, 4)};
  if (end >= locator_bytes && number_at(tail, end - locator_bytes, 4) == locator_64) {
    std::vector<unsigned char> record(56);
    read(number_at(tail, end - locator_bytes + 8, 8), record.data(), record.size());
    if (number_at(record, 0, 4) != end_record_64) damaged("its list of arrays is missing");
    directory = {number_at(record, 48, 8), number_at(record, 40, 8)};
  }
  if (directory.bytes > max_directory) damaged("its list of arrays is too long");
  std::vector<unsigned char> list(directory.bytes);
  read(directory.begin, list.data(), list.size());
  for (Bytes rest = list; rest.size() >= entry_bytes;) {
    if (number_at(rest, 0, 4) != directory_record) break;
    std::size_t const name = number_at(rest, 28, 2), extra = number_at(rest, 30, 2);
    std::size_t const whole = entry_bytes + name + extra + number_at(rest, 32, 2);
    if (whole > rest.size()) damaged("its list of arrays ends too early");
    bool const encrypted = (number_at(rest, 8, 2) & 1) != 0;
    std::uint64_t const method = number_at(rest, 10, 2);
    Bytes const letters = rest.subspan(entry_bytes, name);
    ZipEntry entry{{letters.begin(), letters.end()},
                   method == 8,
                   static_cast<std::uint32_t>(number_at(rest, 16, 4)),
                   number_at(rest, 20, 4),
                   number_at(rest, 24, 4),
                   number_at(rest, 42, 4)};
    extend(entry, rest.subspan(entry_bytes + name, extra));
    if (encrypted || (method != 0 && method != 8)) damaged("an array is not stored or deflated");
    entries_.push_back(std::move(entry));
    rest = rest.subspan(whole);
  }
}

std::uint64_t ZipArchive::begin_of(ZipEntry const& entry) const {
  std::vector<unsigned char> header(file_bytes);
  read(entry.header, header.data(), header.size());
  if (number_at(header, 0, 4) != file_record) damaged("an array is not where its list states");
  std::uint64_t const begin =
      entry.header + file_bytes + number_at(header, 26, 2) + number_at(header, 28, 2);
  if (begin > size_ || entry.stored_bytes > size_ - begin) damaged("a part of it is missing");
  return begin;
}

std::vector<unsigned char> ZipArchive::expanded(ZipEntry const& entry,
                                                std::uint64_t maximum) const {
  if (entry.bytes > maximum) {
    throw InputError(fmt::format("{}: an array has {} bytes, at most {} are expected",
                                 path_.string(), entry.bytes, maximum));
  }
  std::uint64_t at = begin_of(entry);
  std::vector<unsigned char> contents(entry.bytes), input(piece);
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw Error("zlib cannot be started");
  std::unique_ptr<z_stream, int (*)(z_stream*)> const ends(&stream, inflateEnd);
  std::uint64_t left = entry.stored_bytes, written = 0;
  int result = Z_OK;
  while (result == Z_OK && left > 0) {
    std::size_t const bytes = std::min<std::uint64_t>(left, piece);
    read(at, input.data(), bytes);
    at += bytes;
    left -= bytes;
    stream.next_in = input.data();
    stream.avail_in = static_cast<unsigned>(bytes);
    // zlib counts in 32 bits.
    do {
      unsigned const room = static_cast<unsigned>(
          std::min<std::uint64_t>(contents.size() - written, std::uint64_t{1} << 30));
      stream.next_out = contents.data() + written;
      stream.avail_out = room;
      result = inflate(&stream, Z_NO_FLUSH);
      written += room - stream.avail_out;
    } while (result == Z_OK && stream.avail_in > 0 && written < contents.size());
    if (result == Z_BUF_ERROR && stream.avail_in == 0) result = Z_OK;
  }
  bool whole = result == Z_STREAM_END && written == contents.size();
  uLong crc = crc32(0, nullptr, 0);
  for (std::uint64_t from = 0; whole && from < written; from += piece) {
    crc = crc32(crc, contents.data() + from,
                static_cast<unsigned>(std::min<std::uint64_t>(piece, written - from)));
  }
  if (!whole || crc != entry.crc) damaged(wrong_contents);
  return contents;
}

void ZipArchive::verify(ZipEntry const& entry) const {
  if (entry.bytes != entry.stored_bytes) damaged(wrong_contents);
  std::uint64_t at = begin_of(entry);
  std::vector<unsigned char> input(piece);
  uLong crc = crc32(0, nullptr, 0);
  for (std::uint64_t left = entry.bytes; left > 0;) {
    std::size_t const bytes = std::min<std::uint64_t>(left, piece);
    read(at, input.data(), bytes);
    crc = crc32(crc, input.data(), static_cast<unsigned>(bytes));
    at += bytes;
    left -= bytes;
  }
  if (crc != entry.crc) damaged(wrong_contents);
}

}  // namespace isotherm
