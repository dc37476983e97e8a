import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agentStory,
  begun,
  cut,
  ended,
  landing,
  said,
  turn,
  used,
} from '../../test/report/agent-story.ts';
import { anyLog, failures, logOf } from '../../test/report/fixtures.ts';
import { story } from '../../test/report/story.ts';
import type { Event, EventBody } from '../model/event.ts';
import { type SpendNumbers, Tally } from './tally.ts';

const tallied = (events: readonly Event[]): Tally => {
  const tally = new Tally();
  for (const event of events) tally.on(event);
  return tally;
};
const log = (...bodies: readonly EventBody[]): Tally => tallied(logOf(...bodies));
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

describe('the tally', () => {
  it('adds up tokens by kind, cost and turns, by model, agent and task', () => {
    const tally = tallied(agentStory);
    expect(tally.spend()?.totals).toEqual({
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
    expect(tally.spend()?.byAgent.map(({ agent, turns, total }) => [agent, turns, total])).toEqual([
      ['claude', 5, 18_580],
      ['codex', 2, 6940],
      ['gemini', 2, 0],
    ]);
    expect(tally.byTask().find(({ task }) => task === 'api')).toMatchObject({
      turns: 3,
      landed: 1,
      total: 18_580,
    });
  });

  it('takes the model that the agent reports, and says so, else the one that was passed to it', () => {
    const rows = tallied(agentStory)
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
    const models = (...more: readonly EventBody[]) =>
      log(...running, ...more)
        .spend()
        ?.byModel?.map(({ model }) => model);
    expect(models()).toEqual(['opus']);
    expect(models(ended('a', 1, said(done, used(2, 1), 'claude-opus-4-8')))).toEqual([
      'claude-opus-4-8',
    ]);
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

  it('knows nothing of runs that say nothing', () => {
    expect(tallied(story).spend()).toBeUndefined();
    expect(new Tally().spend()).toBeUndefined();
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
    const tally = tallied(agentStory);
    expect(tally.ofAttempt('api', 1)).toMatchObject({ turns: 3, total: 18_580 });
    expect(tally.modelOf('api', 1)).toBe('claude-opus-4-8');
    expect(tally.ofAttempt('slow', 1)).toBeUndefined();
    expect(tally.modelOf('slow', 1)).toBeUndefined();
    expect(tally.modelOf('nobody', 1)).toBeUndefined();
  });

  it('counts reviewers and critics by their own name, for the task they look at', () => {
    const of = { run: 'r1', id: 'a', attempt: 1 };
    const call = { kind: 'review', round: 1, agent: 'codex', again: 1 } as const;
    const review = { ...of, call };
    const critique = { ...of, call: { ...call, kind: 'critique', agent: 'gemini' } } as const;
    const vote = { ok: true, verdict: 'approved', findings: [], usage: used(10, 1, 0.5) } as const;
    const tally = log(
      ...begun('a', 1, 'x'),
      { ...critique, type: 'call-started', slot: 1, model: 'flash' },
      { ...critique, type: 'call-ended', result: vote },
      { ...critique, type: 'call-ended', result: vote },
      turn('a', 1, 1, { model: 'm' }),
      ended('a', 1, said(done, used(20, 2))),
      { ...review, type: 'call-started', slot: 2, model: 'gpt' },
      { ...review, type: 'call-ended', result: { ...vote, model: 'gpt-5' } },
      {
        ...of,
        call: { ...call, again: 2 },
        type: 'call-ended',
        result: { ok: false, failure: failures['agent-lost'] },
      },
    );
    const rows = tally.spend();
    const turns = (list: readonly SpendNumbers[] = []) => list.map((row) => row.turns);
    expect(rows?.byAgent.map(({ agent }) => agent)).toEqual(['gemini', 'x', 'codex']);
    expect(turns(rows?.byAgent)).toEqual([1, 1, 2]);
    expect(rows?.byModel?.map(({ model }) => model)).toEqual(['flash', 'm', 'gpt-5', null]);
    expect(rows?.totals).toMatchObject({ turns: 4, metered: 3, priced: 2, costUsd: 1 });
    expect(tally.ofAttempt('a', 1)).toMatchObject({ turns: 4, total: rows?.totals.total });
    // Who reviews the work has not worked on it.
    expect(tally.modelOf('a', 1)).toBe('m');
  });

  it('counts what was handed over as landed', () => {
    const entries = [{ id: 'a', attempt: 1, commit: 'c', coClaims: ['b'] }];
    const given = { run: 'r1', candidate: 'c1', how: 'pr', entries, branch: 'yard/a' } as const;
    const tally = log(
      ...begun('a', 1, 'x'),
      turn('a', 1, 1),
      ended('a', 1, said(done, used(20, 2))),
      { ...given, type: 'delivered' },
    );
    expect(tally.spend()?.totals.landed).toBe(2);
  });

  it('has totals that are the sums of every table, on any log', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        const tally = tallied(events);
        const spend = tally.spend();
        if (spend === undefined) return;
        expectSums(spend.byAgent, spend.totals);
        expectSums(tally.byTask(), spend.totals);
        if (spend.byModel !== undefined) expectSums(spend.byModel, spend.totals);
        const named = events.some(
          (event) =>
            (event.type === 'turn-started' && event.model !== undefined) ||
            ('result' in event && event.result.model !== undefined),
        );
        if (!named) expect(spend).not.toHaveProperty('byModel');
      }),
    );
  });
});
