#include "io/picture/film/ffmpeg.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "io/files/descriptor.hpp"
#include "kernels/core/error.hpp"

extern char** environ;

namespace isotherm {
namespace {

namespace fs = std::filesystem;

/// How a kind of film is encoded.
struct Encoding {
  std::string_view extension;
  std::string_view format;
  std::string_view options;  ///< separated by blanks
};
// Browsers play H.264 and VP9 with half the colour resolution (yuv420p) only.
constexpr std::string_view h264 = "-c:v libx264 -crf 18 -movflags +faststart";
constexpr std::string_view vp9 = "-c:v libvpx-vp9 -crf 24 -b:v 0";
constexpr std::array encodings{Encoding{".mp4", "mp4", h264}, Encoding{".mov", "mov", h264},
                               Encoding{".mkv", "matroska", h264}, Encoding{".webm", "webm", vp9}};

Encoding const* encoding_of(fs::path const& film) {
  auto const* const found = std::ranges::find(encodings, film.extension().string(),
                                              [](Encoding const& one) { return one.extension; });
  return found == encodings.end() ? nullptr : &*found;
}

/// The words of the command, which reads PNG files from its standard input.
std::vector<std::string> command(Encoding const& encoding, fs::path const& output,
                                 double frames_per_second) {
  std::vector<std::string> words{"ffmpeg",
                                 "-hide_banner",
                                 "-loglevel",
                                 "error",
                                 "-y",
                                 "-f",
                                 "image2pipe",
                                 "-c:v",
                                 "png",
                                 "-framerate",
                                 fmt::format("{:g}", frames_per_second),
                                 "-i",
                                 "-"};
  std::istringstream options{std::string(encoding.options)};
  for (std::string word; options >> word;) words.push_back(word);
  words.insert(words.end(), {"-pix_fmt", "yuv420p", "-f", std::string(encoding.format)});
  // A name that begins with a dash is not an option.
  words.push_back("file:" + output.string());
  return words;
}

/// Ignores SIGPIPE: writing to a program that has ended then fails with EPIPE.
class IgnoredPipeSignal {
 public:
  IgnoredPipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~IgnoredPipeSignal() { (void)std::signal(SIGPIPE, before_); }
  IgnoredPipeSignal(IgnoredPipeSignal const&) = delete;
  IgnoredPipeSignal& operator=(IgnoredPipeSignal const&) = delete;

 private:
  void (*before_)(int);
};

struct Close {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string reason() { return std::generic_category().message(errno); }

/// Writes everything. @returns  false if the reader has ended
bool write_all(int descriptor, std::string const& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    ssize_t const written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

/// A running program that reads from a pipe, and whose messages go to a file.
class Program {
 public:
  explicit Program(std::vector<std::string> const& words) : messages_(std::tmpfile()) {
    std::array<int, 2> pipe{};
    require(messages_ != nullptr && ::pipe2(pipe.data(), O_CLOEXEC) == 0,
            "cannot start ffmpeg: " + reason());
    Descriptor const read_end(pipe[0]);
    input_ = Descriptor(pipe[1]);
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, read_end.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(messages_.get()), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(messages_.get()), STDERR_FILENO);
    int const code =
        posix_spawnp(&process_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    require(code == 0, "cannot start ffmpeg: " + std::generic_category().message(code));
  }

  [[nodiscard]] int input() const { return input_.get(); }
  /// Closes the input and waits. @returns  an empty text, or why the program failed
  std::string finish() {
    input_ = Descriptor();
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
    std::rewind(messages_.get());
    std::array<char, 300> line{};
    bool const has_message = std::fgets(line.data(), line.size(), messages_.get()) != nullptr;
    std::string message = has_message ? line.data() : "it gave no reason";
    while (message.ends_with('\n')) message.pop_back();
    return message;
  }

 private:
  File messages_;
  Descriptor input_{};
  pid_t process_ = 0;
};

}  // namespace

bool is_ffmpeg_film(fs::path const& film) { return encoding_of(film) != nullptr; }

bool has_ffmpeg() {
  char const* const paths = std::getenv("PATH");
  std::istringstream folders(paths == nullptr ? "" : paths);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder) / "ffmpeg").c_str(), X_OK) == 0) return true;
  }
  return false;
}

void encode_with_ffmpeg(fs::path const& film, std::vector<std::string> const& frames,
                        double frames_per_second, double last_s, MayReplace const& may_replace) {
  Encoding const* const encoding = encoding_of(film);
  require(encoding != nullptr && !frames.empty(), "a film needs a format and a frame");
  fs::path const temporary = temporary_path(film);
  std::string failure;
  {
    IgnoredPipeSignal const ignored;
    Program program(command(*encoding, temporary, frames_per_second));
    bool reads = true;
    for (std::string const& frame : frames) reads = reads && write_all(program.input(), frame);
    // The last frame is repeated: films have no other way to show it longer.
    long const shown = std::lround(last_s * frames_per_second);
    for (long i = 1; reads && i < shown; ++i) reads = write_all(program.input(), frames.back());
    failure = program.finish();
    if (failure.empty() && !reads) failure = "it did not read all frames";
  }
  if (!failure.empty()) {
    std::error_code ignored_error;  // there may be no file
    fs::remove(temporary, ignored_error);
    throw Error("ffmpeg could not write " + film.string() + ": " + failure);
  }
  try {
    replace_file(temporary, film, may_replace);
  } catch (...) {
    std::error_code ignored_error;
    fs::remove(temporary, ignored_error);
    throw;
  }
}

}  // namespace isotherm
