// `billow view` under attack, over raw sockets: what a client library would not send is what matters here.
#include "static_server.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <vector>

#include "files/whole_file.h"
#include "tools/program.h"
#include "tools/raw_client.h"

namespace billow {
namespace {

namespace fs = std::filesystem;
using testing::Client;
using testing::Process;

class StaticServer : public ::testing::Test {
 protected:
  StaticServer()
      : folder_(fs::temp_directory_path() /
                ("billow_static_server_" + std::to_string(getpid()) + "_" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())),
        site_(folder_ / "site") {
    fs::create_directories(site_ / "sub");
    files::write_whole_file(site_ / "index.html", "the page");
    files::write_whole_file(site_ / "sub/index.html", "another page");
    files::write_whole_file(site_ / "module.wasm", "0123456789");
    files::write_whole_file(folder_ / "secret", "not for all");
    view_ = std::make_unique<Process>([this] { run_view("0"); });
  }
  ~StaticServer() override { fs::remove_all(folder_); }
  void SetUp() override { ASSERT_GT(port(), 0); }

  void run_view(const char* port) const {
    execl(BILLOW_PROGRAM, "billow", "view", "--folder", site_.c_str(), "--port", port, nullptr);
  }
  int port() const { return view_->port(); }
  std::string answer(const std::string& request) const {
    const Client client(port());
    client.send(request);
    return client.receive();
  }
  static std::string request(const std::string& path, const std::string& more = "",
                             const std::string& method = "GET") {
    return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n";
  }
  std::string get(const std::string& path, const std::string& more = "") const {
    return answer(request(path, more));
  }
  static std::string body(const std::string& answer) {
    const size_t head = answer.find("\r\n\r\n");
    return head == std::string::npos ? "(no answer)" : answer.substr(head + 4);
  }
  static int status(const std::string& answer) {
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9)) : 0;
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  bool serves() const { return body(get("/")) == "the page"; }

