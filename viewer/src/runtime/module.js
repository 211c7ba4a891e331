// Loads the WebAssembly module (viewer/wasm/module.cpp) and accesses its memory and strings.

// The WASI imports of the module: a clock, and file functions that it never calls.
function wasiImports(getMemory) {
  const fails = () => 8; // EBADF
  return {
    wasi_snapshot_preview1: {
      clock_time_get(_clock, _precision, out) {
        const nanoseconds = BigInt(Math.round(performance.now() * 1e6));
        new DataView(getMemory().buffer).setBigUint64(out, nanoseconds, true);
        return 0;
      },
      fd_close: fails,
      fd_fdstat_get: fails,
      fd_fdstat_set_flags: fails,
      fd_prestat_get: fails,
      fd_prestat_dir_name: fails,
      fd_read: fails,
      fd_seek: fails,
      fd_write: fails,
      path_open: fails,
      proc_exit(code) {
        throw new Error(`the runtime stopped with code ${code}`);
      },
    },
  };
}

export class Runtime {
  // bytes: of billow_viewer.wasm.
  static async load(bytes) {
    const runtime = new Runtime();
    const { instance } = await WebAssembly.instantiate(
      bytes,
      wasiImports(() => runtime.calls.memory),
    );
    runtime.calls = instance.exports;
    runtime.calls._initialize?.();
    return runtime;
  }

  get lastError() {
    return this.text(this.calls.last_error());
  }

  // Create views anew for each use: memory growth detaches the old ones.
  floats(at, count) {
    return new Float32Array(this.calls.memory.buffer, at, count);
  }
  doubles(at, count) {
    return new Float64Array(this.calls.memory.buffer, at, count);
  }
  words(at, count) {
    return new Uint32Array(this.calls.memory.buffer, at, count);
  }
  bytes(at, count) {
    return new Uint8Array(this.calls.memory.buffer, at, count);
  }
  text(at) {
    const all = new Uint8Array(this.calls.memory.buffer, at);
    return new TextDecoder().decode(all.subarray(0, all.indexOf(0)).slice());
  }

  // Allocates `count` bytes, which the caller releases or hands over.
  allocate(count) {
    const at = this.calls.allocate(count);
    if (at === 0) throw new Error(`out of memory: cannot allocate ${count} bytes`);
    return at;
  }
  // Calls `use` with the address of `count` temporary bytes.
  withMemory(count, use) {
    const at = this.allocate(count);
    try {
      return use(at);
    } finally {
      this.calls.release(at);
    }
  }

  expect(status) {
    if (status !== 0) throw new Error(this.lastError);
  }
}
