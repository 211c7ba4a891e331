// `billow completion bash|zsh|fish`: generates a completion script from the registered commands and options.
#include <cstdio>
#include <functional>
#include <memory>

#include "commands.h"

namespace billow::tool {
namespace {

struct Word {
  std::string text, about;
};

// Completions of one command: its subcommands and its options.
struct CommandWords {
  std::string path;  // "billow garment make"
  std::vector<Word> subcommands, options;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void collect(const CLI::App& app, const std::string& before, std::vector<CommandWords>& commands) {
  CommandWords command{before.empty() ? app.get_name() : before + " " + app.get_name(), {}, {}};
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_group().empty())
      command.subcommands.push_back({sub->get_name(), first_line(sub->get_description())});
  for (const CLI::Option* option : app.get_options([](const CLI::Option*) { return true; }))
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames())
        command.options.push_back({"--" + name, first_line(option->get_description())});
  const std::string path = command.path;
  commands.push_back(std::move(command));
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!sub->get_group().empty()) collect(*sub, path, commands);
}

// Wraps text in single quotes; `quote` is the shell's escape for a single quote.
std::string quoted(const std::string& text, const std::string& quote) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += quote;
    else
      out += c;
  }
  return out + "'";
}

std::string words_of(const CommandWords& command) {
  std::string words;
  for (const auto* list : {&command.subcommands, &command.options})
    for (const Word& w : *list) words += (words.empty() ? "" : " ") + w.text;
  return words;
}

std::string bash(const std::vector<CommandWords>& commands) {
  std::string out =
      "# bash completion of billow; made by `billow completion bash`\n"
      "_billow() {\n"
      "  local path=billow word i current=${COMP_WORDS[COMP_CWORD]}\n"
      "  # Follow the commands that were typed.\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    word=${COMP_WORDS[i]}\n"
      "    case \"$path $word\" in\n";
  for (const CommandWords& p : commands)
    if (p.path != commands[0].path) out += "      '" + p.path + "') path=\"$path $word\" ;;\n";
  out +=
      "    esac\n"
      "  done\n"
      "  local words=\n"
      "  case \"$path\" in\n";
  for (const CommandWords& p : commands) out += "    '" + p.path + "') words='" + words_of(p) + "' ;;\n";
  return out +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _billow billow\n";
}

std::string zsh(const std::vector<CommandWords>& commands) {
  std::string out =
      "#compdef billow\n"
      "# zsh completion of billow; made by `billow completion zsh`\n"
      "_billow() {\n"
      "  local place=billow i  # not path, which is where zsh finds programs\n"
      "  local -a offered\n"
      "  for ((i = 2; i < CURRENT; ++i)); do\n"
      "    case \"$place $words[i]\" in\n";
  for (const CommandWords& p : commands)
    if (p.path != commands[0].path) out += "      '" + p.path + "') place=\"$place $words[i]\" ;;\n";
  out +=
      "    esac\n"
      "  done\n"
      "  case \"$place\" in\n";
  for (const CommandWords& p : commands) {
    out += "    '" + p.path + "') offered=(";
    for (const auto* list : {&p.subcommands, &p.options})
      for (const Word& w : *list) {
        // Escape colons: zsh separates word and description by one.
        std::string about = w.about;
        for (size_t at = 0; (at = about.find(':', at)) != std::string::npos; at += 2) about.insert(at, "\\");
        out += " " + quoted(w.text + ":" + about, "'\\''");
      }
    out += ") ;;\n";
  }
  return out +
         "  esac\n"
         "  _describe 'billow' offered\n"
         "  _files\n"
         "}\n"
         "_billow \"$@\"\n";
}

std::string fish(const std::vector<CommandWords>& commands) {
  std::string out =
      "# fish completion of billow; made by `billow completion fish`\n"
      "function __billow_at\n"
      "  set -l path billow\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    switch \"$path $word\"\n";
  for (const CommandWords& p : commands)
    if (p.path != commands[0].path) out += "      case '" + p.path + "'; set path \"$path $word\"\n";
  out +=
      "    end\n"
      "  end\n"
      "  test \"$path\" = \"$argv[1]\"\n"
      "end\n";
  for (const CommandWords& p : commands) {
    const std::string at = "complete -c billow -n \"__billow_at '" + p.path + "'\"";
    for (const Word& w : p.subcommands)
      out += at + " -f -a " + w.text + " -d " + quoted(w.about, "\\'") + "\n";
    for (const Word& w : p.options)
      out += at + " -l " + w.text.substr(2) + " -d " + quoted(w.about, "\\'") + "\n";
  }
  return out;
}

}  // namespace

void add_completion(CLI::App& app) {
  CLI::App* completion = app.add_subcommand("completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "Shell: bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->footer(
      "Examples\n"
      "  source <(billow completion bash)\n"
      "  billow completion zsh > ~/.zfunc/_billow\n"
      "  billow completion fish > ~/.config/fish/completions/billow.fish\n");
  completion->callback([shell, &app] {
    std::vector<CommandWords> commands;
    collect(app, "", commands);
    std::fputs((*shell == "bash"  ? bash(commands)
                : *shell == "zsh" ? zsh(commands)
                                  : fish(commands))
                   .c_str(),
               stdout);
  });
}

}  // namespace billow::tool
