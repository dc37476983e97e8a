import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agentStory,
  begun,
  crewed,
  cut,
  ended,
  landing,
  said,
  turn,
  used,
} from '../../test/report/agent-story.ts';
import { anyLog } from '../../test/report/any-log.ts';
import { failures } from '../../test/report/failures.ts';
import { logOf, owner } from '../../test/report/fixtures.ts';
import { attemptsIn, recordsOf } from '../../test/report/records-of.ts';
import { story } from '../../test/report/story.ts';
import type { Event, EventBody } from '../model/event.ts';
import type { AttemptRecord } from '../model/history.ts';
import { fold } from '../plan/fold.ts';
import { MemoryRecords } from '../record/memory-records.ts';
import { partIn } from './attempt-history.ts';
import { type Incidents, modelOf, RunTotals, type SpendNumbers, spendOf } from './totals.ts';

const totalsOf = (events: readonly Event[]): RunTotals => new RunTotals(attemptsIn(events));
const log = (...bodies: readonly EventBody[]): RunTotals => totalsOf(logOf(...bodies));
const done = { id: 'complete' } as const;
const whole = [
  'turns',
  'landed',
  'input',
  'cacheRead',
  'cacheWrite',
  'output',
  'total',
  'metered',
  'priced',
] as const;

/** The sums of rows are the totals, to the last token; of money to a millionth of a cent. */
function expectSums(rows: readonly SpendNumbers[], totals: SpendNumbers): void {
  for (const key of whole) {
    expect(
      rows.reduce((sum, row) => sum + row[key], 0),
      key,
    ).toBe(totals[key]);
  }
  expect(rows.reduce((sum, row) => sum + row.costUsd, 0)).toBeCloseTo(totals.costUsd, 8);
}

