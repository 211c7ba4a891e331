// `billow man`: prints the manual page in roff, generated from the command-line definitions.
#include <billow/billow.h>

#include <cstdio>

#include "commands.h"

namespace billow::tool {
namespace {

// Escapes characters special in roff: dot and quote at the start of a line, minus and backslash anywhere.
std::string roff(const std::string& text) {
  std::string out;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    at_line_start = c == '\n';
  }
  return out;
}

void print_options(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; })) {
    if (option->get_group().empty()) continue;
    const std::string name =
        option->get_positional() ? option->get_name(true) : option->get_name(false, true);
    std::printf(".TP\n\\fB%s\\fR", roff(name).c_str());
    if (!option->get_positional() && option->get_items_expected_max() > 0)
      std::printf(" \\fI%s\\fR", roff(option->get_type_name()).c_str());
    std::printf("\n%s", roff(option->get_description()).c_str());
    if (!option->get_default_str().empty())
      std::printf(" (default: %s)", roff(option->get_default_str()).c_str());
    std::printf("\n");
  }
}

void print_command(const CLI::App& app, const std::string& parent) {
  if (app.get_group().empty()) return;
  const std::string path = parent + " " + app.get_name();
  std::printf(".SS %s\n%s.\n", roff(path).c_str(), roff(app.get_description()).c_str());
  print_options(app);
  if (!app.get_footer().empty()) std::printf(".PP\n.nf\n%s\n.fi\n", roff(app.get_footer()).c_str());
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    print_command(*sub, path);
}

void print_page(const CLI::App& app) {
  std::printf(".TH BILLOW 1 \"\" \"Billow %s\" \"Billow\"\n", billow_version());
  std::printf(".SH NAME\nbillow \\- %s\n", roff(app.get_description()).c_str());
  std::printf(".SH SYNOPSIS\n\\fBbillow\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n");
  std::printf(
      ".SH DESCRIPTION\nMakes, measures and shows garments of rope chains and small neural networks. Every "
      "command has \\fB\\-\\-help\\fR.\n");
  print_options(app);
  std::printf(".SH COMMANDS\n");
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    print_command(*sub, "billow");
  std::printf(
      ".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nSomething went wrong; a message says what was expected and "
      "found.\n"
      ".TP\n2\nThe command line makes no sense.\n");
}

}  // namespace

void add_man(CLI::App& app) {
  CLI::App* man = app.add_subcommand("man", "Print the manual page");
  man->footer(
      "Examples\n"
      "  billow man | man -l -\n");
  man->callback([&app] { print_page(app); });
}

}  // namespace billow::tool
