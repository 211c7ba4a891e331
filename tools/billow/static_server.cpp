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
// Each open connection occupies a thread: a browser opens about six, the rest tolerates hanging ones.
constexpr size_t kThreads = 64;
constexpr size_t kThreadStack = size_t{16} << 20;
constexpr time_t kTimeout = 5;  // seconds without a byte read or written

const char* mime_type(const fs::path& file) {
  static const std::map<std::string, const char*> types = {{".html", "text/html; charset=utf-8"},
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
  const auto found = types.find(file.extension().string());
  return found == types.end() ? "application/octet-stream" : found->second;
}

// Guards against DNS rebinding: a web page whose host name is made to resolve to this machine has the same origin as this
// server, but the browser still sends that name as Host.
bool is_local(const std::string& host) {
  static const std::regex local(R"((localhost|127\.0\.0\.1|\[::1\])(:[0-9]{0,5})?)", std::regex::icase);
  return std::regex_match(host, local);
}

// Accepts a single byte range within the file: httplib neither clips ranges to the file nor limits their number.
bool is_single_valid_range(const httplib::Ranges& ranges, ssize_t size) {
  const auto [first, last] = ranges[0];  // -1 where omitted: "5-", or "-5" for the last five bytes
  return ranges.size() == 1 && first < size && (first < 0 || last < size);
}

void refuse(httplib::Response& response, int status, const std::string& text) {
  response.status = status;
  response.set_content(text, "text/plain");
}

void send_file(const httplib::Request& request, httplib::Response& response, const fs::path& file) {
  // Open regular files only: opening a pipe or a device could block.
  std::error_code ignored;
  const auto stream = std::make_shared<std::ifstream>();
  if (fs::is_regular_file(file, ignored)) stream->open(file, std::ios::binary | std::ios::ate);
  if (!stream->is_open()) return refuse(response, 404, "there is no such file\n");

  const auto size = static_cast<ssize_t>(stream->tellg());
  if (!request.ranges.empty() && !is_single_valid_range(request.ranges, size)) {
    response.status = 416;
    response.set_header("Content-Range", "bytes */" + std::to_string(size));
    return;
  }
  // Send in chunks, so that a film need not fit into memory.
  response.set_content_provider(
      static_cast<size_t>(size), mime_type(file),
      [stream](size_t offset, size_t length, httplib::DataSink& sink) {
        std::array<char, 65536> chunk;
        stream->seekg(static_cast<std::streamoff>(offset));
        stream->read(chunk.data(), static_cast<std::streamsize>(std::min(length, chunk.size())));
        return stream->gcount() > 0 && sink.write(chunk.data(), static_cast<size_t>(stream->gcount()));
      });
}

httplib::TaskQueue* make_threads() {
  // httplib parses Range with std::regex, which recurses for each character: 8 KiB, the longest header it accepts, needs
  // about 5 MiB of stack on x86-64.
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kThreadStack);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  return new httplib::ThreadPool(kThreads);
}

void configure(httplib::Server& server) {
  // WebAssembly threads need the two Cross-Origin policies. No caching, so that a new build shows at once.
  server.set_default_headers({{"Cross-Origin-Opener-Policy", "same-origin"},
                              {"Cross-Origin-Embedder-Policy", "require-corp"},
                              {"Cache-Control", "no-cache"},
                              {"X-Content-Type-Options", "nosniff"}});
  server.new_task_queue = make_threads;
  // Close after each response: an idle connection would occupy a thread, and the unread body of a refused request would be
  // parsed as the next request.
  server.set_keep_alive_max_count(1);
  server.set_keep_alive_timeout(kTimeout);
  server.set_read_timeout(kTimeout);
  server.set_write_timeout(kTimeout);
  server.set_payload_max_length(0);
  // Headers and body are separate writes; with Nagle's algorithm the second would wait for the first's ACK.
  server.set_tcp_nodelay(true);
}

}  // namespace

StaticServer::StaticServer(const fs::path& folder, int port) : server_(std::make_unique<httplib::Server>()) {
  if (!fs::is_regular_file(folder / "index.html"))
    throw std::runtime_error(folder.string() + ": expected a folder with an index.html, found none");
  folder_ = fs::canonical(folder);
  configure(*server_);
  // Handle requests before routing, so that every method and path arrives here.
  server_->set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    answer(request, response);
    return httplib::Server::HandlerResponse::Handled;
  });
  // Replace httplib's default SO_REUSEPORT, with which a second server would silently share the port.
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
  // httplib listens with a backlog of 5; in a burst, further connections would be dropped and retried a second later.
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
  // Require exactly one Host header: which of two counts is ambiguous.
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
  // Reject NUL: the system would truncate the name there.
  if (path.find('\0') != std::string::npos) return {};
  // Make the path relative: operator/ with an absolute path would discard the folder.
  std::error_code ignored;
  fs::path file = fs::canonical(folder_ / fs::path(path).relative_path(), ignored);
  if (fs::is_directory(file, ignored)) file = fs::canonical(file / "index.html", ignored);
  // Compare by component: /site does not contain /site_of_others.
  const auto [rest, other] = std::mismatch(folder_.begin(), folder_.end(), file.begin(), file.end());
  return rest == folder_.end() ? file : fs::path();
}

}  // namespace billow::tool