describe('the spend of a run', () => {
  it('adds up tokens by kind, cost and turns, by model, agent and task', () => {
    const totals = totalsOf(agentStory);
    expect(totals.spend()?.totals).toEqual({
      turns: 9,
      landed: 3,
      input: 2200,
      cacheRead: 22_000,
      cacheWrite: 1100,
      output: 220,
      total: 25_520,
      costUsd: 0.3,
      metered: 4,
      priced: 2,
    });
    expect(totals.spend()?.byAgent.map(({ agent, turns, total }) => [agent, turns, total])).toEqual(
      [
        ['claude', 5, 18_580],
        ['codex', 2, 6940],
        ['gemini', 2, 0],
      ],
    );
    expect(totals.byTask().find(({ task }) => task === 'api')).toMatchObject({
      turns: 3,
      landed: 1,
      total: 18_580,
    });
  });

  it('takes the model that the agent reports, and says so, else the one that was passed to it', () => {
    const rows = totalsOf(agentStory)
      .spend()
      ?.byModel?.map(({ model, reported, turns }) => [model, reported, turns]);
    expect(rows).toEqual([
      ['claude-opus-4-8', true, 3],
      ['gpt-5', undefined, 2],
      ['opus', undefined, 2],
      [null, undefined, 2],
    ]);
  });

  it('names the model that was asked for while a turn runs, and no longer once it is known', () => {
    const running = [...begun('a', 1, 'claude'), turn('a', 1, 1, { model: 'opus' })];
    const [before] = attemptsIn(logOf(...running));
    const last = ended('a', 1, said(done, used(2, 1), 'claude-opus-4-8'));
    const [after] = attemptsIn(logOf(...running, last));
    if (before === undefined || after === undefined) throw new Error('no attempt');
    const totals = new RunTotals([before]);
    const models = () => totals.spend()?.byModel?.map(({ model }) => model);
    expect(models()).toEqual(['opus']);
    totals.replace(before, after);
    expect(models()).toEqual(['claude-opus-4-8']);
  });

  it('lists models in the order they were first seen', () => {
    const models = ['z', 'a', 'z', 'm'];
    const events = models.flatMap((model, at) => [
      ...begun(`t${at}`, 1, 'claude'),
      turn(`t${at}`, 1, 1, { model }),
      ended(`t${at}`, 1, said(done)),
    ]);
    const rows = log(...events).spend()?.byModel;
    expect(rows?.map(({ model }) => model)).toEqual(['z', 'a', 'm']);
  });

  it('gives what landed to the model of the last turn, co-claimed tasks included', () => {
    const events = [
      ...begun('a', 1, 'claude'),
      turn('a', 1, 1, { model: 'one' }),
      ended('a', 1, said({ id: 'nothing' })),
      turn('a', 2, 1, { agent: 'codex', model: 'two' }),
      ended('a', 2, said(done)),
      ...landing('a', ['b', 'c']),
    ];
    const spend = log(...events).spend();
    expect(spend?.byModel?.map(({ model, landed }) => [model, landed])).toEqual([
      ['one', 0],
      ['two', 3],
    ]);
    expect(spend?.byAgent.map(({ agent, landed }) => [agent, landed])).toEqual([
      ['claude', 0],
      ['codex', 3],
    ]);
  });

  it('has no table of models where no turn has one', () => {
    const events = [
      ...begun('a', 1, 'mine'),
      turn('a', 1, 1),
      ended('a', 1, said(done, used(10, 1))),
    ];
    const spend = log(...events).spend();
    expect(spend).not.toHaveProperty('byModel');
    expect(spend?.totals.total).toBe(116);
  });

  it('is unknown if no agent reports anything', () => {
    expect(totalsOf(story).spend()).toBeUndefined();
    expect(new RunTotals().spend()).toBeUndefined();
  });

  it('counts what a turn used that failed', () => {
    const failed = { ...cut(failures['provider-server']), usage: used(10, 1, 0.5) };
    const spend = log(...begun('a', 1, 'x'), turn('a', 1, 1), ended('a', 1, failed)).spend();
    expect(spend?.totals).toMatchObject({ total: 116, costUsd: 0.5, priced: 1 });
  });

  it('counts a turn once that is told twice', () => {
    const once = [
      ...begun('a', 1, 'x'),
      turn('a', 1, 1, { model: 'm' }),
      ended('a', 1, said(done, used(10, 1))),
    ];
    expect(log(...once, ...once).spend()).toEqual(log(...once).spend());
  });

  it('tells what one attempt used, and with which model', () => {
    const attempts = attemptsIn(agentStory);
    const facts = (id: string) => {
      const record = attempts.find(({ task }) => task === id);
      const last = record?.turns.at(-1);
      return [record && spendOf(record), last && modelOf(last)];
    };
    expect(facts('api')).toMatchObject([{ turns: 3, total: 18_580 }, 'claude-opus-4-8']);
    expect(facts('slow')).toEqual([undefined, null]);
  });

  it('counts reviewers and critics by their own name, for the task they look at', () => {
    const of = { run: 'r1', id: 'a', attempt: 1 };
    const call = { kind: 'review', round: 1, agent: 'codex', again: 1 } as const;
    const review = { ...of, call };
    const critique = { ...of, call: { ...call, kind: 'critique', agent: 'gemini' } } as const;
    const vote = { ok: true, verdict: 'approved', findings: [], usage: used(10, 1, 0.5) } as const;
    const asks = { ...critique, type: 'call-started', slot: 1 } as const;
    const events = logOf(
      ...begun('a', 1, 'x'),
      { ...asks, model: 'flash' },
      { ...asks, model: 'flash' },
      { ...critique, type: 'call-ended', result: vote },
      { ...critique, type: 'call-ended', result: vote },
      turn('a', 1, 1, { model: 'm' }),
      ended('a', 1, said(done, used(20, 2))),
      { ...review, type: 'call-started', slot: 2, model: 'gpt' },
      { ...review, type: 'call-ended', result: { ...vote, model: 'gpt-5' } },
      { ...of, call: { ...call, again: 2 }, type: 'call-started', slot: 2 },
      {
        ...of,
        call: { ...call, again: 2 },
        type: 'call-ended',
        result: { ok: false, failure: failures['agent-lost'] },
      },
    );
    const rows = totalsOf(events).spend();
    const turns = (list: readonly SpendNumbers[] = []) => list.map((row) => row.turns);
    expect(rows?.byAgent.map(({ agent }) => agent)).toEqual(['gemini', 'x', 'codex']);
    expect(turns(rows?.byAgent)).toEqual([1, 1, 2]);
    expect(rows?.byModel?.map(({ model }) => model)).toEqual(['flash', 'm', 'gpt-5', null]);
    expect(rows?.totals).toMatchObject({ turns: 4, metered: 3, priced: 2, costUsd: 1 });
    const [record] = attemptsIn(events);
    expect(record && spendOf(record)).toMatchObject({ turns: 4, total: rows?.totals.total });
    // Who reviews the work has not worked on it.
    expect(record?.turns.map(modelOf)).toEqual(['m']);
  });

  it('counts what was handed over as landed', () => {
    const entries = [{ id: 'a', attempt: 1, commit: 'c', coClaims: ['b'] }];
    const given = { run: 'r1', candidate: 'c1', how: 'pr', entries, branch: 'yard/a' } as const;
    const totals = log(
      ...begun('a', 1, 'x'),
      turn('a', 1, 1),
      ended('a', 1, said(done, used(20, 2))),
      { ...given, type: 'delivered' },
    );
    expect(totals.spend()?.totals.landed).toBe(2);
    expect(totals.slot(1)).toMatchObject({ landed: 0, delivered: 1 });
  });

  it('has totals that are the sums of every table, on any log', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        const totals = totalsOf(events);
        const spend = totals.spend();
        if (spend === undefined) return;
        expectSums(spend.byAgent, spend.totals);
        expectSums(totals.byTask(), spend.totals);
        if (spend.byModel !== undefined) expectSums(spend.byModel, spend.totals);
        const named = events.some(
          (event) =>
            ('model' in event && event.model !== undefined) ||
            ('result' in event && event.result.model !== undefined),
        );
        if (!named) expect(spend).not.toHaveProperty('byModel');
      }),
    );
  });
});

