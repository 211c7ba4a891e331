// `billow`: the command line. Exit codes: 0 done, 1 something went wrong, 2 the command line makes no sense.
#include <billow/billow.h>

#include <cstdio>
#include <exception>

#include "commands.h"

int main(int argc, char** argv) {
  CLI::App app("Billow: rope-chain cloth in real time.", "billow");
  app.set_version_flag("--version", billow_version());
  app.require_subcommand(1);
  app.footer(
      "Examples\n"
      "  billow demo                           pictures and numbers of all that is there, in out/\n"
      "  billow scene list                     the named scenes\n"
      "  billow scene run cape_running         one of them: a picture strip and its numbers\n"
      "  billow scene run --help               what can be changed\n");
  billow::tool::add_demo(app);
  billow::tool::add_scene(app);
  billow::tool::add_body(app);
  billow::tool::add_motion(app);
  billow::tool::add_garment(app);
  billow::tool::add_simulate(app);
  billow::tool::add_dataset(app);
  billow::tool::add_ropes(app);
  billow::tool::add_cache(app);
  billow::tool::add_train(app);
  billow::tool::add_evaluate(app);
  billow::tool::add_pack(app);
  billow::tool::add_wear(app);
  billow::tool::add_bench(app);
  billow::tool::add_info(app);
  billow::tool::add_check(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // Help and the version come this way too, with 0.
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "billow: %s\n", e.what());
    return 1;
  }
  return 0;
}
