import { describe, expect, it } from 'vitest';
import { aTask } from '../../test/report/fixtures.ts';
import { need } from '../../test/rig/need.ts';
import type { Task } from '../model/task.ts';
import { agentMs, expectedMs, learnTimes, type PastTask } from './learned-times.ts';

const minute = 60_000;

function past(minutes: number, more: Partial<Task> = {}, agent = 'claude'): PastTask {
  return { task: aTask(`t${minutes}`, more), agent, ms: minutes * minute };
}

function learned(...all: readonly PastTask[]) {
  const times = need(learnTimes(all));
  return times;
}

const many = (count: number, one: PastTask): PastTask[] => Array.from({ length: count }, () => one);
const minutesOf = (task: Partial<Task>, times: ReturnType<typeof learned>, agent = 'claude') =>
  Math.round(expectedMs(aTask('new', task), agent, times) / minute);

describe('learned agent times', () => {
  it('need a few landed tasks', () => {
    expect(learnTimes([])).toBeUndefined();
    expect(learnTimes([past(5), past(5)])).toBeUndefined();
    expect(learnTimes([past(0), past(0), past(0)])).toBeUndefined();
  });

  it('are the median for a task of no known trait, and one outlier changes little', () => {
    const times = learned(past(4), past(5), past(6), past(7), past(2_000));
    expect(minutesOf({}, times)).toBe(6);
  });

  it('follow the difficulty, and more so the more tasks had it', () => {
    const easy = { difficulty: 'easy' } as const;
    const hard = { difficulty: 'hard' } as const;
    const few = learned(...many(9, past(10)), past(80, hard));
    const more = learned(...many(9, past(10)), ...many(6, past(80, hard)));
    expect(minutesOf(easy, more)).toBe(10);
    expect(minutesOf(hard, few)).toBeGreaterThan(10);
    expect(minutesOf(hard, more)).toBeGreaterThan(minutesOf(hard, few));
    expect(minutesOf(hard, more)).toBeLessThan(80);
  });

  it('explain the same time once, although hard tasks have long texts', () => {
    const long = { difficulty: 'hard', body: 'x'.repeat(5_000) } as const;
    const times = learned(...many(20, past(10)), ...many(20, past(40, long)));
    const expected = minutesOf(long, times);
    expect(expected).toBeGreaterThan(30);
    expect(expected).toBeLessThan(45);
  });

  it('know the agent that takes the task', () => {
    const slow = many(8, past(40, {}, 'slow'));
    const times = learned(...many(8, past(10, {}, 'fast')), ...slow);
    expect(minutesOf({}, times, 'fast')).toBeLessThan(minutesOf({}, times, 'slow'));
    expect(minutesOf({ agent: 'slow' }, times, 'fast')).toBe(minutesOf({}, times, 'slow'));
  });

  it('let a stated estimate win, corrected by how wrong earlier ones were', () => {
    const right = learned(...many(6, past(30, { estimate: '30m' })));
    const wrong = learned(...many(6, past(60, { estimate: '30m' })));
    expect(minutesOf({ estimate: '10m' }, right)).toBe(10);
    expect(minutesOf({ estimate: '10m' }, wrong)).toBeGreaterThan(14);
    expect(minutesOf({ estimate: '10m' }, wrong)).toBeLessThanOrEqual(20);
    expect(minutesOf({ estimate: '10m' }, learned(...many(6, past(30))))).toBe(10);
  });

  it('fit into the settings of a run whatever the tasks are', () => {
    const all = Array.from({ length: 500 }, (_, at) => past(1 + (at % 90), { type: `type-${at}` }));
    expect(JSON.stringify(learned(...all)).length).toBeLessThan(2_000);
  });

  it('count turns, without the waits between them', () => {
    const turn = { run: 'r', slot: 1, agent: 'a', reported: false, outcome: 'landed' } as const;
    const turns = [
      { ...turn, turn: 1, startedAt: 0, end: { at: 5 } },
      { ...turn, turn: 2, startedAt: 100, end: { at: 107 } },
      { ...turn, turn: 3, startedAt: 200 },
    ];
    expect(agentMs({ turns })).toBe(12);
  });
});
