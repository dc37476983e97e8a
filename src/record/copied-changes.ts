import { fold } from '../plan/fold.ts';
import type { LogRow } from '../port/store-copy.ts';
import { type Changes, Draft, type Loaded } from './draft.ts';
import { eventFrom } from './stored-events.ts';

const nothing: Loaded = { tasks: [], children: [], runs: [], runHistories: [], attempts: [] };

/** Folds a log into empty tables, in the order of its rows. */
export class CopiedLog {
  readonly #draft = new Draft({ lastSeq: 0, fence: 0 }, () => nothing);

  add({ seq, at, version, body }: LogRow) {
    const event = eventFrom({ seq, at, version }, body);
    fold(this.#draft, event);
    return event;
  }

  /** The records, without the events, in parts of at most `size` of a kind. */
  *parts(size: number): Iterable<Changes> {
    const all = this.#draft.changes();
    const part = <T>(list: readonly T[], at: number) => list.slice(at, at + size);
    const { tasks, runs, runHistories, attempts, verdicts, steps, queueSteps } = all;
    const lists = [tasks, runs, runHistories, attempts, verdicts, steps, queueSteps];
    const most = Math.max(...lists.map(({ length }) => length));
    for (let at = 0; at < most; at += size) {
      yield {
        events: [],
        tasks: part(tasks, at),
        runs: part(runs, at),
        runHistories: part(runHistories, at),
        attempts: part(attempts, at),
        verdicts: part(verdicts, at),
        steps: part(steps, at),
        queueSteps: part(queueSteps, at),
        claims: new Map(),
        fence: undefined,
      };
    }
  }
}
