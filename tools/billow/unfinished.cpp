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

// State read by the signal handler: lock-free, because the handler may interrupt any code.
std::atomic<const char*> unfinished_file{nullptr};
std::atomic<pid_t> unfinished_writer{0};
std::atomic<bool> writer_changes{false};  // the child is being started or reaped: its pid is not reliable
std::atomic<int> deferred_signal{0};
static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

std::array<struct sigaction, kStoppingSignals.size()> previous_actions;

// The signal handler. Calls only async-signal-safe functions.
void clean_up_and_end(int signal) {
  if (writer_changes) {
    deferred_signal = signal;
    return;
  }
  // Reap the child before unlinking: until it ends it could create the file again.
  if (const pid_t writer = unfinished_writer; writer > 0) {
    kill(writer, SIGKILL);
    while (waitpid(writer, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (const char* file = unfinished_file) unlink(file);
  // Re-raise with the default action, so that the shell sees death by signal.
  struct sigaction default_action {};
  default_action.sa_handler = SIG_DFL;
  sigaction(signal, &default_action, nullptr);
  raise(signal);
}

// Runs `change`, which sets or clears the child's pid. A signal that arrives meanwhile is deferred to the end.
template <class Change> auto change_writer(Change change) {
  writer_changes = true;
  const auto result = change();
  writer_changes = false;
  if (const int signal = deferred_signal.exchange(0); signal != 0) clean_up_and_end(signal);
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
    sigaction(kStoppingSignals[k], nullptr, &previous_actions[k]);
    if (previous_actions[k].sa_handler != SIG_IGN) sigaction(kStoppingSignals[k], &action, nullptr);
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
    sigaction(kStoppingSignals[k], &previous_actions[k], nullptr);
  unfinished_file = nullptr;
}

int Unfinished::start(const std::vector<std::string>& words, const posix_spawn_file_actions_t& actions) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  return change_writer([&] {
    pid_t writer = 0;
    const int error = posix_spawnp(&writer, argv[0], &actions, nullptr, argv.data(), environ);
    if (error == 0) unfinished_writer = writer;
    return error;
  });
}

int Unfinished::wait() {
  const pid_t writer = unfinished_writer;
  // WNOWAIT leaves the child a zombie, so its pid is not reused before reap() and the handler cannot kill another process.
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(writer), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  int status = 0;
  reap(writer, status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void Unfinished::finish(const std::filesystem::path& name) { std::filesystem::rename(file_, name); }

}  // namespace billow::tool
