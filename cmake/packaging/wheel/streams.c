/* Debian compiles static libraries for programs, not for shared libraries: they address stdout and stderr as a
   program does. In the copies for wheels these two names are replaced by the two below, which each binary has for
   itself. */
#include <stdio.h>

__attribute__((visibility("hidden"))) FILE* isotherm_stdout;
__attribute__((visibility("hidden"))) FILE* isotherm_stderr;

__attribute__((constructor(101))) static void find_streams(void) {
  isotherm_stdout = stdout;
  isotherm_stderr = stderr;
}
