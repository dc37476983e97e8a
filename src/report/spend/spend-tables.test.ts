import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentStory, begun, ended, landing, said, turn } from '../../../test/report/agent-story.ts';
import { anyLog } from '../../../test/report/any-log.ts';
import { aTask, logOf, owner, settings } from '../../../test/report/fixtures.ts';
import { recordsOf } from '../../../test/report/records-of.ts';
import { noBatches, type PlannerSpend } from '../../model/batch.ts';
import { variantId } from '../../model/best-of.ts';
import type { Call } from '../../model/call.ts';
import type { Event, EventBody } from '../../model/event.ts';
import type { Task } from '../../model/task.ts';
import { tokensOf, type Usage } from '../../model/turn.ts';
import { resultOf } from '../summary/result.ts';
import { cacheShare, type SpendRow, type SpendTables, spendTablesOf } from './spend-tables.ts';

const usage: Usage = { input: 100, cacheRead: 300, cacheWrite: 0, output: 10, costUsd: 0.5 };

function tablesOf(events: readonly Event[], spent: readonly PlannerSpend[] = []): SpendTables {
  const records = recordsOf(events);
  const attempts = [...records.attempts.values()].filter(({ runs }) => runs.includes('r1'));
  return spendTablesOf({ id: 'r1', batches: { ...noBatches, spent } }, attempts);
}

/** Usage of turns and one-shot calls that the run started, read from the events alone. Another run may see their end. */
function usesIn(events: readonly Event[]): readonly Usage[] {
  const open = new Set<string>();
  const newest = new Map<string, number>();
  return events.flatMap((event) => {
    if (!('attempt' in event)) return [];
    if (event.run !== 'r1' && event.type.endsWith('-started')) return [];
    const of = `${event.id} ${event.attempt}`;
    switch (event.type) {
      case 'turn-started':
        if (event.turn > (newest.get(of) ?? 0)) open.add(`${of} ${event.turn}`);
        newest.set(of, Math.max(newest.get(of) ?? 0, event.turn));
        return [];
      case 'turn-ended':
        return open.delete(`${of} ${event.turn}`) ? (event.result.usage ?? []) : [];
      case 'call-started':
        open.add(`${of} ${callName(event.call)}`);
        return [];
      case 'call-ended':
        return open.delete(`${of} ${callName(event.call)}`) ? (event.result.usage ?? []) : [];
      default:
        return [];
    }
  });
}

/** True if attempts change their run only by being adopted. */
function isPlausible(events: readonly Event[]): boolean {
  const runs = new Map<string, string>();
  return events.every((event) => {
    if (!('attempt' in event)) return true;
    const of = `${event.id} ${event.attempt}`;
    const before = runs.get(of) ?? event.run;
    runs.set(of, event.run);
    return event.run === before || event.type === 'attempt-adopted';
  });
}

const callName = ({ kind, round, again, agent }: Call): string =>
  `${kind} ${round} ${again} ${agent}`;

interface Plan {
  readonly coClaims: number;
  readonly variants: number;
  readonly lands: boolean;
}

/** Events of one task. Its agent claims others, or the first of its variants is chosen. */
function lifeOf(id: string, { variants, lands, ...plan }: Plan): EventBody[] {
  const added = (task: Task): EventBody => ({ type: 'task-added', task });
  // A variant claims no tasks.
  const coClaims = variants === 0 ? plan.coClaims : 0;
  const claimed = Array.from({ length: coClaims }, (_, at) => `${id}-claimed${at}`);
  const ids = Array.from({ length: variants }, (_, at) => variantId(id, at + 1));
  const [worker = id] = ids;
  const complete = said({ id: 'complete' }, usage);
  const work = (one: string): EventBody[] => [
    ...begun(one, 1, 'claude'),
    turn(one, 1, 1),
    ...(one === worker && coClaims > 0
      ? [
          ended(one, 1, said({ id: 'claim', ids: claimed })),
          turn(one, 2, 1),
          ended(one, 2, complete),
        ]
      : [ended(one, 1, complete)]),
  ];
  const choice = { variant: worker, by: 'person' } as const;
  const chosen: EventBody[] =
    variants === 0 ? [] : [{ type: 'task-decided', id, decision: { kind: 'choose', ...choice } }];
  const [captured, judged, ...landed] = landing(
    worker,
    variants === 0 ? claimed : [...claimed, id],
  );
  return [
    ...[id, ...claimed].map((one) => added(aTask(one))),
    ...(variants === 0 ? [] : [variantsAdded(id, ids)]),
    ...(variants === 0 ? [id] : ids).flatMap(work),
    ...(captured && judged && lands ? [captured, judged, ...chosen, ...landed] : []),
  ];
}

