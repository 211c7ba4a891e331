#include "import/trial.h"

#ifdef __unix__
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <new>
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BILLOW_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define BILLOW_SANITIZED 1
#endif
#endif

namespace billow::importer {
#ifdef __unix__
namespace {

constexpr int kNoMemory = 77;  // exit status

// What the process has mapped already, where that can be known.
size_t mapped_bytes() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

void limit(int what, rlim_t most) {
  const rlimit bound{most, most};
  setrlimit(what, &bound);
}

[[noreturn]] void run_bounded(const std::function<void()>& work, unsigned seconds, size_t bytes) {
  // Say nothing, leave no core, and die at once: a crash reporter of the parent's must not run here.
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM}) std::signal(signal, SIG_DFL);
  if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) dup2(nowhere, 1), dup2(nowhere, 2);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, seconds);
#ifndef BILLOW_SANITIZED  // whose shadow memory is larger than any bound
  limit(RLIMIT_AS, mapped_bytes() + bytes);
#else
  (void)bytes;
#endif
  alarm(2 * seconds);
  // The work may catch what the lack of memory throws, and its end would look like one here.
  std::set_new_handler([] { _exit(kNoMemory); });
  try {
    work();
  } catch (...) {
    // A refused file: the parent will hear the same.
  }
  _exit(0);
}

}  // namespace

std::string survives(const std::function<void()>& work, unsigned seconds, size_t bytes) {
  const pid_t child = fork();
  if (child < 0) return "cannot be tried: there is no room for another process";
  if (child == 0) run_bounded(work, seconds, bytes);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return "was lost while it was tried";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU || signal == SIGALRM || signal == SIGKILL)
      return "takes more than " + std::to_string(seconds) + " s to read";
    return "crashes its reader (signal " + std::to_string(signal) + ")";
  }
  if (WEXITSTATUS(status) == kNoMemory)
    return "takes more than " + std::to_string(bytes >> 20) + " MB to read";
  return WEXITSTATUS(status) == 0 ? ""
                                  : "crashes its reader (status " + std::to_string(WEXITSTATUS(status)) + ")";
}

#else
std::string survives(const std::function<void()>&, unsigned, size_t) { return ""; }
#endif

}  // namespace billow::importer
