/* What the opening comment of billow.h shows, in a program that runs: a frame of a garment, and a frame of chains alone. */
#include <billow/billow.h>
#include <stdio.h>
#include <stdlib.h>

static void check(billow_status status) {
  if (status == BILLOW_OK) return;
  fprintf(stderr, "billow: %s\n", billow_last_error());
  exit(EXIT_FAILURE);
}

static void step_a_garment(void) {
  billow_garment* garment = NULL;
  billow_instance* instance = NULL;
  check(billow_garment_load("assets/skirt.billow", NULL, &garment));
  check(billow_instance_create(garment, NULL, &instance));
  const uint32_t joint_count = billow_garment_joint_count(garment),
                 count = billow_garment_vertex_count(garment);
  billow_transform* joints = malloc(joint_count * sizeof *joints);
  float* out = malloc(3 * count * sizeof *out);
  if (!joints || !out) exit(EXIT_FAILURE);
  check(billow_garment_get_joint_rest(garment, joints, joint_count));

  billow_frame frame = {0};
  frame.dt = 1.0f / 60;
  frame.joints = joints;
  frame.joint_count = joint_count;
  const size_t stride = 3 * sizeof(float);
  check(billow_instance_step(instance, &frame));
  check(billow_instance_get_positions(instance, out, stride, count));
  printf("%u vertices, the last at %.3f %.3f %.3f\n", count, (double)out[3 * count - 3],
         (double)out[3 * count - 2], (double)out[3 * count - 1]);

  free(out);
  free(joints);
  billow_instance_destroy(instance);
  billow_garment_destroy(garment);
}

static void step_chains(void) {
  const billow_collider floor = billow_collider_default();
  const billow_body_desc body_desc = {&floor, 1, NULL, 1, NULL};
  const uint32_t bones = 2;
  const float rest[6] = {0, 1, 0, 0, 0.5f, 0};
  billow_chains_desc chains_desc = {0};
  chains_desc.chain_count = 1;
  chains_desc.bone_counts = &bones;
  chains_desc.rest_positions = rest;
  billow_body* body = NULL;
  billow_chains* chains = NULL;
  check(billow_body_create(&body_desc, &body));
  check(billow_chains_create(&chains_desc, &chains));

  const billow_transform joints[1] = {{{0, 0, 0}, {0, 0, 0, 1}}}, root = {{0, 1, 0}, {0, 0, 0, 1}};
  const uint32_t joint_count = 1;
  const float scale = 1;
  const billow_step step = {1.0f / 60, &root, 1, NULL, body, NULL, 0};
  check(billow_body_pose(body, joints, joint_count, scale));
  check(billow_chains_step(chains, &step));

  billow_chains_destroy(chains);
  billow_body_destroy(body);
}

int main(void) {
  step_a_garment();
  step_chains();
  return EXIT_SUCCESS;
}
