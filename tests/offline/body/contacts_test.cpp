#include "body/contacts.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace billow::body {
namespace {

TEST(Contacts, TextRoundTrips) {
  const Contacts soft_arms = contacts_from("trunk,leg,upper_arm:0.25,forearm:0.5,-5,-6");
  EXPECT_EQ(soft_arms.groups, 0b10011101u);
  EXPECT_EQ(soft_arms.softness[BILLOW_COLLIDER_GROUP_FOREARM], 0.5f);
  EXPECT_EQ(soft_arms.rigid_groups(), 0b10010001u);
  EXPECT_EQ(soft_arms.soft_groups(), 0b00001100u);
  const Contacts hands = contacts_from("trunk,upper_arm:0.5,forearm:yields");
  EXPECT_EQ(hands.rigid_groups(), 0b11100001u) << "the world, too";
  EXPECT_EQ(hands.soft_groups(), 0b00000100u);
  EXPECT_EQ(hands.yielding_groups(), 0b00001000u);
  const Contacts world = contacts_from("5"), soft_world = contacts_from("leg,5:0.5,-7");
  EXPECT_EQ(world.groups, 0b11100000u);
  EXPECT_EQ(soft_world.soft_groups(), 0b00100000u);
  for (const Contacts& c :
       {soft_arms, hands, world, soft_world, Contacts{}, contacts_from("none"), contacts_from("-6")})
    EXPECT_EQ(contacts_from(text_of(c)), c) << text_of(c);
}

TEST(Contacts, SettingsCarryThem) {
  const Contacts c = contacts_from("trunk,upper_arm:yields,forearm:0.5");
  billow_settings settings = billow_settings_default();
  EXPECT_EQ(contacts_of(settings), Contacts{});
  apply(c, settings);
  EXPECT_EQ(contacts_of(settings), c);
}

TEST(Contacts, WrongTextIsRefusedByName) {
  for (const char* text :
       {"", "arm", "trunk,,leg", "forearm:", "forearm:x", "forearm:1.5", "forearm:-1", "forearm:0.5x",
        "forearm:yieldsx", "arm:yields", "8", "-8", "-5:0.5", "-", "trunk leg", "forearm:nan"}) {
    try {
      contacts_from(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find("expected collider groups"), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace billow::body
