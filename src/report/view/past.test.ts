import { describe, expect, it } from 'vitest';
import { anAttempt as anAttemptIn, aRecord, aRun } from '../../../test/report/fixtures.ts';
import type { AttemptState } from '../../model/attempt.ts';
import type { AttemptRecord, RunHistory } from '../../model/history.ts';
import type { RunRecord } from '../../model/run-record.ts';
import type { TaskRecord, TaskStatus } from '../../model/task-record.ts';
import { type Past, pastViewOf } from './past.ts';

const landed = { id: 'landed', commit: 'c', run: 'r1', at: 5 } as const;

/** An attempt whose agent took `ms`, and which landed at `at`. */
function anAttempt(task: string, ms: number, at: number): AttemptRecord {
  const startedAt = at - ms;
  const turn = { turn: 1, run: 'r1', slot: 1, startedAt, agent: 'scripted', reported: false };
  return {
    task,
    number: 1,
    runs: ['r1'],
    slot: 1,
    agent: 'scripted',
    branch: `yard/r1/${task}-1`,
    startedAt,
    changedAt: at,
    turns: [{ ...turn, end: { at }, outcome: 'landed' }],
    calls: [],
    captures: [],
    prefixes: [],
    end: { id: 'landed', at, run: 'r1', work: 'w', coClaims: [], commit: 'c', from: 'b', order: 1 },
  };
}

const twoSlots = { ...aRun(), settings: { ...aRun().settings, jobs: 2 } };
const aTurn: AttemptState = { id: 'working', slot: 1, turn: 1, since: 0 };
const none: Past = { attempts: [], history: undefined };

function gatesTook(ms: number, runs: number): RunHistory {
  const no = { passed: 0, failed: 0, notRun: 0, cached: 0, ms: 0 };
  return {
    run: 'r1',
    changedAt: 0,
    gates: { branch: no, candidate: { ...no, passed: runs + 1, cached: 1, ms }, target: no },
    abandoned: 0,
    flakes: {},
    quarantined: [],
    pauses: { count: 0, ms: 0, since: {} },
  };
}

