// A garment file and the data that the page needs from it. docs/formats.md describes the sections.

export const SHAPES = ['sphere', 'capsule', 'tapered capsule', 'ellipsoid', 'box', 'half space'];
const COLLIDER_BYTES = 128;
const CLOSED_OFFSET = 52; // byte offset in the section "garment"

export class Garment {
  // file: an ArrayBuffer. Throws with the reason if it is not valid.
  constructor(runtime, file) {
    this.runtime = runtime;
    const { calls } = runtime;
    const at = runtime.allocate(file.byteLength);
    runtime.bytes(at, file.byteLength).set(new Uint8Array(file));
    this.handle = calls.garment_open(at, file.byteLength);
    if (this.handle === 0) throw new Error(runtime.lastError);

    this.name = runtime.text(calls.garment_name(this.handle));
    this.vertexCount = calls.garment_vertices(this.handle);
    const triangles = calls.garment_triangles(this.handle);
    this.jointNames = Array.from({ length: calls.garment_joints(this.handle) }, (_, j) =>
      runtime.text(calls.garment_joint_name(this.handle, j)),
    );
    this.triangles = this.#read('garment_read_triangles', 3 * triangles, Uint32Array);
    this.uvs = this.#read('garment_read_uvs', 2 * this.vertexCount, Float32Array);
    this.jointRest = this.#read('garment_read_joint_rest', 7 * this.jointNames.length, Float32Array);
    this.chainSizes = Array.from(new Uint32Array(this.section('chains')));
    this.isClosed = new DataView(this.section('garment')).getUint32(CLOSED_OFFSET, true) === 1;
    this.colliders = this.#readColliders();
    this.canBlend = this.section('blend.weights').byteLength > 0; // linear blend skinning
  }

  close() {
    this.runtime.calls.garment_close(this.handle);
    this.handle = 0;
  }

  // A copy of a section's bytes; empty if it is missing.
  section(name) {
    const { runtime } = this;
    const text = new TextEncoder().encode(`${name}\0`);
    return runtime.withMemory(text.length + 8, (at) => {
      runtime.bytes(at + 8, text.length).set(text);
      const from = runtime.calls.garment_section(this.handle, at + 8, at);
      return runtime.bytes(from, runtime.words(at, 1)[0]).slice().buffer;
    });
  }

  #read(call, count, Type) {
    const { runtime } = this;
    return runtime.withMemory(4 * count, (at) => {
      runtime.expect(runtime.calls[call](this.handle, at));
      return new Type(runtime.calls.memory.buffer, at, count).slice();
    });
  }

  #readColliders() {
    const bytes = new DataView(this.section('colliders'));
    const read = (at, count, get) => Array.from({ length: count }, (_, k) => bytes[get](at + 4 * k, true));
    return Array.from({ length: bytes.byteLength / COLLIDER_BYTES }, (_, i) => {
      const at = i * COLLIDER_BYTES;
      return {
        shape: SHAPES[bytes.getUint32(at + 8, true)],
        position: read(at + 12, 3, 'getFloat32'),
        rotation: read(at + 24, 4, 'getFloat32'),
        end: read(at + 40, 3, 'getFloat32'),
        radius: bytes.getFloat32(at + 52, true),
        radiusEnd: bytes.getFloat32(at + 56, true),
        halfExtents: read(at + 60, 3, 'getFloat32'),
        joints: read(at + 72, 4, 'getUint32'),
        weights: read(at + 88, 4, 'getFloat32'),
      };
    });
  }

  // Pairs of bone indices, chain by chain: ropes along the chains, lateral springs between neighbouring
  // chains.
  ropes() {
    return this.#pairs((first, size, pairs) => {
      for (let k = 1; k < size; ++k) pairs.push(first + k - 1, first + k);
    });
  }
  laterals() {
    const starts = this.#chainStarts();
    return this.#pairs((first, size, pairs, chain) => {
      const next = chain + 1 < starts.length ? chain + 1 : this.isClosed ? 0 : -1;
      if (next < 0) return;
      for (let k = 0; k < Math.min(size, this.chainSizes[next]); ++k) pairs.push(first + k, starts[next] + k);
    });
  }
  #chainStarts() {
    let sum = 0;
    return this.chainSizes.map((size) => (sum += size) - size);
  }
  #pairs(add) {
    const pairs = [];
    this.#chainStarts().forEach((first, chain) => add(first, this.chainSizes[chain], pairs, chain));
    return Uint32Array.from(pairs);
  }
}
