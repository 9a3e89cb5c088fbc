import { rmSync } from "node:fs";
import { ensureFolder } from "@assent/guard/state";
import type { NotUndone } from "./after.ts";
import type { KeepResult } from "./keep.ts";
import { carryOut } from "./restore.ts";
import { prepareUndo, sealRun } from "./run.ts";
import { UndoStore } from "./store.ts";

/** What is kept of it goes as soon as its command has ended. */
const ALL = { file: Number.POSITIVE_INFINITY, run: Number.POSITIVE_INFINITY };

/**
 * What one command of a run is about to change, kept apart from what the run keeps: so that this command can be taken back while the
 * run goes on, to what was there when the command began.
 */
export class UndoPart {
  readonly #folder: string;
  readonly #store: UndoStore;
  /** Something could not be kept. */
  #lost: string | undefined;

  /** `folder`: its own, which is not there yet. Throws where it cannot be made. */
  constructor(folder: string) {
    this.#folder = folder;
    ensureFolder(folder);
    this.#store = new UndoStore(folder, ALL);
  }

  /** Before a call of the command is done. */
  keep(save: (undo: UndoStore, anyway: boolean) => KeepResult): KeepResult {
    const kept = save(this.#store, true);
    if (!kept.kept) this.#lost ??= kept.why;
    return kept;
  }

  /** It failed. */
  cancel(kept: KeepResult): void {
    this.#store.cancel(kept);
  }

  /** It succeeded. */
  done(note: (undo: UndoStore) => void): void {
    note(this.#store);
  }

  /** INVARIANT: nothing of the command goes on. `into`: what the run keeps, for what is done now is done in it. What is left as it is. */
  takeBack(into: UndoStore | undefined): readonly NotUndone[] {
    this.#store.close();
    const now = Date.now();
    sealRun(this.#folder, now);
    const { steps, refused } = prepareUndo([{ id: "", argv: [], cwd: "/", started: now, ended: now, folder: this.#folder }], {
      paths: [],
      force: true,
    });
    const store = into ?? new UndoStore(`${this.#folder}/back`, ALL);
    const { failed } = carryOut(steps, this.#folder, store);
    if (into === undefined) store.close();
    const lost = this.#lost === undefined ? [] : [{ path: this.#folder, why: this.#lost }];
    this.#forget();
    return [...lost, ...refused, ...failed];
  }

  /** The command has ended, and stays. */
  end(): void {
    this.#store.close();
    this.#forget();
  }

  #forget(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
