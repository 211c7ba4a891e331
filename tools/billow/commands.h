// The subcommands of `billow`, one per file. Each function registers one subcommand. A subcommand that fails
// throws a std::exception, which main turns into exit code 1.
#pragma once

#include <CLI/CLI.hpp>

namespace billow::tool {

struct ResearchParts;  // research_parts.h

void add_scene(CLI::App& app);
void add_demo(CLI::App& app);
void add_body(CLI::App& app);
void add_motion(CLI::App& app);
void add_garment(CLI::App& app);
void add_simulate(CLI::App& app);
void add_dataset(CLI::App& app);
void add_ropes(CLI::App& app);
void add_cache(CLI::App& app);
void add_train(CLI::App& app);
void add_evaluate(CLI::App& app, const ResearchParts& research);
void add_pack(CLI::App& app);
void add_render(CLI::App& app);
void add_compare(CLI::App& app);
void add_export(CLI::App& app);
void add_make(CLI::App& app);
void add_completion(CLI::App& app);
void add_man(CLI::App& app);
void add_view(CLI::App& app);
void add_play(CLI::App& app);
void add_clearance(CLI::App& app);
void add_bench(CLI::App& app, const ResearchParts& research);
void add_info(CLI::App& app);
void add_check(CLI::App& app);
void add_bake(CLI::App& app);

}  // namespace billow::tool