const variantsAdded = (id: string, ids: readonly string[]): EventBody => ({
  type: 'variants-added',
  run: 'r1',
  id,
  base: 'b',
  variants: ids.map((one) => aTask(one, { variantOf: id })),
  choose: 'person',
});

const tables = ['bySlot', 'byAgent', 'byModel', 'byTask'] as const;
const numbers = [
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
const sum = (rows: readonly SpendRow[], key: keyof SpendRow): number =>
  rows.reduce((all, row) => all + Number(row[key]), 0);

describe('the tables of what a run spent', () => {
  it('have a row for each slot, agent, model and task', () => {
    const { bySlot, byAgent, byModel, byTask, totals } = tablesOf(agentStory);
    expect(bySlot.map(({ name, turns }) => [name, turns])).toMatchInlineSnapshot(`
      [
        [
          "1",
          4,
        ],
        [
          "2",
          3,
        ],
        [
          "3",
          2,
        ],
      ]
    `);
    expect(byAgent.map(({ name }) => name)).toMatchInlineSnapshot(`
      [
        "claude",
        "codex",
        "gemini",
      ]
    `);
    expect(byModel.map(({ name }) => name)).toMatchInlineSnapshot(`
      [
        "claude-opus-4-8",
        "gpt-5",
        "opus",
        null,
      ]
    `);
    expect(byTask.map(({ name, total }) => [name, total])).toMatchInlineSnapshot(`
      [
        [
          "api",
          18580,
        ],
        [
          "ui",
          6940,
        ],
        [
          "schema",
          0,
        ],
        [
          "docs",
          0,
        ],
        [
          "query",
          0,
        ],
        [
          "slow",
          0,
        ],
      ]
    `);
    expect(totals.turns).toBe(9);
  });

  it('count the planner for its agent and model, and for no slot or task', () => {
    const spent = [{ agent: 'claude', model: 'haiku', calls: 2, usage }];
    const { bySlot, byTask, byAgent, byModel } = tablesOf([], spent);
    for (const rows of [bySlot, byTask]) {
      expect(rows).toMatchObject([{ name: null, turns: 2, total: 410, costUsd: 0.5 }]);
    }
    expect(byAgent.map(({ name }) => name)).toEqual(['claude']);
    expect(byModel.map(({ name }) => name)).toEqual(['haiku']);
  });

  it('add up to the same totals, on any log and with any planner', () => {
    const anySpent = fc.array(
      fc.record(
        {
          agent: fc.constantFrom('claude', 'codex'),
          model: fc.constantFrom('opus', 'haiku'),
          calls: fc.integer({ min: 1, max: 5 }),
          usage: fc.constant(usage),
        },
        { requiredKeys: ['agent', 'calls'] },
      ),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(anyLog, anySpent, (events, spent) => {
        const found = tablesOf(events, spent as readonly PlannerSpend[]);
        for (const name of tables) {
          for (const key of numbers) {
            expect(sum(found[name], key), `${name} ${key}`).toBe(found.totals[key]);
          }
          expect(sum(found[name], 'costUsd')).toBeCloseTo(found.totals.costUsd, 8);
        }
      }),
    );
  });

  it('count the tasks that landed, whatever landed with them and however many variants they had', () => {
    const anyTask = fc.record({ coClaims: fc.nat(2), variants: fc.nat(2), lands: fc.boolean() });
    fc.assert(
      fc.property(fc.array(anyTask, { maxLength: 4 }), (plans) => {
        const events = logOf(
          { type: 'run-started', run: 'r1', owner, settings, base: 'b' },
          ...plans.flatMap((plan, at) => lifeOf(`t${at}`, plan)),
        );
        const found = tablesOf(events);
        const records = [...recordsOf(events).tasks.values()];
        const { landed } = resultOf(records, { kind: 'ready' }, recordsOf(events).run('r1'));
        expect(found.totals.landed).toBe(landed);
        for (const name of tables) expect(sum(found[name], 'landed'), name).toBe(landed);
      }),
    );
  });

  it('add up to what the events say', () => {
    fc.assert(
      fc.property(anyLog.filter(isPlausible), (events) => {
        const { totals } = tablesOf(events);
        const used = usesIn(events);
        expect(totals.total).toBe(used.reduce((all, one) => all + tokensOf(one), 0));
        expect(totals.metered).toBe(used.length);
      }),
    );
  });
});

describe('the share of the cache', () => {
  it('is of all input, and unknown without any', () => {
    const none = tablesOf([]).totals;
    expect(cacheShare(none)).toBeUndefined();
    expect(cacheShare({ ...none, ...usage })).toBe(0.75);
  });
});
