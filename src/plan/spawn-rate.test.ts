import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import { limits } from '../model/limits.ts';
import { decide } from './decide.ts';
import { jitterMs } from './spawn-rate.ts';

const ids = ['a', 'b', 'c', 'd', 'e', 'f'];

/** A run whose six worktrees are ready at the same moment. */
function ready(spawnRate?: number): Story {
  const pace = spawnRate === undefined ? {} : { spawnRate };
  const story = new Story().tasks(...ids.map((id) => task(id))).start({ jobs: 6, ...pace });
  ids.forEach((id, at) => {
    story.prepared(id, at + 1);
  });
  return story;
}

/** Times at which the agents start if every decision is obeyed at once. */
function starts(story: Story, after: (id: string) => void = () => {}): readonly number[] {
  const times: number[] = [];
  for (let step = 0; step < 100 && times.length < ids.length; step += 1) {
    const { commands, wakeAt } = decide(story.state, 'r1', story.now);
    const begins = commands.filter(({ type }) => type === 'begin-turn');
    for (const command of begins) {
      if (!('id' in command)) continue;
      story.turn(command.id, times.length + 1);
      times.push(story.state.run('r1')?.lastStarts?.at(-1) ?? story.now);
      after(command.id);
    }
    if (begins.length === 0) story.now = wakeAt ?? story.now + 10_000;
  }
  return times;
}

describe('agents', () => {
  test('start at once where nothing paces them', () => {
    expect(
      ready()
        .commands()
        .filter((line) => line.startsWith('begin-turn')),
    ).toHaveLength(6);
  });

  test('start one after the other, at most so many within a second', () => {
    const times = starts(ready(4));
    expect(times).toHaveLength(6);
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(limits.spawnJitterMinMs);
    for (const gap of gaps.slice(0, 3))
      expect(gap).toBeLessThanOrEqual(limits.spawnJitterMaxMs + 2);
    expect((times[4] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(limits.spawnWindowMs);
    expect((times[5] ?? 0) - (times[0] ?? 0)).toBeLessThan(2 * limits.spawnWindowMs);
  });

  test('the first of a run waits for nothing, and a run with starts to come does not end', () => {
    const story = ready(1);
    expect(story.commands()).toEqual(['begin-turn a 1']);
    story.turn('a');
    const { commands, wakeAt } = decide(story.state, 'r1', story.now);
    expect(commands.map(({ type }) => type)).toEqual(['run-turn']);
    expect(wakeAt).toBe(story.now + limits.spawnWindowMs);
  });

  test('that have ended count too: the next start waits for its turn', () => {
    const story = ready(1).turn('a');
    expect(story.commands()).toEqual(['run-turn a 1']);
    const startedAt = story.state.run('r1')?.lastStarts?.at(-1) ?? 0;
    story.turnEnds('a', { ok: true, tail: '' });
    expect(story.commands()).not.toContain('begin-turn b 1');
    story.now = startedAt + limits.spawnWindowMs;
    expect(story.commands()).toContain('begin-turn b 1');
  });

  test('that end at once start no faster than the pace', () => {
    const story = ready(2);
    const times = starts(story, (id) => story.turnEnds(id, { ok: true, tail: '' }));
    expect(times).toHaveLength(6);
    for (const [at, time] of times.slice(2).entries()) {
      expect(time - (times[at] ?? 0)).toBeGreaterThanOrEqual(limits.spawnWindowMs);
    }
    expect((times[5] ?? 0) - (times[0] ?? 0)).toBeLessThan(3 * limits.spawnWindowMs);
  });

  test('are remembered only as far as the pace needs', () => {
    const paced = ready(2);
    starts(paced);
    expect(paced.state.run('r1')?.lastStarts).toHaveLength(2);
    // It may be resumed within the same second.
    paced.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
    expect(paced.state.run('r1')?.lastStarts).toHaveLength(2);
    const free = ready();
    starts(free);
    expect(free.state.run('r1')?.lastStarts).toBeUndefined();
  });

  test('follow a pace that the daemon sets while the run is under way', () => {
    const story = ready(4).turn('a');
    const change = { id: 'pace', starts: 1, windowMs: 3_000 } as const;
    story.tell({ type: 'slots-changed', run: 'r1', change });
    const started = story.state.task('a')?.attempt?.state;
    const since = started?.id === 'working' ? started.since : 0;
    const held = decide(story.state, 'r1', since + 2_999);
    expect(held.commands.map(({ type }) => type)).toEqual(['run-turn']);
    expect(held.wakeAt).toBe(since + 3_000);
    const next = decide(story.state, 'r1', since + 3_000);
    expect(next.commands.map(({ type }) => type)).toContain('begin-turn');
  });

  test('are not held up by a clock that was put back', () => {
    const story = ready(4).turn('a');
    story.now -= 500;
    expect(story.commands()).toContain('begin-turn b 1');
  });
});

test('the pause between two starts is the same for the same seed, and within its bounds', () => {
  fc.assert(
    fc.property(fc.string(), (seed) => {
      const ms = jitterMs(seed);
      expect(ms).toBe(jitterMs(seed));
      expect(ms).toBeGreaterThanOrEqual(50);
      expect(ms).toBeLessThanOrEqual(150);
    }),
  );
  expect(new Set(ids.map((id) => jitterMs(`r1 ${id} 1`))).size).toBeGreaterThan(1);
});
