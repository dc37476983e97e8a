import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crash, Story, task } from '../../test/story.ts';
import { type BatchPlan, batchLimits, type TaskBatch } from '../model/batch.ts';
import type { RunSettings } from '../model/run.ts';
import { narrowingOf } from './narrowing.ts';

const ok = { ok: true, tail: '' } as const;
const planner = { agent: 'chooser', budgetTokens: 10_000 };

/** Tasks a to f in a run with two slots; the agent of a has just worked. */
function started(more: Partial<RunSettings> = {}): Story {
  const tasks = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => task(id));
  return new Story()
    .tasks(...tasks)
    .start({ jobs: 2, ...more })
    .prepared('a')
    .turn('a');
}

const claims = (story: Story): readonly string[] =>
  story.commands().filter((command) => command.startsWith('claim'));

/** Performs the immediate commands about batches, until none is decided. */
function settled(story: Story): Story {
  for (const command of story.decide().commands) {
    const { run } = story;
    if (command.type === 'skip-batch') {
      return settled(story.tell({ ...command, type: 'batch-planned', run }));
    }
  }
  return story;
}

describe('what an agent suggests', () => {
  test('is a batch: only its tasks start', () => {
    const story = started().turnEnds('a', { ...ok, next: ['d'] });
    expect(story.record().batches?.current).toMatchObject({
      number: 1,
      source: 'agent',
      ids: ['d'],
      after: { id: 'a', attempt: 1, turn: 1 },
    });
    // The second slot stays free in this decision.
    expect(claims(story)).toEqual(['claim d 1']);
  });

  test('holds others back while one of its tasks is ready, for a bounded time', () => {
    const one = { name: 'one', account: 'one', volunteers: false, count: 1 };
    const agentPool = [{ name: 'scripted', account: 's', volunteers: true }, one];
    const story = new Story()
      .tasks(task('a'), task('b', { agent: 'one' }), task('c', { agent: 'one' }), task('d'))
      .start({ jobs: 3, agentPool })
      .prepared('a')
      .prepared('b', 2, 'base', 'one')
      .turn('a')
      .turn('b', 2)
      .calls('a', { id: 'next', ids: ['c'] });
    expect(claims(story)).toEqual([]);
    const { wakeAt } = story.decide();
    expect(wakeAt).toBe((story.record().batches?.current?.at ?? 0) + batchLimits.batchFloorMs);
    story.now = wakeAt ?? 0;
    expect(claims(story)).toEqual(['claim d 1']);
  });

  test('holds nothing back if none of its tasks is ready', () => {
    const story = started().turnEnds('a', { ...ok, next: ['z', 'a'] });
    expect(story.commands()).toEqual(['capture a 1', 'claim b 1']);
  });

  test('still comes first when its tasks become ready later', () => {
    const story = new Story()
      .tasks(task('a'), task('b'), task('c'), task('d', { after: ['a'] }))
      .start({ jobs: 2 })
      .prepared('a')
      .turn('a')
      .turnEnds('a', { ...ok, next: ['d'] });
    settled(story).captured('a').judged('a', true).built('a').candidateJudged(true).lands();
    expect(claims(story)).toEqual(['claim d 1']);
    expect(claims(story.prepared('d', 1))).toEqual(['claim b 1']);
  });

  test('that is empty holds nothing back, and no planner is asked', () => {
    const story = started({ planner }).turnEnds('a', { ...ok, next: [] });
    expect(story.record().batches?.counts).toEqual({ agent: 1, planner: 0, skipped: 0 });
    expect(story.commands()).toEqual(['capture a 1', 'claim b 1']);
  });

  test('during a turn counts for its end as well', () => {
    const story = started({ planner })
      .calls('a', { id: 'next', ids: ['c'] })
      .turnEnds('a', ok);
    expect(story.record().batches).toMatchObject({ counts: { agent: 1, skipped: 0 } });
    expect(story.record().batches?.due).toBeUndefined();
  });

  test('means nothing in a run with one slot', () => {
    const story = started({ jobs: 1, planner }).turnEnds('a', { ...ok, next: ['d'] });
    expect(story.record().batches).toBeUndefined();
    story.captured('a').judged('a', true);
    expect(claims(story)).toEqual(['claim b 1']);
  });
});

