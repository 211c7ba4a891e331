// report.json stores the figures of a folder, so that a run that makes only some of them updates these in
// report.html and keeps the others.
#include <algorithm>

#include "files/whole_file.h"
#include "research/figures/figures.h"

namespace billow::tool {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

fs::path record_of(const fs::path& folder) { return folder / "report.json"; }

Figure figure_from(const ordered_json& json) {
  return {json.at("shows").get<std::string>(), json.at("pictures").get<std::vector<std::string>>(),
          json.at("numbers"), json.at("differs").get<std::vector<std::string>>()};
}

}  // namespace

std::vector<MadeFigure> read_figures(const fs::path& folder) {
  const fs::path file = record_of(folder);
  std::vector<MadeFigure> found;
  if (!fs::exists(file)) return found;
  try {
    const ordered_json json = ordered_json::parse(files::read_whole_file(file));
    for (const FigureKind& kind : figure_kinds()) {
      if (!json.contains(kind.name)) continue;
      Figure figure = figure_from(json.at(kind.name));
      const bool complete = std::all_of(figure.pictures.begin(), figure.pictures.end(),
                                        [&](const std::string& p) { return fs::exists(folder / p); });
      if (complete) found.push_back({&kind, std::move(figure), ""});
    }
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(file.string() +
                             ": expected what `billow figures` writes there, found something else (" +
                             e.what() + "); remove it to begin anew");
  }
  return found;
}

std::vector<MadeFigure> put_together(const std::vector<MadeFigure>& now,
                                     const std::vector<MadeFigure>& before) {
  std::vector<MadeFigure> all;
  for (const FigureKind& kind : figure_kinds()) {
    const auto of_kind = [&](const MadeFigure& m) { return m.kind == &kind; };
    const auto made = std::find_if(now.begin(), now.end(), of_kind);
    const auto earlier = std::find_if(before.begin(), before.end(), of_kind);
    if (made != now.end() && (made->missing.empty() || earlier == before.end()))
      all.push_back(*made);
    else if (earlier != before.end())
      all.push_back(*earlier);
  }
  return all;
}

void write_report(const std::vector<MadeFigure>& all, const fs::path& folder) {
  ordered_json json = ordered_json::object();
  for (const MadeFigure& m : all)
    if (m.missing.empty())
      json[m.kind->name] = {{"shows", m.figure.shows},
                            {"pictures", m.figure.pictures},
                            {"numbers", m.figure.numbers},
                            {"differs", m.figure.differs}};
  files::write_whole_file(record_of(folder), json.dump(2) + "\n");
  files::write_whole_file(folder / "report.html", figures_page(all));
}

}  // namespace billow::tool
