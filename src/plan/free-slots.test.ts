import { describe, expect, test } from 'vitest';
import { owner, Story, task } from '../../test/story.ts';
import { poolSize } from '../model/limits.ts';
import type { SlotChange } from '../model/run-record.ts';
import { slotViews } from '../report/view/slot.ts';
import { decide } from './decide.ts';

const tasks = ['a', 'b', 'c', 'd'].map((id) => task(id));

function begun(jobs: number): Story {
  return new Story().tasks(...tasks).start({ jobs });
}

function change(story: Story, ...changes: readonly SlotChange[]): Story {
  return story.tell(
    ...changes.map((one) => ({ type: 'slots-changed', run: story.run, change: one }) as const),
  );
}

function claimedSlots(story: Story): readonly number[] {
  const { commands } = decide(story.state, story.run, story.now);
  return commands.flatMap((command) => (command.type === 'claim' ? [command.slot] : []));
}

describe('a person changes the number of slots', () => {
  test('and more agents start at once', () => {
    const story = begun(1);
    expect(claimedSlots(story)).toEqual([1]);
    change(story, { id: 'number', jobs: 3 });
    expect(claimedSlots(story)).toEqual([1, 2, 3]);
    expect(story.record().settings).toMatchObject({ jobs: 3, pool: poolSize(3) });
  });

  test('and a removed slot ends its turn, shows it, and takes nothing more', () => {
    const story = begun(2).prepared('a', 1).turn('a', 1).prepared('b', 2).turn('b', 2);
    change(story, { id: 'number', jobs: 1 });
    const live = () =>
      slotViews([story.task('a'), story.task('b')], story.record(), { lastActions: new Map() }, 0);
    expect(live()).toMatchObject([
      { slot: 1, status: 'open', task: 'a' },
      { slot: 2, status: 'removed', task: 'b' },
    ]);
    story.turnEnds('b', { ok: true, tail: '' });
    story.captured('b');
    expect(claimedSlots(story)).toEqual([]);
    story.turnEnds('a', { ok: true, tail: '' }).captured('a').judged('a', true);
    // The work in the removed slot is still being judged: one slot, one agent.
    expect(claimedSlots(story)).toEqual([]);
    story.judged('b', true);
    expect(claimedSlots(story)).toEqual([1]);
  });

  test('and an agent in a removed slot counts until it has finished', () => {
    const story = begun(3).prepared('a', 1).turn('a', 1).prepared('b', 2).turn('b', 2);
    change(story, { id: 'number', jobs: 2 });
    expect(claimedSlots(story)).toEqual([]);
    change(story, { id: 'number', jobs: 1 });
    story.turnEnds('a', { ok: true, tail: '' }).captured('a').judged('a', true);
    expect(claimedSlots(story)).toEqual([]);
    change(story, { id: 'number', jobs: 2 });
    expect(claimedSlots(story)).toEqual([1]);
  });

  test('within the limits of a run, and not below the pool that the config set', () => {
    const story = new Story().tasks(...tasks).start({ jobs: 2, pool: 3 });
    change(story, { id: 'number', jobs: 99 });
    expect(story.record().settings).toMatchObject({ jobs: 16, pool: 16 });
    change(story, { id: 'number', jobs: 1 });
    expect(story.record().settings).toMatchObject({ jobs: 1, pool: 16 });
  });

  test('and an added slot is open although it was paused when it was removed', () => {
    const story = change(
      begun(2),
      { id: 'pause', slot: 2 },
      { id: 'number', jobs: 1 },
      { id: 'number', jobs: 2 },
    );
    expect(claimedSlots(story)).toEqual([1, 2]);
  });
});

describe('a person pauses a slot', () => {
  test('and nothing starts there until it is resumed', () => {
    const story = change(begun(2), { id: 'pause', slot: 1 });
    expect(claimedSlots(story)).toEqual([2]);
    change(story, { id: 'resume', slot: 1 });
    expect(claimedSlots(story)).toEqual([1, 2]);
  });

  test('and its turn ends there, while another slot takes the next one', () => {
    const story = begun(2).prepared('a', 1).turn('a', 1);
    change(story, { id: 'pause', slot: 1 });
    const { commands } = decide(story.state, story.run, story.now);
    expect(commands.map(({ type }) => type)).toContain('run-turn');
    story.turnEnds('a', { ok: true, tail: '', signal: { id: 'nothing' } });
    const after = decide(story.state, story.run, story.now).commands;
    expect(after.find(({ type }) => type === 'begin-turn')).toMatchObject({ id: 'a', slot: 2 });
  });

  test('and a run whose slots are all paused waits for the person', () => {
    const story = change(begun(2), { id: 'pause', slot: 1 }, { id: 'pause', slot: 2 });
    expect(decide(story.state, story.run, story.now + 10 ** 9)).toEqual({ commands: [] });
    story.tell({ type: 'stop-asked', run: story.run, how: 'finish', by: 'x' });
    expect(decide(story.state, story.run, story.now).commands).toMatchObject([{ type: 'end-run' }]);
  });

  test('and the run ends as usual when nothing is left to start', () => {
    const story = change(new Story().start({ jobs: 1 }), { id: 'pause', slot: 1 });
    expect(decide(story.state, story.run, story.now).commands).toMatchObject([
      { type: 'end-run', stop: { reason: 'drained' } },
    ]);
  });

  test('and a resumed run keeps it paused', () => {
    const story = change(begun(2), { id: 'number', jobs: 3 }, { id: 'pause', slot: 1 });
    story.tell({ type: 'run-resumed', run: story.run, owner });
    expect(claimedSlots(story)).toEqual([2, 3]);
  });
});
