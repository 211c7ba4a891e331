/* The smallest whole use of Billow, in C: one chain hangs from a root that moves to and fro above a capsule,
 * and slides over it. Prints the tip's path and what the report says. */
#include <billow/billow.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BONES 11 /* the root and ten more, 8 cm apart */

static void check(billow_status status) {
  if (status == BILLOW_OK) return;
  fprintf(stderr, "billow: %s\n", billow_last_error());
  exit(EXIT_FAILURE);
}

int main(void) {
  /* Describe the body: one capsule that lies along z, half a metre below the origin. */
  billow_collider capsule = billow_collider_default();
  capsule.shape = BILLOW_SHAPE_CAPSULE;
  capsule.radius = 0.1f;
  capsule.position[1] = capsule.end[1] = -0.5f;
  capsule.position[2] = -0.5f;
  capsule.end[2] = 0.5f;
  billow_body_desc body_desc = {&capsule, 1, NULL, 1, NULL};
  billow_body* body = NULL;
  check(billow_body_create(&body_desc, &body));

  /* Describe the chain: straight down from the origin. */
  const uint32_t bone_count = BONES;
  float rest[3 * BONES] = {0};
  for (int i = 0; i < BONES; ++i) rest[3 * i + 1] = -0.08f * (float)i;
  billow_chains_desc chains_desc = {0};
  chains_desc.chain_count = 1;
  chains_desc.bone_counts = &bone_count;
  chains_desc.rest_positions = rest;
  billow_chains* chains = NULL;
  check(billow_chains_create(&chains_desc, &chains));

  /* Change what is not to be as it is by default. */
  billow_settings settings = billow_settings_default();
  settings.friction = 0.1f;
  settings.damping.value = 0.5f;
  check(billow_chains_set_settings(chains, &settings));

  /* Run two seconds: pose the body, step the chain, read what is wanted. */
  printf("   time      tip x   tip y   contacts  sub-steps\n");
  uint32_t touched = 0;
  for (int frame = 0; frame < 120; ++frame) {
    const float time = (float)frame / 60.0f;
    const billow_transform joint = {{0, 0, 0}, {0, 0, 0, 1}};
    const billow_transform root = {{0.5f * cosf(3.0f * time), 0, 0}, {0, 0, 0, 1}};
    const billow_step step = {1.0f / 60.0f, &root, 1, NULL, body, NULL, 0};
    check(billow_body_pose(body, &joint, 1, 1.0f));
    check(billow_chains_step(chains, &step));

    float positions[3 * BONES];
    billow_chains_report report;
    check(billow_chains_get_positions(chains, positions, BONES));
    check(billow_chains_get_report(chains, &report));
    touched += report.contacts;
    const float* tip = positions + 3 * (BONES - 1);
    if (frame % 10 == 0)
      printf("%5.2f s  %7.3f %7.3f  %9u %10u\n", (double)time, (double)tip[0], (double)tip[1],
             report.contacts, report.substeps);
  }

  billow_chains_destroy(chains);
  billow_body_destroy(body);
  if (touched == 0) fprintf(stderr, "the chain should have met the capsule\n");
  return touched > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
