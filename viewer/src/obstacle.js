// Things that stand in the way: what they are and where they are put, beside a person.
import * as Q from './person/quaternion.js';

const BESIDE = 0.18; // m from the pelvis to the surface: in loose cloth, not in the leg
const WALL = [0.1, 0.35, 0.75]; // half extents, m: below the hands; its length is along the heading
const POST = { radius: 0.08, height: 0.7 }; // m

// pelvis: where it will be when the person passes by.
export function placeObstacle(kind, { position, rotation }) {
  const heading = Q.heading(rotation);
  const at = (beside) => Q.add(position, Q.rotate(Q.aboutY(heading), [BESIDE + beside, 0, 0]));
  if (kind === 'post') {
    const [x, , z] = at(POST.radius);
    return { kind, position: [x, 0, z], ...POST };
  }
  const [x, , z] = at(WALL[0]);
  return { kind, position: [x, WALL[1], z], heading, halfExtents: WALL };
}
