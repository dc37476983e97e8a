import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { Usage } from '../model/turn.ts';

const usage = (tokens: number, costUsd?: number): Usage => ({
  input: tokens,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  costUsd,
});
const ids = Array.from({ length: 12 }, (_, at) => `t${at}`);
const started = (more: Parameters<Story['start']>[0]) =>
  new Story().tasks(...ids.map((id) => task(id))).start({ jobs: 4, ...more });

const used = (story: Story, id: string, tokens: number, costUsd?: number): Story =>
  story
    .prepared(id)
    .turn(id)
    .turnEnds(id, { ok: true, tail: '', usage: usage(tokens, costUsd) });

describe('a budget of tokens', () => {
  test('lets the first wave go, when nobody knows yet what a turn takes', () => {
    expect(started({ tokens: 1 }).commands()).toHaveLength(4);
  });

  test('puts aside what a turn takes for each that runs, before one more starts', () => {
    const story = used(started({ tokens: 400, jobs: 6 }), 't0', 100);
    // 300 are left: two that run and one more, not two.
    story.prepared('t1', 2).turn('t1', 2).prepared('t2', 3).turn('t2', 3);
    const claims = story.commands().filter((signal) => signal.startsWith('claim'));
    expect(claims).toEqual(['claim t3 1']);
  });

  test('counts every kind of token', () => {
    const story = started({ tokens: 10 }).prepared('t0').turn('t0');
    const all = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 };
    story.turnEnds('t0', { ok: true, tail: '', usage: all });
    expect(story.record().spent).toEqual({ starts: 1, tokens: 10, costUsd: 0, turns: 1 });
  });

  test('that is used up ends every turn, lands what is paid for, and is the reason of the end', () => {
    const story = started({ tokens: 100 }).prepared('t1', 2).turn('t1', 2);
    used(story, 't0', 100);
    expect(story.commands()).toEqual(['capture t0 1', 'run-turn t1 1', 'interrupt t1 1']);
    story.tell({
      type: 'work-captured',
      run: 'r1',
      id: 't0',
      attempt: 1,
      commit: 'x',
      tree: 'y',
      by: 'agent',
    });
    story.judged('t0', true).built('t0').candidateJudged(true).lands();
    const by = { kind: 'interrupted', by: 'the run' } as const;
    story.turnEnds('t1', { ok: false, failure: by });
    story.tell({ type: 'attempt-failed', run: 'r1', id: 't1', attempt: 1, failure: by });
    expect(story.commands().at(-1)).toBe('end-run budget-tokens');
  });

  test('of which too little is left for one more turn ends the run when all is quiet', () => {
    const story = started({ tokens: 190, jobs: 1 });
    used(story, 't0', 100);
    expect(story.commands()).toEqual(['capture t0 1']);
    story.tell({
      type: 'work-captured',
      run: 'r1',
      id: 't0',
      attempt: 1,
      commit: 'x',
      tree: 'y',
      by: 'agent',
    });
    story.judged('t0', true).built('t0').candidateJudged(true).lands();
    expect(story.commands()).toEqual(['end-run budget-tokens']);
  });

  test('of which too little is left ends the run although a conversation could go on', () => {
    const story = started({ tokens: 190, jobs: 1 }).prepared('t0').turn('t0');
    const signal = { id: 'nothing' } as const;
    story.turnEnds('t0', { ok: true, tail: '', usage: usage(100), signal });
    expect(story.task('t0').attempt?.state.id).toBe('between-turns');
    expect(story.commands()).toEqual(['end-run budget-tokens']);
  });

  test('counts again when the run is resumed', () => {
    const story = used(started({ tokens: 100, jobs: 1 }), 't0', 100);
    story.tell(
      { type: 'run-ended', run: 'r1', stop: { reason: 'budget-tokens' } },
      {
        type: 'run-resumed',
        run: 'r1',
        owner: { pid: 2, startedAt: '', host: '' },
        budget: { tokens: 300 },
      },
    );
    expect(story.commands()).toEqual(['capture t0 1']);
    expect(story.record().spentBeforeResume).toMatchObject({ tokens: 100 });
  });

  test('that is smaller than a turn lets one start after each resumption', () => {
    const story = used(started({ tokens: 10, jobs: 2 }), 't0', 100);
    story.tell(
      { type: 'run-ended', run: 'r1', stop: { reason: 'budget-tokens' } },
      { type: 'run-resumed', run: 'r1', owner: { pid: 2, startedAt: '', host: '' } },
    );
    const claims = story.commands().filter((signal) => signal.startsWith('claim'));
    expect(claims).toEqual(['claim t1 1']);
  });

  test('is overspent by no more than the turns that ran when it was reached', () => {
    const turns = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(turns, fc.integer({ min: 1, max: 3_000 }), (costs, tokens) => {
        const story = started({ tokens, jobs: 3, pool: 30, slotErrors: 100 });
        const running: string[] = [];
        let before = 0;
        let atOnce = 0;
        for (let step = 0; step < 100; step += 1) {
          for (const command of story.decide().commands) {
            if (command.type !== 'claim') continue;
            expect(story.record().spent?.tokens ?? 0).toBeLessThan(tokens);
            story.prepared(command.id, command.slot).turn(command.id, command.slot);
            running.push(command.id);
          }
          const id = running.shift();
          if (id === undefined) break;
          before = story.record().spent?.tokens ?? 0;
          if (before < tokens) atOnce = running.length + 1;
          const cost = costs[ids.indexOf(id)] ?? 0;
          story.turnEnds(id, { ok: true, tail: '', usage: usage(cost) });
        }
        const spent = story.record().spent?.tokens ?? 0;
        expect(spent).toBeLessThan(tokens + atOnce * 500);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a budget of money', () => {
  test('is kept like one of tokens', () => {
    const story = used(started({ costUsd: 1 }), 't0', 5, 1.25);
    expect(story.commands()).toEqual(['capture t0 1']);
    expect(story.record().spent?.costUsd).toBe(1.25);
  });

  test('is used up by exactly its amount, and ends agents that still work', () => {
    const story = started({ costUsd: 1, jobs: 2 });
    story.prepared('t1', 2).turn('t1', 2);
    used(story, 't0', 5, 1);
    expect(story.commands()).toContain('interrupt t1 1');
    story.turnEnds('t1', { ok: false, failure: { kind: 'interrupted', by: 'the budget' } });
    story.captured('t0').judged('t0', true).built('t0').candidateJudged(true).lands();
    expect(story.decide().commands.at(-1)).not.toMatchObject({ type: 'claim' });
  });

  test('knows nothing of turns whose cost nobody knows', () => {
    const story = used(started({ costUsd: 1 }), 't0', 5_000);
    expect(story.commands().filter((signal) => signal.startsWith('claim'))).toHaveLength(3);
  });
});
