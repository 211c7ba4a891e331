// A server in a process of its own, and clients of it that may send any bytes, or none.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace billow::testing {

// Runs `serve`, which prints the address as `billow view` does, in another process until the end of the test.
class Process {
 public:
  explicit Process(const std::function<void()>& serve) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    id_ = fork();
    if (id_ == 0) {
      // Background jobs of a shell ignore it, and so would their children.
      signal(SIGINT, SIG_DFL);
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      // Nothing of the test may go on here, nor this after the test.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      try {
        serve();
      } catch (...) {
      }
      _exit(1);
    }
    close(ends[1]);
    std::string line;
    for (char c; read(ends[0], &c, 1) == 1 && c != '\n';) line += c;
    close(ends[0]);
    const std::string host = "http://localhost:";
    if (line.starts_with(host)) port_ = std::stoi(line.substr(host.size()));
  }
  ~Process() {
    if (id_ <= 0) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int port() const { return port_; }
  // Whether it ends on a signal, before any timeout of the server could have helped: with 0 or by the signal itself.
  bool ends_by(int signal_number) {
    kill(id_, signal_number);
    const auto start = std::chrono::steady_clock::now();
    int status = 0;
    while (waitpid(id_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() - start > std::chrono::seconds(4)) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    id_ = 0;
    return WIFSIGNALED(status) ? WTERMSIG(status) == signal_number : WEXITSTATUS(status) == 0;
  }

 private:
  pid_t id_ = 0;
  int port_ = 0;
};

class Client {
 public:
  explicit Client(int port, const char* address = "127.0.0.1") : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    // Far longer than a server takes; only so that tests of one that hangs end.
    const timeval patience{20, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port));
    inet_pton(AF_INET, address, &to.sin_addr);
    connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  Client(Client&& other) : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_) {}
  ~Client() { close(socket_); }

  bool connected() const { return connected_; }
  // As many bytes as the server takes: it may close the connection before the last.
  void send(std::string_view bytes) const {
    for (ssize_t n; !bytes.empty() && (n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL)) > 0;)
      bytes.remove_prefix(static_cast<size_t>(n));
  }
  // Everything up to the end of the connection.
  std::string receive() const {
    std::string bytes;
    std::vector<char> buffer(1 << 20);
    for (ssize_t n; (n = recv(socket_, buffer.data(), buffer.size(), 0)) > 0;)
      bytes.append(buffer.data(), static_cast<size_t>(n));
    return bytes;
  }
  void end_sending() const { shutdown(socket_, SHUT_WR); }
  // The connection is open and the server has sent nothing.
  bool is_pending() const {
    char c;
    return recv(socket_, &c, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }

 private:
  int socket_;
  bool connected_;
};

}  // namespace billow::testing
