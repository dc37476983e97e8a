import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { slotOf } from '../model/attempt-state.ts';
import type { Command } from '../model/command.ts';
import { limits } from '../model/limits.ts';
import { decide } from './decide.ts';
import { freeSlots, slotStatus } from './free-slots.ts';
import { startReasons } from './start-reason.ts';
import { fitsSlot, workerOf } from './workers.ts';

const workers = ['w1', 'w2', 'w3'];
const tasks = Array.from({ length: 12 }, (_, n) =>
  task(`t${n}`, { labels: n % 4 === 0 ? ['needs:gpu'] : [] }),
);

/** What happens next: a worker says something, a person changes the slots, or time passes for the attempts. */
const happening = fc.oneof(
  fc.record({
    id: fc.constant('worker' as const),
    worker: fc.constantFrom(...workers),
    slots: fc.integer({ min: 0, max: 5 }),
    state: fc.constantFrom('joined', 'draining', 'ended', 'lost' as const),
  }),
  fc.record({ id: fc.constant('jobs' as const), jobs: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ id: fc.constant('pause' as const), slot: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ id: fc.constant('go' as const), luck: fc.nat(7) }),
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

function happen(story: Story, what: Happening): void {
  const { run } = story;
  switch (what.id) {
    case 'worker': {
      const { worker, slots, state } = what;
      const labels = worker === 'w1' ? ['gpu'] : [];
      const of = { run, worker, host: worker, labels, slots, state };
      story.tell({ type: 'worker-changed', ...of });
      return;
    }
    case 'jobs':
      story.tell({ type: 'slots-changed', run, change: { id: 'number', jobs: what.jobs } });
      return;
    case 'pause':
      story.tell({ type: 'slots-changed', run, change: { id: 'pause', slot: what.slot } });
      return;
    case 'go':
      for (const command of commandsOf(story)) carryOut(story, command, what.luck);
  }
}

const commandsOf = (story: Story): readonly Command[] =>
  decide(story.state, story.run, story.now).commands;

/** Carries out what is decided about agents, in the simplest way. */
function carryOut(story: Story, command: Command, luck: number): void {
  switch (command.type) {
    case 'claim':
      story.prepared(command.id, command.slot);
      return;
    case 'begin-turn': {
      const { role: _role, ...turn } = command;
      story.tell({ ...turn, type: 'turn-started', run: story.run });
      return;
    }
    case 'run-turn': {
      const { id } = command.work.task;
      const signal = luck % 2 === 0 ? ({ id: 'complete' } as const) : ({ id: 'nothing' } as const);
      story.turnEnds(id, { ok: true, tail: '', signal });
      return;
    }
    case 'capture':
      story.captured(command.work.task.id);
      return;
    case 'give-up': {
      const { id, attempt, failure } = command;
      const of = { run: story.run, id, attempt, failure };
      story.tell({ type: 'attempt-given-up', ...of }, { type: 'attempt-failed', ...of });
      return;
    }
    default:
      return;
  }
}

/** Slots that the commands take, with the worker of the attempt that they are for. */
function starts(story: Story): readonly { slot: number; id: string; isFirst: boolean }[] {
  return commandsOf(story).flatMap<{ slot: number; id: string; isFirst: boolean }>((command) => {
    if (command.type === 'claim') return [{ slot: command.slot, id: command.id, isFirst: true }];
    if (command.type !== 'begin-turn') return [];
    return [{ slot: command.slot, id: command.id, isFirst: false }];
  });
}

test('whatever workers and people do, a slot has one attempt, and work starts where it may', () => {
  fc.assert(
    fc.property(fc.array(happening, { minLength: 5, maxLength: 60 }), (happenings) => {
      const story = new Story().tasks(...tasks).start({ jobs: 2, retries: limits.jobsMax });
      for (const what of happenings) {
        happen(story, what);
        const run = story.record();
        const live = [...story.state.live].map((id) => story.task(id));
        const held = live.flatMap(({ attempt }) => (attempt && slotOf(attempt.state)) ?? []);
        expect(new Set(held).size).toBe(held.length);
        for (const { slot, id, isFirst } of starts(story)) {
          const { task: one, attempt } = story.task(id);
          // An attempt that was claimed there gets its first turn in any case.
          if (attempt?.state.id === 'prepared' && attempt.state.slot === slot) continue;
          expect(held).not.toContain(slot);
          expect(slotStatus(run, slot)).toBe('open');
          if (isFirst) expect(fitsSlot(run, slot, one)).toBe(true);
          // A conversation goes on where its worktree is.
          else expect(workerOf(run, slot)).toBe(attempt?.worker);
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('a task waits for a slot only while none that may take it is free, and what starts is next', () => {
  fc.assert(
    fc.property(fc.array(happening, { minLength: 5, maxLength: 60 }), (happenings) => {
      const story = new Story().tasks(...tasks).start({ jobs: 2, retries: limits.jobsMax });
      for (const what of happenings) {
        happen(story, what);
        const run = story.record();
        const records = [...story.state.tasks.values()];
        const reasonOf = startReasons(run, records, story.now);
        const live = [...story.state.live].map((id) => story.task(id));
        const free = freeSlots(run, live);
        for (const id of story.state.ready.ids()) {
          const record = story.task(id);
          if (reasonOf(record).id !== 'slot') continue;
          expect(free.filter((slot) => fitsSlot(run, slot, record.task))).toEqual([]);
        }
        for (const { id, isFirst } of starts(story)) {
          if (isFirst) expect(reasonOf(story.task(id))).toEqual({ id: 'next' });
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('a worker that comes and goes never has more slots than it ever announced', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
      const story = new Story().tasks(...tasks).start({ jobs: 2 });
      const most = new Map<string, number>();
      for (const what of happenings) {
        happen(story, what);
        if (what.id !== 'worker' || what.state !== 'joined') continue;
        most.set(what.worker, Math.max(most.get(what.worker) ?? 0, what.slots));
      }
      for (const worker of workers) {
        const own = story.record().slots.filter((slot) => slot.worker === worker);
        expect(own).toHaveLength(most.get(worker) ?? 0);
      }
    }),
  );
});
