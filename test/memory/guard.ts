import { isWatched } from '../../src/guard/tampering-list.ts';
import type { HomeEffect } from '../../src/model/violation.ts';
import type { Guard, Listing, Snapshot } from '../../src/port/guard.ts';

type Marks = Readonly<Record<string, string>>;

/** A guard over nothing but what tests tell it. */
export class MemoryGuard implements Guard {
  #hooks: Marks = {};
  #settings: Marks = { config: 'as it was' };
  #refs: Marks = {};
  #files: Marks = {};
  #head = 'ref: refs/heads/main';
  #home: Readonly<Record<HomeEffect, Marks>> = { gate: {}, access: {}, session: {} };
  #edits = 0;
  #looks = 0;

  constructor(refs: Marks = {}) {
    this.#refs = refs;
  }

  get looks(): number {
    return this.#looks;
  }

  plantHook(name: string): void {
    this.#hooks = { ...this.#hooks, [name]: this.#edit() };
  }

  removeHook(name: string): void {
    this.#hooks = without(this.#hooks, name);
  }

  changeSettings(file: string): void {
    this.#settings = { ...this.#settings, [file]: this.#edit() };
  }

  /** Without a commit the ref is deleted. */
  moveRef(ref: string, commit?: string): void {
    if (!isWatched(ref)) return;
    const others = without(this.#refs, ref);
    this.#refs = commit === undefined ? others : { ...others, [ref]: commit };
  }

  editCheckout(file: string): void {
    this.#files = { ...this.#files, [file]: this.#edit() };
  }

  switchCheckout(branch: string): void {
    this.#head = `ref: refs/heads/${branch}`;
  }

  changeHome(effect: HomeEffect, file: string): void {
    const marks = { ...this.#home[effect], [file]: this.#edit() };
    this.#home = { ...this.#home, [effect]: marks };
  }

  async snapshot(): Promise<Snapshot> {
    this.#looks += 1;
    return {
      hooks: listing(this.#hooks),
      checkoutHooks: listing({}),
      settings: listing(this.#settings),
      refs: listing(this.#refs),
      checkout: { dir: '/repo', head: this.#head, files: listing(this.#files) },
      home: {
        gate: listing(this.#home.gate),
        access: listing(this.#home.access),
        session: listing(this.#home.session),
      },
    };
  }

  #edit(): string {
    this.#edits += 1;
    return String(this.#edits);
  }
}

function listing(marks: Marks): Listing {
  return { marks };
}

function without(marks: Marks, name: string): Marks {
  return Object.fromEntries(Object.entries(marks).filter(([other]) => other !== name));
}
