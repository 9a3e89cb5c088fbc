import { addressOf, alloc, KernelError, native } from "../kernel/index.ts";

/** uv.h: `uv_handle_type`, `uv_poll_event`. */
const UV_POLL = 8;
const UV_READABLE = 1;

const library = native.load(null);
const number = (definition: string): ((...args: readonly unknown[]) => number) => library.func(definition);

/** libuv as node exports it for native modules (uv.h). A function that nothing is done in is the callback. */
const uv = {
  loop: number("long uv_default_loop()"),
  size: number("long uv_handle_size(int type)"),
  init: number("int uv_poll_init(long loop, long handle, int fd)"),
  start: number("int uv_poll_start(long handle, int events, void *callback)"),
  close: number("void uv_close(long handle, long callback)"),
  /** Takes nothing, so it does not look at what it is given. */
  nothing: library.symbol("uv_version"),
};

/** Handles are libuv's until it has closed them, some time later: they are never given back. */
const handles: Buffer[] = [];

/** A descriptor that wakes node's event loop. */
class WatchedDescriptor {
  readonly #at: number;

  constructor(fd: number) {
    const handle = alloc(uv.size(UV_POLL));
    handles.push(handle);
    this.#at = addressOf(handle);
    check(uv.init(uv.loop(), this.#at, fd));
    check(uv.start(this.#at, UV_READABLE, uv.nothing));
  }

  close(): void {
    uv.close(this.#at, 0);
  }
}

function check(result: number): void {
  if (result < 0) throw new KernelError("uv_poll", -result);
}

/** What a turn leaves to be done: go on at once, after some milliseconds, or when something happens (-1). */
export type NextTurn = "again" | number;

/**
 * The trap handler's turns in node's event loop. Between turns the loop itself waits, for the descriptors given too, so that
 * questions, the name server and signals have theirs, and nothing wakes where nothing happens.
 *
 * An immediate that does not keep the loop from waiting runs once it has waited, whatever woke it (`setImmediate`,
 * `immediate.unref`).
 */
export class Turns {
  readonly #turn: () => NextTurn | undefined;
  readonly #watched = new Map<number, WatchedDescriptor>();
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `turn`: undefined when there is to be none any more. */
  constructor(turn: () => NextTurn | undefined) {
    this.#turn = turn;
  }

  /** Wakes the loop when the descriptor is readable. */
  watch(fd: number): void {
    this.#watched.set(fd, new WatchedDescriptor(fd));
  }

  unwatch(fd: number): void {
    this.#watched.get(fd)?.close();
    this.#watched.delete(fd);
  }

  /** The next turn comes at once. */
  soon(): void {
    this.#clear();
    this.#immediate = setImmediate(this.#run);
  }

  end(): void {
    this.#clear();
    for (const fd of this.#watched.keys()) this.unwatch(fd);
  }

  #clear(): void {
    clearImmediate(this.#immediate);
    clearTimeout(this.#timer);
  }

  readonly #run = (): void => {
    const next = this.#turn();
    if (next === undefined) return this.end();
    this.soon();
    if (next === "again") return;
    this.#immediate?.unref();
    if (next >= 0) this.#timer = setTimeout(() => undefined, next);
  };
}