describe('the planner', () => {
  const asked = (more: Partial<RunSettings> = {}): Story => {
    const story = started({ planner, ...more }).turnEnds('a', ok);
    return story.tell({ type: 'planner-started', run: story.run, call: 1, agent: 'chooser' });
  };
  const planned = (story: Story, plan: BatchPlan): Story =>
    story.tell({ type: 'batch-planned', run: story.run, call: 1, plan });

  test('is asked when a turn ends without a suggestion, and slots are filled meanwhile', () => {
    const story = started({ planner }).turnEnds('a', ok);
    expect(story.commands()).toEqual(['capture a 1', 'claim b 1', 'begin-batch']);
    const under = asked();
    expect(under.commands()).toEqual(['capture a 1', 'claim b 1', 'plan-batch']);
    const plan = under.decide().commands.find(({ type }) => type === 'plan-batch');
    expect(plan).toMatchObject({
      call: 1,
      agent: 'chooser',
      budgetTokens: 10_000,
      wanted: true,
      ready: ['b', 'c', 'd', 'e', 'f'].map((id) => ({ id, priority: 2, type: 'task' })),
    });
  });

  test('decides what starts next', () => {
    const story = planned(asked(), { source: 'planner', ids: ['e', 'c'] });
    expect(claims(story)).toEqual(['claim e 1']);
    story.prepared('e', 2);
    story.captured('a').judged('a', true);
    expect(claims(story)).toEqual(['claim c 1']);
    expect(story.commands()).not.toContain('begin-batch');
  });

  test.each([
    ['there is nothing to choose from', { tasks: 2 }],
    ['the turn was not the end of the work', { silent: true }],
    ['the run is being stopped', { stop: true }],
  ])(
    'is not asked if %s',
    (_, { tasks, silent, stop }: { tasks?: number; silent?: boolean; stop?: boolean }) => {
      const all = ['a', 'b', 'c', 'd', 'e'].map((id) => task(id));
      const story = new Story()
        .tasks(...all.slice(0, (tasks ?? 4) + 1))
        .start({ jobs: 2, planner })
        .prepared('a')
        .turn('a')
        .turnEnds('a', silent === true ? { ...ok, signal: { id: 'nothing' } } : ok);
      if (stop) story.tell({ type: 'stop-asked', run: story.run, how: 'finish', by: 'x' });
      expect(story.commands()).not.toContain('begin-batch');
    },
  );

  test('waits while its account is paused or the budget of the run is used up', () => {
    const story = started({ planner, tokens: 100 }).turnEnds('a', {
      ...ok,
      usage: { input: 90, cacheRead: 0, cacheWrite: 0, output: 0 },
    });
    expect(story.commands()).not.toContain('begin-batch');
  });

  test('is not asked for more tasks than its prompt can hold', () => {
    const story = started({ planner: { agent: 'chooser', budgetTokens: 20 } }).turnEnds('a', ok);
    expect(story.decide().commands).toContainEqual({
      type: 'skip-batch',
      plan: { source: 'skipped', reason: 'budget_exceeded' },
    });
  });

  test('that is disabled is recorded once', () => {
    const story = settled(started().turnEnds('a', ok));
    const { current, counts } = story.record().batches ?? {};
    expect(current).toMatchObject({ source: 'skipped', reason: 'planner_disabled', number: 1 });
    story.prepared('b', 2).turn('b', 2).turnEnds('b', ok);
    expect(settled(story).record().batches?.counts).toEqual(counts);
  });

  test('that fails leaves all ready tasks, and its failure is recorded', () => {
    const failed = { source: 'skipped', reason: 'runtime_error', failure: crash } as const;
    const story = planned(asked(), failed);
    expect(story.record().batches).toMatchObject({
      counts: { skipped: 1 },
      current: { ...failed, number: 1 },
    });
    expect(story.record().batches?.call).toBeUndefined();
    expect(claims(story)).toEqual(['claim b 1']);
    expect(story.commands()).not.toContain('begin-batch');
  });

  describe('that was killed from outside', () => {
    const lost = { kind: 'agent-lost', turn: 1 } as const;
    const killed = { source: 'skipped', reason: 'runtime_error', failure: lost } as const;

    test('is asked again, and the call counts neither as a batch nor as a cost', () => {
      const story = planned(asked(), killed);
      expect(story.decide().commands).toContainEqual(
        expect.objectContaining({ type: 'begin-batch', call: 2, agent: 'chooser' }),
      );
      expect(story.record().batches).toMatchObject({ counts: { skipped: 0 }, spent: [] });
    });

    test('is asked a bounded number of times', () => {
      const story = asked();
      for (let call = 1; call <= batchLimits.callRestarts; call += 1) {
        story.tell({ type: 'batch-planned', run: 'r1', call, plan: killed });
        expect(story.commands()).toContain('begin-batch');
        story.tell({ type: 'planner-started', run: 'r1', call: call + 1, agent: 'chooser' });
      }
      const call = batchLimits.callRestarts + 1;
      story.tell({ type: 'batch-planned', run: 'r1', call, plan: killed });
      expect(story.commands()).not.toContain('begin-batch');
      expect(story.record().batches?.current).toMatchObject({ ...killed, number: 1 });
      expect(story.record().batches?.killed).toBeUndefined();
    });

    test('is asked after the commands before a run have passed', () => {
      const story = asked();
      const { run } = story;
      const { owner } = story.record();
      story.tell({ type: 'run-resumed', run, owner, preflight: 'base' });
      planned(story, killed);
      expect(story.commands()).not.toContain('begin-batch');
      story.state.putRun({ ...story.record(), target: asked().record().target });
      expect(story.commands()).toContain('begin-batch');
    });

    test('is not asked again if an agent suggested tasks meanwhile', () => {
      const story = asked()
        .prepared('b', 2)
        .turn('b', 2)
        .calls('b', { id: 'next', ids: ['f'] });
      expect(planned(story, killed).commands()).not.toContain('begin-batch');
    });
  });

  test('that is refused pauses its account', () => {
    const failure = { kind: 'quota-exhausted', agent: 'chooser', message: 'later' } as const;
    const refused = { source: 'skipped', reason: 'runtime_error', failure } as const;
    const story = planned(asked(), refused);
    expect(Object.keys(story.record().accounts.paused)).toEqual(['chooser']);
    story.prepared('b', 2).turn('b', 2).turnEnds('b', ok);
    expect(story.commands()).not.toContain('begin-batch');
  });

  test('is paid by the run, also if its answer comes too late', () => {
    const usage = { input: 5, cacheRead: 0, cacheWrite: 0, output: 2 };
    const story = asked()
      .prepared('b', 2)
      .turn('b', 2)
      .calls('b', { id: 'next', ids: ['f'] });
    expect(story.commands()).toContain('interrupt-batch');
    const plan = { source: 'planner', ids: ['c'] } as const;
    story.tell({ type: 'batch-planned', run: story.run, call: 1, plan, usage });
    const { batches, spent } = story.record();
    expect(spent.tokens).toBe(7);
    expect(batches).toMatchObject({
      current: { source: 'agent', ids: ['f'] },
      counts: { agent: 1, planner: 0 },
      spent: [{ agent: 'chooser', calls: 1, usage }],
    });
  });

  test('is interrupted when the run ends, and the run waits for its end', () => {
    const story = asked().tell({ type: 'stop-asked', run: 'r1', how: 'finish', by: 'x' });
    expect(story.commands()).toEqual(['capture a 1', 'plan-batch', 'interrupt-batch']);
    const plan = story.decide().commands.find(({ type }) => type === 'plan-batch');
    expect(plan).toMatchObject({ wanted: false, ready: [] });
  });

  test('answers only the call that is under way', () => {
    const before = asked().record();
    const story = asked().tell(
      { type: 'batch-planned', run: 'r1', call: 2, plan: { source: 'planner', ids: ['c'] } },
      { type: 'planner-started', run: 'r1', call: 2, agent: 'chooser' },
    );
    expect(story.record()).toEqual(before);
  });
});

