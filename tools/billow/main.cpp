// `billow`: the command line. Exit codes: 0 success, 1 failure, 2 invalid command line.
#include <billow/billow.h>

#include <cstdio>
#include <exception>

#include "commands.h"
#include "research_parts.h"
#if defined(BILLOW_RESEARCH)
#include "research/parts_of_billow.h"
#endif

namespace {

billow::tool::ResearchParts research_parts() {
#if defined(BILLOW_RESEARCH)
  return billow::research::parts_of_billow();
#else
  return {};
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const billow::tool::ResearchParts research = research_parts();
  CLI::App app("Billow: rope-chain cloth in real time.", "billow");
  app.set_version_flag("--version", billow_version());
  app.require_subcommand(1);
  billow::tool::add_demo(app);
  billow::tool::add_scene(app);
  if (research.add_figures) research.add_figures(app);
  billow::tool::add_body(app);
  billow::tool::add_motion(app);
  billow::tool::add_garment(app);
  billow::tool::add_simulate(app);
  billow::tool::add_dataset(app);
  billow::tool::add_ropes(app);
  billow::tool::add_cache(app);
  billow::tool::add_train(app);
  billow::tool::add_evaluate(app, research);
  billow::tool::add_pack(app);
  billow::tool::add_render(app);
  billow::tool::add_compare(app);
  billow::tool::add_export(app);
  billow::tool::add_play(app);
  billow::tool::add_clearance(app);
  billow::tool::add_bench(app, research);
  billow::tool::add_info(app);
  billow::tool::add_check(app);
  billow::tool::add_bake(app);
  billow::tool::add_view(app);
  billow::tool::add_make(app);
  billow::tool::add_completion(app);
  billow::tool::add_man(app);
  // Set the footer last: CLI11 copies it to subcommands that are added later.
  app.footer(std::string("Examples\n"
                         "  billow render cape -o cape.mp4                   a cape on a running person\n") +
             (research.add_figures
                  ? "  billow figures -o out/figures                    the figures of the paper\n"
                  : "") +
             "  billow export cape -o cape.glb                   for Blender, three.js and others\n"
             "  billow make cape --dry-run                       the commands that make a garment file\n"
             "  billow scene run cape_running                    rope chains alone\n"
             "  source <(billow completion bash)                 completion in this shell\n");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // CLI11 reports an unknown subcommand as "A subcommand is required".
    const std::vector<std::string> unknown = app.remaining(true);
    if (e.get_name() == "RequiredError" && !unknown.empty() && unknown[0][0] != '-' &&
        std::string(e.what()) == "A subcommand is required") {
      std::fprintf(stderr, "billow: there is no command '%s'; billow --help lists them\n",
                   unknown[0].c_str());
      return 2;
    }
    // --help and --version also throw; their exit code is 0.
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "billow: %s\n", e.what());
    return 1;
  }
  return 0;
}
