// Unit quaternions [x, y, z, w] and vectors [x, y, z].

export const IDENTITY = [0, 0, 0, 1];

export function multiply(a, b) {
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}

export const conjugate = ([x, y, z, w]) => [-x, -y, -z, w];

export function normalize(q) {
  const n = Math.hypot(...q);
  return n > 1e-12 ? q.map((v) => v / n) : IDENTITY;
}

export function rotate(q, v) {
  const t = cross(q, v).map((c) => 2 * c);
  const u = cross(q, t);
  return v.map((c, k) => c + q[3] * t[k] + u[k]);
}

export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const dot = (a, b) => a.reduce((sum, v, k) => sum + v * b[k], 0);
export const add = (a, b) => a.map((v, k) => v + b[k]);
export const subtract = (a, b) => a.map((v, k) => v - b[k]);
export const scale = (a, s) => a.map((v) => v * s);

// Normalised linear interpolation along the shorter arc.
export function nlerp(a, b, t) {
  const s = dot(a, b) < 0 ? -t : t;
  return normalize(a.map((v, k) => (1 - t) * v + s * b[k]));
}

export const aboutY = (radians) => [0, Math.sin(radians / 2), 0, Math.cos(radians / 2)];

// The shortest rotation from direction a to direction b.
export function between(a, b) {
  const n = Math.hypot(...a) * Math.hypot(...b);
  if (!(n > 1e-12)) return IDENTITY;
  const w = n + dot(a, b);
  if (w > 1e-9 * n) return normalize([...cross(a, b), w]);
  const other = Math.abs(a[0]) < Math.abs(a[1]) ? [1, 0, 0] : [0, 1, 0];
  return normalize([...cross(a, other), 0]);
}

// The yaw of a rotation: the angle about y of its image of +z, in radians.
export function heading(q) {
  const [x, , z] = rotate(q, [0, 0, 1]);
  return Math.atan2(x, z);
}
