#include "import/sandbox.h"

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

constexpr int kOutOfMemoryStatus = 77;  // exit status

// Address space in use; 0 where /proc is missing.
size_t mapped_bytes() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

void limit(int what, rlim_t value) {
  const rlimit bound{value, value};
  setrlimit(what, &bound);
}

[[noreturn]] void run_bounded(const std::function<void()>& work, unsigned seconds, size_t bytes) {
  // Print nothing, dump no core, and reset signal handlers: the parent's crash reporter must not run here.
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM}) std::signal(signal, SIG_DFL);
  if (const int null_device = open("/dev/null", O_WRONLY); null_device >= 0)
    dup2(null_device, 1), dup2(null_device, 2);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, seconds);
#ifndef BILLOW_SANITIZED  // the sanitizers' shadow memory exceeds any limit
  limit(RLIMIT_AS, mapped_bytes() + bytes);
#else
  (void)bytes;
#endif
  alarm(2 * seconds);
  // Exit on allocation failure: `work` may catch bad_alloc and return normally.
  std::set_new_handler([] { _exit(kOutOfMemoryStatus); });
  try {
    work();
  } catch (...) {
    // The parent will get the same exception.
  }
  _exit(0);
}

}  // namespace

std::string probe_in_child(const std::function<void()>& work, unsigned seconds, size_t bytes) {
  const pid_t child = fork();
  if (child < 0) return "cannot be tested: fork() failed";
  if (child == 0) run_bounded(work, seconds, bytes);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return "cannot be tested: waitpid() failed";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU || signal == SIGALRM || signal == SIGKILL)
      return "takes more than " + std::to_string(seconds) + " s to read";
    return "crashes its reader (signal " + std::to_string(signal) + ")";
  }
  if (WEXITSTATUS(status) == kOutOfMemoryStatus)
    return "takes more than " + std::to_string(bytes >> 20) + " MB to read";
  return WEXITSTATUS(status) == 0 ? ""
                                  : "crashes its reader (status " + std::to_string(WEXITSTATUS(status)) + ")";
}

#else
std::string probe_in_child(const std::function<void()>&, unsigned, size_t) { return ""; }
#endif

}  // namespace billow::importer
