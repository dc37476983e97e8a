import type { Owner } from '../../src/model/run.ts';
import type { SlotChange } from '../../src/model/run-record.ts';
import type { Decision } from '../../src/model/task.ts';
import { readingOf } from '../../src/report/task/message.ts';
import type { World } from './world.ts';

/** Does something after a time. */
type Later = (ms: number, act: () => Promise<unknown>) => void;

/**
 * A person who interferes: commits, edits, decides, changes slots, writes to agents and takes their
 * worktrees.
 */
export class Person {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Plans all that they do while engines run. Returns what they do between two engines. */
  begin(): () => Promise<void> {
    const { chance, clock, git, store } = this.#world;
    const later: Later = (ms, act) => {
      void clock.sleep(ms).then(act);
    };
    for (let n = chance.between(0, 2); n > 0; n -= 1) {
      later(chance.between(100, 15_000), async () => {
        git.commitByHand({ [`person/${n}`]: 'by hand' });
      });
    }
    if (chance.happens(0.2)) {
      const path = chance.pick(['README', 'shared', 'work/t0']);
      later(chance.between(100, 8_000), async () => git.write(git.root, path, 'edited'));
      later(chance.between(9_000, 20_000), async () => {
        git.tidyByHand();
      });
    }
    if (chance.happens(0.2)) {
      const how = chance.pick(['finish', 'now'] as const);
      later(chance.between(100, 8_000), () =>
        store.append(clock.now(), [
          { type: 'stop-asked', run: this.#world.run, how, by: 'a person' },
        ]),
      );
    }
    for (let n = chance.pick([0, 0, 0, 2, 4]); n > 0; n -= 1) {
      later(chance.between(100, 20_000), () => this.#changeSlots(later));
    }
    for (let n = chance.pick([0, 0, 1, 3]); n > 0; n -= 1) {
      later(chance.between(100, 20_000), () => this.#write(`message ${n}`));
    }
    for (let n = chance.pick([0, 2, 6]); n > 0; n -= 1) {
      const by = { pid: 1_000 + n, startedAt: String(n), host: 'memory' };
      later(chance.between(100, 20_000), () => this.#hold(by, later));
    }
    const reply = async (): Promise<void> => {
      for (const { task: asked, attempt } of this.#world.state.tasks.values()) {
        const decision = this.#word(attempt?.state.id);
        if (decision === undefined) continue;
        await store.append(clock.now(), [{ type: 'task-decided', id: asked.id, decision }]);
      }
      for (const { task: asked, variants } of this.#world.state.tasks.values()) {
        const [variant] = variants?.asked?.finished ?? [];
        if (variant === undefined) continue;
        const decision = { kind: 'choose', variant, by: 'person' } as const;
        await store.append(clock.now(), [{ type: 'task-decided', id: asked.id, decision }]);
      }
      later(10_000, reply);
    };
    later(10_000, reply);
    if (this.#world.isCompared && chance.happens(0.3)) {
      later(chance.between(100, 20_000), () => this.#decideGroup());
    }
    return async () => {
      if (chance.happens(0.3)) await clock.advance(chance.between(1, 20_000));
    };
  }

  /** A person changes the number of slots, or pauses one and resumes it later. */
  async #changeSlots(later: Later): Promise<void> {
    const { store, clock, chance, run, state } = this.#world;
    const { jobs = 1 } = state.run(run)?.settings ?? {};
    const tell = (change: SlotChange) =>
      store.append(clock.now(), [{ type: 'slots-changed', run, change }]);
    if (chance.happens(0.5)) return void (await tell({ id: 'number', jobs: chance.between(1, 6) }));
    const slot = chance.between(1, jobs);
    await tell({ id: 'pause', slot });
    later(chance.between(100, 30_000), () => tell({ id: 'resume', slot }));
  }

  /** A person writes to the agent of a task, if `ym tell` would allow it. */
  async #write(text: string): Promise<void> {
    const record = this.#world.state.task(this.#world.chance.pick(this.#world.tasks).id);
    if (record === undefined || readingOf(record, true).id === 'never') return;
    await this.#world.store.append(this.#world.clock.now(), [
      { type: 'message-sent', id: record.task.id, text },
    ]);
  }

  /** A person decides about a task that has variants, or about one of them. */
  async #decideGroup(): Promise<void> {
    const { state, chance, store, clock } = this.#world;
    const compared = [...state.compared].flatMap((id) => state.task(id) ?? []);
    if (compared.length === 0) return;
    const { task, variants } = chance.pick(compared);
    const id = chance.pick([task.id, ...(variants?.ids ?? [])]);
    const decision: Decision = chance.pick([
      { kind: 'cancel', reason: 'No longer wanted.' } as const,
      { kind: 'block', reason: 'Not yet.' } as const,
      { kind: 'retry' } as const,
      { kind: 'skip', reason: 'Done by hand.' } as const,
    ]);
    await store.append(clock.now(), [{ type: 'task-decided', id, decision }]);
  }

  /** A person takes the worktree of an attempt and releases it later, or their process vanishes. */
  async #hold(by: Owner, later: Later): Promise<void> {
    const { store, clock, chance, processes } = this.#world;
    const live = [...this.#world.state.live].flatMap((id) => this.#world.state.task(id) ?? []);
    const between = live.filter(({ attempt }) =>
      /working|resting|asking/.test(attempt?.state.id ?? ''),
    );
    const among = between.length > 0 ? between : live;
    const { task: held, attempt } = among.length > 0 ? chance.pick(among) : {};
    if (held === undefined || attempt === undefined) return;
    const { id } = held;
    processes.owners.add(by);
    const decide = (decision: Decision) =>
      store.append(clock.now(), [{ type: 'task-decided', id, decision }]);
    await decide({ kind: 'hold', attempt: attempt.number, by });
    later(chance.pick([0, 200, 5_000, 30_000]), async () => {
      if (chance.happens(0.5)) await decide({ kind: 'release', by });
      processes.owners.delete(by);
    });
  }

  /** A person answers, approves or rejects what waits for them. */
  #word(state: string | undefined): Decision | undefined {
    if (state === 'asking') return { kind: 'answer', text: 'Yes.' };
    if (state !== 'awaiting') return undefined;
    return this.#world.chance.happens(0.7)
      ? { kind: 'approve' }
      : { kind: 'reject', reason: 'No.' };
  }
}
