import type { Yard } from '../library/yard.ts';
import { ok, type Result } from '../model/failure.ts';
import type { Sentences } from '../report/explain/sentences.ts';

/** `ym` that was started as a process of its own. */
interface StartedProgram {
  readonly output: string;
  readonly ended: Promise<number>;
}

export interface SessionOptions {
  /** Opens the project for a client, whose name its events carry. */
  readonly open: (client: string) => Promise<Result<Yard, Sentences>>;
  /** Starts `ym` with these words, as a process that outlives this one. */
  readonly start: (words: readonly string[], client: string) => Promise<Result<StartedProgram>>;
  /** True if the client may approve work, which is a person's decision otherwise. */
  readonly mayApprove: boolean;
  readonly version: string;
}

/** The open project of each client that has called. A connection has one client. */
export class Session {
  readonly options: SessionOptions;
  /** Decisions that each client was told of, or that waited for a person before it started its run. */
  readonly needs = new Map<string, ReadonlySet<string>>();
  readonly #yards = new Map<string, Yard>();

  constructor(options: SessionOptions) {
    this.options = options;
  }

  async yardOf(client: string): Promise<Result<Yard, Sentences>> {
    const known = this.#yards.get(client);
    if (known !== undefined) return ok(known);
    const opened = await this.options.open(client);
    if (opened.ok) this.#yards.set(client, opened.value);
    return opened;
  }

  async close(): Promise<void> {
    for (const yard of this.#yards.values()) await yard.close();
  }
}
