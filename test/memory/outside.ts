import type { CommandEnd, Outside } from '../../src/port/outside.ts';

/** The machine outside of the project. Tests say which files exist and which commands succeed. */
export class MemoryOutside implements Outside {
  readonly files: Set<string>;
  readonly successes = new Set<string>();
  /** Commands that were run, in order. */
  readonly ran: string[] = [];

  constructor(files: readonly string[] = []) {
    this.files = new Set(files);
  }

  async exists(path: string): Promise<boolean> {
    return this.files.has(path);
  }

  async run(command: string): Promise<CommandEnd> {
    this.ran.push(command);
    return this.successes.has(command) ? { ok: true } : { ok: false, note: 'exit status 1' };
  }

  /** Its commands take no time. */
  interrupt(): void {}
}
