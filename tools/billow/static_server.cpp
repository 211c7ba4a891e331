#include "static_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "files/whole_file.h"

namespace billow::tool {
namespace {

constexpr size_t kLongestRequest = 16384;

const char* kind_of(const std::filesystem::path& file) {
  static const std::map<std::string, const char*> kinds = {{".html", "text/html; charset=utf-8"},
                                                           {".js", "text/javascript"},
                                                           {".mjs", "text/javascript"},
                                                           {".css", "text/css"},
                                                           {".json", "application/json"},
                                                           {".wasm", "application/wasm"},
                                                           {".png", "image/png"},
                                                           {".svg", "image/svg+xml"},
                                                           {".ico", "image/x-icon"},
                                                           {".mp4", "video/mp4"},
                                                           {".gif", "image/gif"}};
  const auto found = kinds.find(file.extension().string());
  return found == kinds.end() ? "application/octet-stream" : found->second;
}

void send_all(int client, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = send(client, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (n <= 0) return;  // the browser went away
    done += static_cast<size_t>(n);
  }
}

void send_answer(int client, const char* status, const char* kind, const std::string& body, bool with_body) {
  // Threads in WebAssembly need the two policies; nothing is kept, so that a new build shows at once.
  send_all(client,
           "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: " + kind +
               "\r\nContent-Length: " + std::to_string(body.size()) +
               "\r\nCross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp"
               "\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n");
  if (with_body) send_all(client, body);
}

// %20 and the like.
std::string decoded(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::strtol(text.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

StaticServer::StaticServer(std::filesystem::path folder, int port) : folder_(std::move(folder)) {
  if (!std::filesystem::is_regular_file(folder_ / "index.html"))
    throw std::runtime_error(folder_.string() + ": expected a folder with an index.html, found none");
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (socket_ < 0 || bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(socket_, 16) != 0 || getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const std::string reason = std::strerror(errno);
    if (socket_ >= 0) close(socket_);
    throw std::runtime_error("cannot serve on port " + std::to_string(port) + " of this machine: " + reason +
                             "; --port takes another, 0 any that is free");
  }
  port_ = ntohs(address.sin_port);
}

StaticServer::~StaticServer() { close(socket_); }

std::filesystem::path StaticServer::file_at(const std::string& path) const {
  if (const auto added = files_.find(path); added != files_.end()) return added->second;
  if (path.empty() || path[0] != '/' || path.find('\0') != std::string::npos) return {};
  for (const auto& part : std::filesystem::path(path))
    if (part == "..") return {};
  std::filesystem::path file = folder_ / path.substr(1);
  if (std::filesystem::is_directory(file)) file /= "index.html";
  return std::filesystem::is_regular_file(file) ? file : std::filesystem::path();
}

void StaticServer::answer(int client) const {
  // A browser may open a connection and say nothing.
  const timeval patience{5, 0};
  setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::string request;
  char buffer[4096];
  while (request.find("\r\n\r\n") == std::string::npos && request.size() < kLongestRequest) {
    const ssize_t n = recv(client, buffer, sizeof buffer, 0);
    if (n <= 0) return;
    request.append(buffer, static_cast<size_t>(n));
  }
  const size_t method_end = request.find(' '), path_end = request.find(' ', method_end + 1);
  if (path_end == std::string::npos)
    return send_answer(client, "400 Bad Request", "text/plain", "bad request\n", true);
  const std::string method = request.substr(0, method_end);
  if (method != "GET" && method != "HEAD")
    return send_answer(client, "405 Method Not Allowed", "text/plain", "files are read only\n", true);
  std::string path = request.substr(method_end + 1, path_end - method_end - 1);
  path = decoded(path.substr(0, path.find_first_of("?#")));
  const std::filesystem::path file = file_at(path);
  if (file.empty())
    return send_answer(client, "404 Not Found", "text/plain", "there is no such file\n", method == "GET");
  try {
    send_answer(client, "200 OK", kind_of(file), files::read_whole_file(file), method == "GET");
  } catch (const std::exception& e) {
    send_answer(client, "500 Internal Server Error", "text/plain", std::string(e.what()) + "\n",
                method == "GET");
  }
}

void StaticServer::serve() {
  for (;;) {
    const int client = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    answer(client);
    close(client);
  }
}

}  // namespace billow::tool
