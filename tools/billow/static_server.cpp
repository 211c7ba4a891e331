#include "static_server.h"

#include <httplib.h>
#include <pthread.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <regex>
#include <stdexcept>

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLoopback = "127.0.0.1";
// An open connection occupies a thread: enough for the six or so of a browser and for many that hang.
constexpr size_t kThreads = 64;
constexpr size_t kThreadStack = size_t{16} << 20;
constexpr time_t kTimeout = 5;  // seconds without a byte read or written

const char* kind_of(const fs::path& file) {
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

// Against DNS rebinding: a web page whose name is made to resolve to this machine has the same origin as this server,
// but the browser still sends that name as Host.
bool is_local(const std::string& host) {
  static const std::regex local(R"((localhost|127\.0\.0\.1|\[::1\])(:[0-9]{0,5})?)", std::regex::icase);
  return std::regex_match(host, local);
}

// httplib neither clips ranges to the file nor limits how many there are.
bool is_one_inside(const httplib::Ranges& ranges, ssize_t size) {
  const auto [first, last] = ranges[0];  // -1 where left out: "5-" or, for the last five, "-5"
  return ranges.size() == 1 && first < size && (first < 0 || last < size);
}

void refuse(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text, "text/plain");
}

void send_file(const httplib::Request& request, httplib::Response& response, const fs::path& file) {
  // A pipe or a device could block on opening.
  std::error_code ignored;
  const auto stream = std::make_shared<std::ifstream>();
  if (fs::is_regular_file(file, ignored)) stream->open(file, std::ios::binary | std::ios::ate);
  if (!stream->is_open()) return refuse(response, 404, "there is no such file\n");

  const auto size = static_cast<ssize_t>(stream->tellg());
  if (!request.ranges.empty() && !is_one_inside(request.ranges, size)) {
    response.status = 416;
    response.set_header("Content-Range", "bytes */" + std::to_string(size));
    return;
  }
  // Piece by piece: a film need not fit into memory.
  response.set_content_provider(
      static_cast<size_t>(size), kind_of(file),
      [stream](size_t offset, size_t length, httplib::DataSink& sink) {
        std::array<char, 65536> piece;
        stream->seekg(static_cast<std::streamoff>(offset));
        stream->read(piece.data(), static_cast<std::streamsize>(std::min(length, piece.size())));
        return stream->gcount() > 0 && sink.write(piece.data(), static_cast<size_t>(stream->gcount()));
      });
}

httplib::TaskQueue* make_threads() {
  // httplib parses Range with std::regex, which recurses for each character: 8 KiB, the longest header it accepts, take
  // about 5 MiB of stack on x86-64.
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kThreadStack);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  return new httplib::ThreadPool(kThreads);
}

void configure(httplib::Server& server) {
  // Threads in WebAssembly need the two policies; nothing is kept, so that a new build shows at once.
  server.set_default_headers({{"Cross-Origin-Opener-Policy", "same-origin"},
                              {"Cross-Origin-Embedder-Policy", "require-corp"},
                              {"Cache-Control", "no-cache"},
                              {"X-Content-Type-Options", "nosniff"}});
  server.new_task_queue = make_threads;
  // Close after each answer: an idle connection would occupy a thread, and the body of a refused request, which nobody
  // reads, would be parsed as the next request.
  server.set_keep_alive_max_count(1);
  server.set_keep_alive_timeout(kTimeout);
  server.set_read_timeout(kTimeout);
  server.set_write_timeout(kTimeout);
  server.set_payload_max_length(0);
  // Headers and body are sent by separate writes; the second would wait for the first to be acknowledged.
  server.set_tcp_nodelay(true);
}

}  // namespace

StaticServer::StaticServer(const fs::path& folder, int port) : server_(std::make_unique<httplib::Server>()) {
  if (!fs::is_regular_file(folder / "index.html"))
    throw std::runtime_error(folder.string() + ": expected a folder with an index.html, found none");
  folder_ = fs::canonical(folder);
  configure(*server_);
  // Before routing, so that every method and path comes here.
  server_->set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    answer(request, response);
    return httplib::Server::HandlerResponse::Handled;
  });
  // By default httplib sets SO_REUSEPORT, with which a second server would share the port unnoticed.
  int listening = -1;
  server_->set_socket_options([&listening](int socket) {
    listening = socket;
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  if (port == 0)
    port_ = server_->bind_to_any_port(kLoopback);
  else
    port_ = server_->bind_to_port(kLoopback, port) ? port : -1;
  // httplib listens with a backlog of 5: in a burst, further connections would be dropped and tried again a second later.
  if (port_ < 0 || listen(listening, SOMAXCONN) != 0)
    throw std::runtime_error("expected to listen on port " + std::to_string(port) +
                             " of this machine, found: " + std::strerror(errno) +
                             "; --port takes another, 0 any that is free");
}

StaticServer::~StaticServer() = default;

void StaticServer::serve() {
  server_->listen_after_bind();
  throw std::runtime_error("expected connections on port " + std::to_string(port_) +
                           ", found: " + std::strerror(errno));
}

void StaticServer::answer(const httplib::Request& request, httplib::Response& response) const {
  // Exactly one: which of two would count is unclear.
  const auto [host, end] = request.headers.equal_range("Host");
  if (std::distance(host, end) != 1 || !is_local(host->second))
    return refuse(response, 403,
                  "expected Host to be localhost, 127.0.0.1 or [::1], found " +
                      (host == end ? "none" : host->second) + "\n");
  if (request.method != "GET" && request.method != "HEAD") {
    response.set_header("Allow", "GET, HEAD");
    return refuse(response, 405, "expected GET or HEAD, found " + request.method + "\n");
  }
  send_file(request, response, file_at(request.path));
}

fs::path StaticServer::file_at(const std::string& path) const {
  if (const auto added = files_.find(path); added != files_.end()) return added->second;
  // The system would read the name only up to the NUL.
  if (path.find('\0') != std::string::npos) return {};
  // Relative, because an absolute path would replace the folder.
  std::error_code ignored;
  fs::path file = fs::canonical(folder_ / fs::path(path).relative_path(), ignored);
  if (fs::is_directory(file, ignored)) file = fs::canonical(file / "index.html", ignored);
  // By component: /site holds nothing of /site_of_others.
  const auto [rest, other] = std::mismatch(folder_.begin(), folder_.end(), file.begin(), file.end());
  return rest == folder_.end() ? file : fs::path();
}

}  // namespace billow::tool
