import type { GrowingLog } from '../app/log.ts';
import type { FilePart } from '../app/log-file.ts';
import type { Entry } from '../model/action.ts';
import { unreachable } from '../model/failure.ts';

/** Makes entries of the parts of a log. Lines of plain text are entries too; the start of a line waits for its end. */
export class EntryReader {
  readonly #log: GrowingLog;
  readonly #starts = new Map<string, string>();

  constructor(log: GrowingLog) {
    this.#log = log;
  }

  /** Entries of what was written since the last call, part by part. */
  *more(): Generator<readonly Entry[]> {
    for (const part of this.#log.more()) yield this.#entries(part);
  }

  /** Remaining entries once the log grows no more: also calls that never ended, and lines without an end. */
  *end(): Generator<readonly Entry[]> {
    for (const part of this.#log.end()) yield this.#entries(part);
    for (const text of this.#starts.values()) if (text !== '') yield [{ id: 'line', text }];
    this.#starts.clear();
  }

  #entries(part: FilePart): readonly Entry[] {
    switch (part.id) {
      case 'entries':
        return part.entries;
      case 'end':
        return part.open.map((call) => ({ id: 'tool', call }) as const);
      case 'text': {
        const lines = `${this.#starts.get(part.file) ?? ''}${part.text}`.split('\n');
        this.#starts.set(part.file, lines.pop() ?? '');
        return lines.map((text) => ({ id: 'line', text }) as const);
      }
      default:
        return unreachable(part);
    }
  }
}