describe('a batch never widens', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'x', 'y'];
  const anyBatch = fc.record({
    source: fc.constantFrom('agent' as const, 'planner' as const, 'skipped' as const),
    named: fc.subarray(ids),
    at: fc.integer({ min: 0, max: 2 * batchLimits.batchFloorMs }),
  });
  const batchOf = ({
    source,
    named,
    at,
  }: {
    source: TaskBatch['source'];
    named: string[];
    at: number;
  }) => {
    const of = { number: 1, at, after: { id: 'a', attempt: 1, turn: 1 } };
    const current: TaskBatch =
      source === 'skipped'
        ? { ...of, source, reason: 'parse_error' }
        : { ...of, source, ids: named };
    return { counts: { agent: 0, planner: 0, skipped: 0 }, calls: 0, spent: [], current };
  };

  test('it names only ready tasks, and none where it is skipped or empty', () => {
    fc.assert(
      fc.property(
        anyBatch,
        fc.subarray(ids),
        fc.nat(3 * batchLimits.batchFloorMs),
        (drawn, ready, now) => {
          const isReady = (id: string): boolean => ready.includes(id);
          const readyFor = (id: string) => [id].filter(isReady);
          const { first, until } = narrowingOf({ batches: batchOf(drawn) }, readyFor, now);
          expect(first.every(isReady)).toBe(true);
          if (drawn.source === 'skipped' || first.length === 0) {
            expect({ first, until }).toEqual({ first: [], until: undefined });
          }
          if (until !== undefined) expect(until).toBeGreaterThan(now);
        },
      ),
    );
  });

  test('every task that starts is ready, and every ready task starts in the end', () => {
    const suggestion = fc.array(fc.constantFrom(...ids), { maxLength: 4 });
    fc.assert(
      fc.property(suggestion, fc.integer({ min: 2, max: 4 }), (next, jobs) => {
        const story = new Story().tasks(
          ...['a', 'b', 'c', 'd'].map((id) => task(id)),
          task('e', { after: ['b'] }),
        );
        story
          .start({ jobs })
          .prepared('a')
          .turn('a')
          .turnEnds('a', { ...ok, next });
        const begun = new Set<string>();
        for (let tick = 0; tick < 20; tick += 1) {
          settled(story);
          const [claim] = story.decide().commands.filter(({ type }) => type === 'claim');
          if (claim?.type !== 'claim') break;
          expect(story.state.ready.has(claim.id)).toBe(true);
          begun.add(claim.id);
          story.prepared(claim.id, claim.slot);
        }
        expect(begun.size).toBe(Math.min(3, jobs - 1));
      }),
      { numRuns: 50 },
    );
  });
});