  fs::path folder_, site_;
  std::unique_ptr<Process> view_;
};

TEST_F(StaticServer, ServesWhatIsInTheFolder) {
  files::write_whole_file(site_ / "two words.txt", "text");
  files::write_whole_file(site_ / "empty.json", "");
  for (const char* path : {"/", "/index.html", "/index.html?v=1", "/%69ndex.html", "//index.html"})
    EXPECT_EQ(body(get(path)), "the page") << path;
  for (const char* path : {"/sub", "/sub/", "/sub/index.html"})
    EXPECT_EQ(body(get(path)), "another page") << path;
  EXPECT_EQ(body(get("/two%20words.txt")), "text");
  EXPECT_EQ(status(get("/empty.json")), 200);
  EXPECT_EQ(status(get("/no.js")), 404);
}

TEST_F(StaticServer, HeadersFitWebAssembly) {
  for (const char* method : {"GET", "HEAD"}) {
    const std::string found = answer(request("/module.wasm", "", method));
    EXPECT_EQ(status(found), 200);
    EXPECT_EQ(body(found), method == std::string("GET") ? "0123456789" : "");
    for (const char* header :
         {"Content-Type: application/wasm", "Content-Length: 10", "Cross-Origin-Opener-Policy: same-origin",
          "Cross-Origin-Embedder-Policy: require-corp", "Cache-Control: no-cache",
          "X-Content-Type-Options: nosniff"})
      EXPECT_TRUE(contains(found, std::string(header) + "\r\n")) << header << " in " << found;
  }
}

TEST_F(StaticServer, NoPathLeadsOut) {
  const std::string secret = (folder_ / "secret").string();
  fs::create_directories(folder_ / "site_of_others");
  files::write_whole_file(folder_ / "site_of_others/secret", "not for all");
  ASSERT_EQ(mkfifo((site_ / "pipe").c_str(), 0600), 0);
  for (const std::string& path : {"/" + secret,
                                  "//" + secret,
                                  "/%2f" + secret,
                                  "/%2F" + secret.substr(1),
                                  "/sub/" + secret,
                                  std::string("//etc/passwd"),
                                  std::string("/../secret"),
                                  std::string("//../secret"),
                                  std::string("/sub/../../secret"),
                                  std::string("/./../secret"),
                                  std::string("/.//..//secret"),
                                  std::string("/../site_of_others/secret"),
                                  std::string("../secret"),
                                  std::string("/%2e%2e/secret"),
                                  std::string("/%2e%2e%2fsecret"),
                                  std::string("/%2E%2E%2Fsecret"),
                                  std::string("/..%2fsecret"),
                                  std::string("/%252e%252e%252fsecret"),
                                  std::string("/%252e%252e/secret"),
                                  std::string("/%u002e%u002e/secret"),
                                  std::string("/..\\secret"),
                                  std::string("/..%5csecret"),
                                  std::string("\\..\\secret"),
                                  std::string("/%c0%ae%c0%ae/secret"),
                                  std::string("http://localhost/../secret"),
                                  "file://" + secret,
                                  std::string("/pipe"),
                                  std::string("/index.html/../../secret"),
                                  std::string("/index.html%00"),
                                  std::string("/index.html%00.png"),
                                  std::string("/%00"),
                                  "/" + std::string(5000, 'a')}) {
    const std::string found = get(path);
    EXPECT_EQ(status(found), 404) << path << ": " << found;
    EXPECT_FALSE(contains(found, "not for all")) << path;
  }
  EXPECT_NE(status(get("/index.html" + std::string(1, '\0'))), 200);
  EXPECT_TRUE(serves());
}

TEST_F(StaticServer, NoSymbolicLinkLeadsOut) {
  fs::create_symlink(folder_ / "secret", site_ / "absolute");
  fs::create_symlink("../secret", site_ / "relative");
  fs::create_directory_symlink("..", site_ / "up");
  fs::create_symlink("relative", site_ / "twice");
  fs::create_directories(site_ / "page");
  fs::create_symlink("../../secret", site_ / "page/index.html");
  fs::create_symlink("round", site_ / "round");
  for (const char* path :
       {"/absolute", "/relative", "/up/secret", "/up", "/twice", "/page", "/page/", "/round"}) {
    const std::string found = get(path);
    EXPECT_EQ(status(found), 404) << path << ": " << found;
    EXPECT_FALSE(contains(found, "not for all")) << path;
  }
  fs::create_symlink("index.html", site_ / "same");
  fs::create_directory_symlink("sub", site_ / "inner");
  EXPECT_EQ(body(get("/same")), "the page");
  EXPECT_EQ(body(get("/inner/index.html")), "another page");
  EXPECT_EQ(body(get("/up/site/index.html")), "the page") << "out and in again";
}

TEST_F(StaticServer, FolderMayBeALink) {
  fs::rename(site_, folder_ / "elsewhere");
  fs::create_directory_symlink("elsewhere", site_);
  const Process linked([this] { run_view("0"); });
  const Client client(linked.port());
  client.send(request("/"));
  EXPECT_EQ(body(client.receive()), "the page");
}

TEST_F(StaticServer, OnlyLocalHostsAreAnswered) {
  const auto asked = [this](const std::string& hosts, const char* version = "1.1") {
    return answer("GET / HTTP/" + std::string(version) + "\r\n" + hosts + "\r\n");
  };
  const std::string number = std::to_string(port());
  for (const std::string& host :
       {std::string("localhost"), "localhost:" + number, std::string("LocalHost"), "127.0.0.1:" + number,
        std::string("127.0.0.1"), std::string("[::1]"), "[::1]:" + number})
    EXPECT_EQ(body(asked("Host: " + host + "\r\n")), "the page") << host;
  for (const char* host :
       {"evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil", "[::1].evil.example",
        "evil.localhost", "127.0.0.2", "0.0.0.0", "127x0x0x1", "::1", "[::1", "localhost@evil.example",
        "localhost:80@evil.example", "localhost:evil.example", "localhost:80:80", "localhost%00.evil.example",
        ":80", "", "localhost, evil.example"}) {
    const std::string found = asked("Host: " + std::string(host) + "\r\n");
    EXPECT_EQ(status(found), 403) << host << ": " << found;
    EXPECT_FALSE(contains(found, "the page")) << host;
  }
  EXPECT_EQ(status(asked("")), 403);
  EXPECT_EQ(status(asked("", "1.0")), 403);
  EXPECT_EQ(status(asked("Host: localhost\r\nHost: evil.example\r\n")), 403);
  EXPECT_EQ(status(asked("Host: evil.example\r\nHost: localhost\r\n")), 403);
  EXPECT_TRUE(contains(asked("Host: evil.example\r\n"), "evil.example")) << "says what it found";
}

TEST_F(StaticServer, OnlyLoopbackIsListenedOn) {
  EXPECT_TRUE(Client(port()).connected());
  EXPECT_FALSE(Client(port(), "127.0.0.2").connected());
}

TEST_F(StaticServer, OnlyReading) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"}) {
    const std::string found = answer(request("/index.html", "", method));
    EXPECT_EQ(status(found), 405) << method << ": " << found;
    EXPECT_TRUE(contains(found, "Allow: GET, HEAD\r\n")) << found;
  }
  EXPECT_EQ(status(answer(request("/index.html", "Content-Length: 4\r\n", "POST") + "text")), 405);
  EXPECT_GE(status(answer(request("/index.html", "", "BREW"))), 400);
}