/** Everything that totals tell. The order of rows is left out: replacing keeps the one of their first use. */
function all(totals: RunTotals, now: number): unknown {
  const sorted = (rows: readonly object[] = []): unknown[] =>
    rows.map((row) => JSON.stringify(row)).sort();
  const { byModel, byAgent, totals: sums } = totals.spend() ?? {};
  const { prefixes, ...incidents } = totals.incidents(undefined, now);
  return {
    sums,
    rows: [byModel, byAgent, totals.byTask(), prefixes].map(sorted),
    incidents,
    slots: [0, 1, 2, 3].map((slot) => totals.slot(slot)),
  };
}

describe('totals of which one attempt after the other is replaced', () => {
  it('are those of the attempts counted at once, on any log', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        const records = new MemoryRecords();
        const replaced = new RunTotals([], 99_000);
        const counted = new Map<string, AttemptRecord>();
        for (const event of events) {
          fold(records, event);
          for (const [key, attempt] of records.attempts) {
            const part = partIn(attempt, 'r1');
            replaced.replace(counted.get(key), part);
            counted.set(key, part);
          }
        }
        const once = new RunTotals([...counted.values()], 99_000);
        expect(all(replaced, 99_000)).toEqual(all(once, 99_000));
      }),
    );
  });
});

const countedIn = (events: readonly Event[], now: number): Incidents =>
  totalsOf(events).incidents(recordsOf(events).runHistory('r1'), now);
/** Each thing happens a second after the one before; the count is taken one second after the last. */
const incidentsIn = (...bodies: readonly EventBody[]): Incidents =>
  countedIn(logOf(...bodies), (bodies.length + 1) * 1000);

const quota = cut(failures['quota-exhausted']);
const broken = cut(failures['stream-broken']);
const nothing = said({ id: 'nothing' });

