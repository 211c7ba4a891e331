// The character that wears a garment, as commands take it: the built-in person, or a character file and its body file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataset/reader/character_body.h"
#include "import/character.h"

namespace CLI {
class App;
}

namespace billow::tool {

struct CharacterOptions {
  std::string name = "average";        // a preset of the built-in person, or a character file
  std::string body;                    // body file with the file's colliders
  std::string mesh, weights;           // of MakeHuman's .mhskel
  float scale = 0;                     // metres per unit of the file; 0: the file's own, or a guess
  std::vector<std::string> leave_out;  // nodes whose meshes are no skin

  bool is_preset() const;
};

// --character and what belongs to it.
void add_character_options(CLI::App& command, CharacterOptions& options);
// The same without --body, for commands that need no colliders, or take them from a garment file.
void add_skinned_character_options(CLI::App& command, CharacterOptions& options);

// What says how a character file is read.
void add_character_file_options(CLI::App& command, CharacterOptions& options);

// Reads a character file, MakeHuman's too.
importer::Character read_character(const CharacterOptions& options);

// A character, with what is costly made on first use.
class GivenCharacter {
 public:
  explicit GivenCharacter(const CharacterOptions& options);

  const std::string& preset() const { return body_.preset; }  // empty: a file's character
  const body::Skeleton& skeleton() const { return body_.skeleton; }
  const body::Skin& skin();
  const std::vector<motion::Clip>& clips() const { return file_.clips; }
  // With colliders. Throws std::runtime_error for a file's character without --body.
  const dataset::OwnedCharacterBody& body() const;
  // The skeleton, and colliders where they are known.
  const dataset::OwnedCharacterBody& skeleton_and_colliders() const { return body_; }

 private:
  CharacterOptions options_;
  importer::Character file_;
  dataset::OwnedCharacterBody body_;
  body::Skin skin_;
};

}  // namespace billow::tool