TEST_F(StaticServer, BodyOfARefusedRequestIsNoRequest) {
  const std::string inner = request("/");
  const std::string found =
      answer("POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: " + std::to_string(inner.size()) +
             "\r\n\r\n" + inner);
  EXPECT_EQ(status(found), 403);
  EXPECT_FALSE(contains(found, "the page")) << found;
}

TEST_F(StaticServer, Ranges) {
  for (const auto& [range, part] : {std::pair("2-4", "234"), std::pair("7-", "789"), std::pair("-2", "89"),
                                    std::pair("0-", "0123456789")}) {
    const std::string found = get("/module.wasm", "Range: bytes=" + std::string(range) + "\r\n");
    EXPECT_EQ(status(found), 206) << range;
    EXPECT_EQ(body(found), part) << range;
  }
  std::string many = "0-";
  while (many.size() < 8000) many += ",0-";
  for (const std::string& range : {std::string("10-"), std::string("4-10"), std::string("5-2"),
                                   std::string("99999999999999999999-"), many, std::string(8000, '1')})
    EXPECT_EQ(status(get("/module.wasm", "Range: bytes=" + range + "\r\n")), 416) << range;
  EXPECT_GE(status(get("/no.js", "Range: bytes=1000-\r\n")), 400);
  EXPECT_TRUE(serves());
}

TEST_F(StaticServer, LongRequestsAreRefused) {
  const std::string text(1 << 20, 'a');
  for (const std::string& long_request :
       {request("/" + text), request("/?" + text), request("/", "X-Long: " + text + "\r\n"),
        request("/", "", text), text + text, std::string("\r\n\r\n"), std::string(100, '\0') + "\r\n\r\n"}) {
    const Client client(port());
    client.send(long_request);
    client.end_sending();
    // Where the server closes before it has read all, the answer may be lost.
    const std::string found = client.receive();
    EXPECT_TRUE(found.empty() || status(found) >= 400) << found.substr(0, 200);
  }
  EXPECT_TRUE(serves());
}