describe('incidents', () => {
  it('are none where nothing of the kind happened', () => {
    expect(countedIn(story, 99_000)).toEqual({});
  });

  it('are counted together', () => {
    expect(countedIn(agentStory, 50_000)).toEqual({
      pauses: { count: 1, ms: 7000 },
      silentTurns: 1,
      providerRetries: 2,
      prefixes: [
        { agent: 'claude', variants: 2 },
        { agent: 'codex', variants: 1 },
      ],
    });
  });

  it('of a quota last until the next turn of the account', () => {
    const incidents = incidentsIn(
      ...begun('a', 1, 'x'),
      turn('a', 1, 1),
      ended('a', 1, quota),
      { type: 'stop-asked', run: 'r1', how: 'finish', by: 'x' },
      turn('a', 2, 1),
      ended('a', 2, said({ id: 'complete' })),
    );
    expect(incidents.pauses).toEqual({ count: 1, ms: 2000 });
  });

  it('of one account are one pause, however many agents are told', () => {
    const agentPool = [
      { name: 'x', account: 'one', volunteers: true },
      { name: 'y', account: 'one', volunteers: true },
      { name: 'z', account: 'two', volunteers: true },
    ];
    const settings = { ...crewed, agentPool };
    const of = (...agents: readonly string[]) =>
      incidentsIn(
        { type: 'run-started', run: 'r1', owner, settings, base: 'b' },
        ...agents.flatMap((agent) => [...begun(agent, 1, agent), turn(agent, 1, 1)]),
        ...agents.map((agent) => ended(agent, 1, quota)),
      ).pauses?.count;
    expect(of('x', 'y')).toBe(1);
    expect(of('x', 'z')).toBe(2);
  });

  it('of a quota end with the run', () => {
    const events = logOf(...begun('a', 1, 'x'), turn('a', 1, 1), ended('a', 1, quota), {
      type: 'run-ended',
      run: 'r1',
      stop: { reason: 'quota' },
    });
    expect(countedIn(events, 1_000_000).pauses).toEqual({ count: 1, ms: 1000 });
  });

  it('are no pause where a person has to act', () => {
    const incidents = incidentsIn(
      ...begun('a', 1, 'x'),
      turn('a', 1, 1),
      ended('a', 1, cut(failures['provider-auth'])),
    );
    expect(incidents).not.toHaveProperty('pauses');
  });

  it('are not silent turns where the agent told its end by a call', () => {
    const call = { run: 'r1', id: 'a', attempt: 1, type: 'agent-reported', turn: 1 } as const;
    const silent = (...calls: readonly EventBody[]) =>
      incidentsIn(...begun('a', 1, 'x'), turn('a', 1, 1), ...calls, ended('a', 1, nothing))
        .silentTurns;
    expect(silent()).toBe(1);
    expect(silent({ ...call, call: { id: 'report', about: 'x', text: 'y' } })).toBe(1);
    expect(silent({ ...call, call: { id: 'complete' } })).toBeUndefined();
  });

  it('are retries only where a turn of the same attempt follows', () => {
    const once = [...begun('a', 1, 'x'), turn('a', 1, 1), ended('a', 1, broken)];
    expect(incidentsIn(...once)).not.toHaveProperty('providerRetries');
    expect(incidentsIn(...once, turn('a', 2, 1)).providerRetries).toBe(1);
    expect(incidentsIn(...once, ...begun('b', 1, 'x'), turn('b', 1, 1))).not.toHaveProperty(
      'providerRetries',
    );
  });

  it('are never negative, on any log', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(100_000), (events, now) => {
        const { pauses, silentTurns = 1, providerRetries = 1 } = countedIn(events, now);
        expect(pauses?.ms ?? 0).toBeGreaterThanOrEqual(0);
        expect(Math.min(pauses?.count ?? 1, silentTurns, providerRetries)).toBeGreaterThan(0);
      }),
    );
  });
});
