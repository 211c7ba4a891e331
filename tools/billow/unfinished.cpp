#include "unfinished.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <stdexcept>
#include <utility>

extern char** environ;

namespace billow::tool {
namespace {

constexpr std::array kStoppingSignals = {SIGINT, SIGTERM, SIGHUP};

// What the handler of signals sees: lock-free, as it may interrupt anything.
std::atomic<const char*> unfinished_file{nullptr};
std::atomic<pid_t> unfinished_writer{0};
std::atomic<bool> writer_changes{false};  // the program is just being started, or was just waited for
std::atomic<int> stopped_meanwhile{0};
static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

std::array<struct sigaction, kStoppingSignals.size()> actions_before;

// Calls only what is async-signal-safe.
void clean_up_and_end(int signal) {
  if (writer_changes) {
    stopped_meanwhile = signal;
    return;
  }
  // Wait for its end: it could still make the file after it was removed.
  if (const pid_t writer = unfinished_writer; writer > 0) {
    kill(writer, SIGKILL);
    while (waitpid(writer, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (const char* file = unfinished_file) unlink(file);
  // End as a program without a handler does, so that a shell knows why.
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  raise(signal);
}

// A signal that comes while the program's number is not known waits for it.
template <class Change> auto change_writer(Change change) {
  writer_changes = true;
  const auto result = change();
  writer_changes = false;
  if (const int signal = stopped_meanwhile.exchange(0); signal != 0) clean_up_and_end(signal);
  return result;
}

void reap(pid_t writer, int& status) {
  change_writer([&] {
    const pid_t done = waitpid(writer, &status, 0);
    unfinished_writer = 0;
    return done;
  });
}

}  // namespace

Unfinished::Unfinished(std::filesystem::path file) : file_(std::move(file)) {
  const char* none = nullptr;
  if (!unfinished_file.compare_exchange_strong(none, file_.c_str()))
    throw std::logic_error("one unfinished file at a time");
  struct sigaction action {};
  action.sa_handler = clean_up_and_end;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : kStoppingSignals) sigaddset(&action.sa_mask, signal);
  for (size_t k = 0; k < kStoppingSignals.size(); ++k) {
    sigaction(kStoppingSignals[k], nullptr, &actions_before[k]);
    if (actions_before[k].sa_handler != SIG_IGN) sigaction(kStoppingSignals[k], &action, nullptr);
  }
}

Unfinished::~Unfinished() {
  if (const pid_t writer = unfinished_writer; writer > 0) {
    int status = 0;
    kill(writer, SIGKILL);
    reap(writer, status);
  }
  unlink(file_.c_str());
  for (size_t k = 0; k < kStoppingSignals.size(); ++k)
    sigaction(kStoppingSignals[k], &actions_before[k], nullptr);
  unfinished_file = nullptr;
}

int Unfinished::start(const std::vector<std::string>& words, const posix_spawn_file_actions_t& actions) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  return change_writer([&] {
    pid_t writer = 0;
    const int failed = posix_spawnp(&writer, argv[0], &actions, nullptr, argv.data(), environ);
    if (failed == 0) unfinished_writer = writer;
    return failed;
  });
}

int Unfinished::wait() {
  const pid_t writer = unfinished_writer;
  // Its number stays its own until it is reaped, so that a signal never ends another program.
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(writer), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  int status = 0;
  reap(writer, status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void Unfinished::finish(const std::filesystem::path& name) { std::filesystem::rename(file_, name); }

}  // namespace billow::tool