describe('the forecast of a run', () => {
  const minutes = (count: number): number => count * 60_000;
  const estimated = (id: string, after: readonly string[] = [], status?: TaskStatus) => {
    const record = aRecord(id, status, { after });
    return { ...record, task: { ...record.task, estimate: '10m' } };
  };

  it('is the end of the schedule, next to the earliest possible end', () => {
    const records = ['a', 'b', 'c'].map((id) => estimated(id));
    const { forecast } = pastViewOf(records, twoSlots, none, 1_000);
    expect(forecast).toEqual({ endAt: 1_000 + minutes(20), soonestAt: 1_000 + minutes(15) });
  });

  it('follows the longest path, and adds a gate', () => {
    const records = [estimated('a'), estimated('b', ['a'])];
    const past = { ...none, history: gatesTook(4_000, 2) };
    const view = pastViewOf(records, twoSlots, past, 0);
    expect(view.usualGateMs).toBe(2_000);
    expect(view.forecast).toEqual({ endAt: minutes(20) + 2_000, soonestAt: minutes(20) + 2_000 });
  });

  it('learns from what has landed, and leaves out what is stuck', () => {
    const done = ['x', 'y', 'z'].map((id) => aRecord(id, landed));
    const failure = { kind: 'no-changes', tail: '' } as const;
    const stuck = aRecord('stuck', { id: 'failed', failure, run: 'r1' });
    const records = [...done, aRecord('a'), stuck, aRecord('b', undefined, { after: ['stuck'] })];
    const attempts = ['x', 'y', 'z'].map((id) => anAttempt(id, 8_000, 20_000));
    const { forecast } = pastViewOf(records, aRun(), { attempts, history: undefined }, 30_000);
    expect(forecast).toEqual({ endAt: 38_000, soonestAt: 38_000 });
  });

  it('is absent if nothing is known about how long tasks take, or nothing is left', () => {
    expect(pastViewOf([aRecord('a')], aRun(), none, 0).forecast).toBeUndefined();
    const all = [estimated('a', [], landed)];
    expect(pastViewOf(all, aRun(), none, 0).forecast).toBeUndefined();
  });

  describe('waits for enough evidence', () => {
    const done = (ids: readonly string[]) => ids.map((id) => aRecord(id, landed));
    const quick = (ids: readonly string[]) => ids.map((id) => anAttempt(id, 2_000, 10_000));
    const busy = (id: string): TaskRecord => ({ ...aRecord(id), attempt: anAttemptIn(aTurn) });
    const since = (id: string, startedAt: number): AttemptRecord => {
      const { turns, ...attempt } = anAttempt(id, 0, startedAt);
      const open = turns.map(({ end: _, ...turn }) => ({
        ...turn,
        outcome: 'incomplete' as const,
      }));
      return { ...attempt, turns: open, end: { id: 'live' } };
    };
    const forecastAt = (
      now: number,
      records: readonly TaskRecord[],
      attempts: readonly AttemptRecord[],
      run: RunRecord = twoSlots,
    ) => pastViewOf(records, run, { attempts, history: undefined }, now).forecast;
    const learned = (medianMs: number): RunRecord => {
      const forecast = { times: { medianMs, factors: {}, stated: 1 } };
      return { ...twoSlots, settings: { ...twoSlots.settings, forecast } };
    };

    it('because the quickest tasks land first: more have landed than are at work', () => {
      const slow = ['a', 'b', 'c'];
      const working = slow.map((id) => since(id, 8_000));
      const records = [...done(['x', 'y', 'z']), ...slow.map(busy)];
      const attempts = [...quick(['x', 'y', 'z']), ...working];
      expect(forecastAt(9_000, records, attempts)).toBeUndefined();
      const more = [...quick(['w']), ...attempts];
      expect(forecastAt(9_000, [...done(['w']), ...records], more)?.endAt).toBe(11_000);
    });

    it('and goes if more tasks take over twice their expected time than have landed', () => {
      const attempts = [since('a', 0), since('b', 0)];
      const records = [busy('a'), busy('b')];
      expect(forecastAt(19_000, records, attempts, learned(10_000))?.endAt).toBe(38_000);
      expect(forecastAt(21_000, records, attempts, learned(10_000))).toBeUndefined();
      const afterTwo = [...records, ...done(['x', 'y'])];
      const all = [...attempts, ...quick(['x', 'y'])];
      expect(forecastAt(21_000, afterTwo, all, learned(10_000))?.endAt).toBe(42_000);
    });
  });

  it('counts the gate of the target until the merge queue has run one', () => {
    const { gates, ...history } = gatesTook(0, -1);
    const target = { ...gates.target, passed: 1, ms: 3_000 };
    const past = { ...none, history: { ...history, gates: { ...gates, target } } };
    expect(pastViewOf([estimated('a')], twoSlots, past, 0).forecast?.endAt).toBe(
      minutes(10) + 3_000,
    );
  });

  it('is known for each task, with the gate after its agent', () => {
    const records = ['a', 'b', 'c'].map((id) => estimated(id));
    const past = { ...none, history: gatesTook(60_000, 2) };
    expect(pastViewOf(records, twoSlots, past, 0).endsAt).toEqual(
      new Map([
        ['a', minutes(10.5)],
        ['b', minutes(10.5)],
        ['c', minutes(20.5)],
      ]),
    );
  });

  it('needs only the time of a gate if only gates are left', () => {
    const queued = (id: string): TaskRecord => ({
      ...aRecord(id),
      attempt: anAttemptIn({ id: 'queued', commit: 'c', tree: 't', since: 0 }),
    });
    const past = { ...none, history: gatesTook(60_000, 2) };
    const claimed = { ...aRecord('c'), coClaimedBy: { run: 'r1', id: 'a', attempt: 1 } };
    const view = pastViewOf([queued('a'), queued('b'), claimed], aRun(), past, 0);
    expect(view.forecast).toEqual({ endAt: minutes(0.5), soonestAt: minutes(0.5) });
    expect(view.endsAt?.get('b')).toBe(minutes(0.5));
    expect(pastViewOf([queued('a'), aRecord('d')], aRun(), past, 0).forecast).toBeUndefined();
    expect(pastViewOf([queued('a')], aRun(), none, 0).forecast).toBeUndefined();
  });

  describe('counts only tasks that the run still works on', () => {
    const endOf = (records: readonly TaskRecord[], run: RunRecord = twoSlots) =>
      pastViewOf(records, run, none, 0).forecast?.soonestAt;
    const working = (id: string, state: AttemptState = aTurn): TaskRecord => ({
      ...estimated(id),
      attempt: anAttemptIn(state, { branch: `yard/r1/${id}-1` }),
    });
    const choice = (choose: 'person' | 'auto', asked = false): Pick<TaskRecord, 'variants'> => ({
      variants: {
        ids: ['a.v1', 'a.v2'],
        base: 'b',
        choose,
        failed: 0,
        calls: 0,
        ...(asked ? { asked: { at: 1, run: 'r1', finished: ['a.v1', 'a.v2'] } } : {}),
      },
    });
    const stopping = (stopAsked: 'finish' | 'now'): RunRecord => ({
      ...twoSlots,
      phase: { id: 'running', stopAsked },
    });

    it('and none if only people are waited for', () => {
      const chosen = { ...estimated('a'), ...choice('person', true) };
      expect(endOf([chosen, estimated('b', ['a'])])).toBeUndefined();
      const asking = working('a', { id: 'asking', question: 'Which?', since: 1 });
      expect(endOf([asking, estimated('b', ['a']), estimated('c', ['b'])])).toBeUndefined();
    });

    it('and not the task whose variants are at work', () => {
      const variants = ['a.v1', 'a.v2'].map((id) => working(id));
      const records = [{ ...estimated('a'), ...choice('person') }, ...variants];
      expect(endOf([...records, estimated('b', ['a'])])).toBe(minutes(10));
      const byAgent = [{ ...estimated('a'), ...choice('auto') }, ...variants];
      expect(endOf([...byAgent, estimated('b', ['a'])])).toBe(minutes(20));
    });

    it('and only work in progress after a stop was asked', () => {
      const records = [working('a'), estimated('b'), estimated('c', ['a'])];
      expect(endOf(records)).toBe(minutes(20));
      expect(endOf(records, stopping('finish'))).toBe(minutes(10));
      expect(endOf(records, stopping('now'))).toBeUndefined();
      const paused = working('a', { id: 'between-turns', turnReason: { id: 'messages' } });
      expect(endOf([paused], stopping('finish'))).toBeUndefined();
    });

    it('and no task behind one outside of the scope or of another run', () => {
      const scope = { kind: 'only', tasks: ['b', 'c', 'd'] } as const;
      const run = { ...twoSlots, settings: { ...twoSlots.settings, scope } };
      const behind = [estimated('a'), estimated('b', ['a']), estimated('c', ['b'])];
      expect(endOf(behind, run)).toBeUndefined();
      expect(endOf([...behind, estimated('d')], run)).toBe(minutes(10));
      const other = { ...estimated('a'), attempt: anAttemptIn(aTurn, { run: 'r2' }) };
      expect(endOf([other, estimated('b', ['a'])])).toBeUndefined();
    });

    it('and a co-claimed task with the one that claimed it', () => {
      const coClaimedBy = { run: 'r1', id: 'a', attempt: 1 };
      const records = [working('a'), { ...estimated('b'), coClaimedBy }, estimated('c', ['b'])];
      expect(endOf(records)).toBe(minutes(20));
    });
  });
});

it('landings are listed newest first', () => {
  const attempts = [anAttempt('a', 10, 100), anAttempt('b', 20, 300), anAttempt('c', 5, 200)];
  const { landings } = pastViewOf([], aRun(), { attempts, history: undefined }, 400);
  expect(landings.map(({ task, ms }) => [task, ms])).toEqual([
    ['b', 20],
    ['c', 5],
    ['a', 10],
  ]);
});

it('unblocks are counted through other tasks, without those that are done', () => {
  const after = (id: string, ...parents: readonly string[]) =>
    aRecord(id, undefined, { after: parents });
  const records = [aRecord('a'), after('b', 'a'), after('c', 'b'), aRecord('d', landed)];
  const { unblocks } = pastViewOf(records, aRun(), none, 0);
  expect([...unblocks]).toEqual([
    ['a', 2],
    ['b', 1],
  ]);
});
