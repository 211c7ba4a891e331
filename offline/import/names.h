// Makes names unique.
#pragma once

#include <map>
#include <set>
#include <string>

namespace billow::importer {

// Appends numbers to repeated names: "hand", "hand_2".
class UniqueNames {
 public:
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int& k = last_.emplace(wanted, 1).first->second; !taken_.insert(name).second;)
      name = wanted + "_" + std::to_string(++k);
    return name;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> last_;  // the last number appended to each name
};

}  // namespace billow::importer