TEST_F(StaticServer, LargeFilesComeInPieces) {
  constexpr size_t kSize = size_t{64} << 20;
  std::ofstream film(site_ / "film.mp4", std::ios::binary);
  film.seekp(kSize - 3);
  film << "end";
  film.close();
  const std::string found = get("/film.mp4");
  EXPECT_TRUE(contains(found.substr(0, 1000), "Content-Type: video/mp4\r\n"));
  EXPECT_EQ(body(found).size(), kSize);
  EXPECT_TRUE(found.ends_with("end"));
  EXPECT_EQ(body(get("/film.mp4", "Range: bytes=" + std::to_string(kSize - 3) + "-\r\n")), "end");

  // A client that does not read its answer keeps nobody waiting.
  const Client slow(port());
  slow.send(request("/film.mp4"));
  EXPECT_TRUE(serves());
}

TEST_F(StaticServer, HalfRequestsKeepNobodyWaiting) {
  std::vector<Client> halves;
  for (const char* half :
       {"G", "GET / HT", "GET / HTTP/1.1\r\nHost: local", "GET / HTTP/1.1\r\nHost: localhost\r\n"})
    halves.emplace_back(port()).send(half);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(serves());
  for (const Client& half : halves) EXPECT_TRUE(half.is_pending()) << "served in the meantime";
  // A request that is completed in time is answered.
  halves.back().send("\r\n");
  EXPECT_EQ(body(halves.back().receive()), "the page");
}

TEST_F(StaticServer, IdleConnectionsKeepNobodyWaiting) {
  std::vector<Client> idle;
  for (int i = 0; i < 48; ++i) ASSERT_TRUE(idle.emplace_back(port()).connected());
  EXPECT_TRUE(serves());
  for (const Client& client : idle) EXPECT_TRUE(client.is_pending()) << "served in the meantime";
}

TEST_F(StaticServer, SignalsEndItAtOnce) {
  for (const int signal_number : {SIGTERM, SIGINT}) {
    Process view([this] { run_view("0"); });
    const Client half(view.port()), idle(view.port());
    half.send("GET / HT");
    // Connections are accepted in order, so once this one is answered the half request hangs.
    const Client other(view.port());
    other.send(request("/"));
    EXPECT_EQ(body(other.receive()), "the page");
    EXPECT_TRUE(view.ends_by(signal_number)) << signal_number;
  }
}

TEST_F(StaticServer, SaysWhatIsWrong) {
  // A server that comes up after all is ended.
  const auto said = [this](const std::string& arguments) {
    return testing::run_command("cd '" + folder_.string() + "' && timeout 20 '" BILLOW_PROGRAM "' view " +
                                arguments);
  };
  const testing::Outcome taken = said("--folder site --port " + std::to_string(port()));
  EXPECT_EQ(taken.code, 1) << taken.output;
  EXPECT_TRUE(contains(taken.output, "port " + std::to_string(port())) && contains(taken.output, "in use"))
      << taken.output;
  for (const char* folder : {"nowhere", ".", "secret"}) {
    const testing::Outcome none = said("--port 0 --folder " + std::string(folder));
    EXPECT_EQ(none.code, 1) << none.output;
    EXPECT_TRUE(contains(none.output, "expected a folder with an index.html")) << none.output;
  }
}

TEST_F(StaticServer, ServesFilesThatAreAdded) {
  const Process added([this] {
    tool::StaticServer server(site_, 0);
    server.add_file("/garments/cape.billow", folder_ / "secret");
    server.add_file("/garments/none.billow", folder_ / "none");
    server.add_file("/garments/folder.billow", folder_);
    dprintf(STDOUT_FILENO, "http://localhost:%d/\n", server.port());
    server.serve();
  });
  const auto found = [&added](const std::string& path) {
    const Client client(added.port());
    client.send(request(path));
    return client.receive();
  };
  EXPECT_EQ(body(found("/garments/cape.billow")), "not for all");
  EXPECT_EQ(body(found("/")), "the page");
  for (const char* path : {"/garments/none.billow", "/garments/folder.billow", "/garments/", "/secret"})
    EXPECT_EQ(status(found(path)), 404) << path;
}

}  // namespace
}  // namespace billow
