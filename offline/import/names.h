// Names that differ.
#pragma once

#include <map>
#include <set>
#include <string>

namespace billow::importer {

// Gives things of one name numbers: "hand", "hand_2".
class Names {
 public:
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int& k = last_.emplace(wanted, 1).first->second; !taken_.insert(name).second;)
      name = wanted + "_" + std::to_string(++k);
    return name;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> last_;  // number given out last
};

}  // namespace billow::importer
