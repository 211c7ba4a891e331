// What hosts need: the table of all functions, and a log.
#include <billow/billow_api.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace billow::host_test {
namespace {

TEST(ApiTable, HasEveryFunctionAndNothingElse) {
  const billow_api* api = billow_get_api(BILLOW_API_VERSION);
  ASSERT_NE(api, nullptr);
  size_t count = 0;
#define BILLOW_SAME(name)              \
  EXPECT_EQ(api->name, billow_##name); \
  ++count;
  BILLOW_FUNCTIONS(BILLOW_SAME)
#undef BILLOW_SAME
  EXPECT_EQ(sizeof *api, count * sizeof(void (*)()));
}

TEST(ApiTable, IsRefusedToHostsOfOtherHeaders) {
  for (const uint32_t version : {0u, 1u, BILLOW_API_VERSION + 1, BILLOW_API_VERSION - 1, 0xffffffffu})
    EXPECT_EQ(billow_get_api(version), nullptr);
}

TEST(Log, HearsWhatFails) {
  struct Heard {
    std::vector<std::string> messages;
    billow_status last = BILLOW_OK;
  } heard;
  const billow_log log{[](void* user, billow_status status, const char* message) {
                         static_cast<Heard*>(user)->messages.push_back(message);
                         static_cast<Heard*>(user)->last = status;
                       },
                       &heard};
  ASSERT_EQ(billow_set_log(&log), BILLOW_OK);
  EXPECT_EQ(billow_chains_step(nullptr, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(heard.messages.size(), 1u);
  EXPECT_EQ(heard.messages[0], billow_last_error());
  billow_garment* garment = nullptr;
  EXPECT_EQ(billow_garment_load("/nowhere/at/all.billow", nullptr, &garment), BILLOW_ERROR_CANNOT_READ);
  EXPECT_EQ(heard.last, BILLOW_ERROR_CANNOT_READ);
  EXPECT_EQ(billow_chains_bone_count(nullptr), 0u) << "which is no failure";
  ASSERT_EQ(heard.messages.size(), 2u);

  // One that cannot write is refused, and the other one hears of it.
  const billow_log mute{};
  EXPECT_EQ(billow_set_log(&mute), BILLOW_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(heard.messages.size(), 3u);
  ASSERT_EQ(billow_set_log(nullptr), BILLOW_OK);
  EXPECT_EQ(billow_chains_step(nullptr, nullptr), BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(heard.messages.size(), 3u);
}

}  // namespace
}  // namespace billow::host_test
