#include "pack/change_sections.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "pack/model_sections.h"

namespace billow::pack {

std::string changed_sections(const std::string& file, const std::vector<std::string>& without,
                             const billow_settings& settings, const std::vector<learn::BlendWeights>& blend) {
  const AlignedBytes bytes(file);
  asset::GarmentView view;
  asset::Problem problem;
  if (!asset::read_garment(bytes.data(), bytes.size(), view, problem)) throw std::runtime_error(problem.text);
  check_blend(blend, view.record->vertices, view.record->bones);
  std::vector<std::string> gone{"text", "blend.bones", "blend.weights"};  // the text comes last, as a whole
  gone.insert(gone.end(), without.begin(), without.end());
  SectionFile out;
  out.text(std::string(view.text));
  for (const asset::Section& s : view.sections)
    if (std::string_view(s.name) == "settings")
      add_settings(out, settings);
    else if (std::find(gone.begin(), gone.end(), s.name) == gone.end())
      out.add(s.name, std::string(view.bytes_of(s)));
  add_blend(out, blend, view.record->bones);
  return out.finish();
}

}  // namespace billow::pack
