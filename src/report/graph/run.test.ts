import { describe, expect, it } from 'vitest';
import { violations } from '../../../test/report/any-work.ts';
import { failures } from '../../../test/report/failures.ts';
import { logOf } from '../../../test/report/fixtures.ts';
import { drawnRun } from '../../../test/report/records-of.ts';
import { landing, start, story } from '../../../test/report/story.ts';
import { trainStory } from '../../../test/report/train-story.ts';
import { task } from '../../../test/story.ts';
import type { BatchPlan } from '../../model/batch.ts';
import type { EventBody } from '../../model/event.ts';
import type { CrossedLimit, Failure } from '../../model/failure.ts';
import type { VerifyOutcome } from '../../model/verdict.ts';
import { plain } from '../format/style.ts';
import { ascii } from './ascii.ts';
import { dot, mermaid } from './markup.ts';

describe('the drawn attempts of a run', () => {
  it('say what a person is waited for, and what a person rejected', () => {
    const of = { run: 'r1', id: 'api', attempt: 1 };
    const branch = 'yard/r1/api-1';
    const works = (turn: number): readonly EventBody[] => [
      { ...of, type: 'turn-started', turn, slot: 1 },
      { ...of, type: 'turn-ended', turn, result: { ok: true, tail: '' } },
      {
        ...of,
        type: 'work-captured',
        commit: `c${turn}`,
        tree: 't',
        by: 'agent',
        violations: [violations['protected-path']],
      },
    ];
    const decided = { type: 'task-decided', id: 'api' } as const;
    const asked: readonly EventBody[] = [
      { type: 'task-added', task: task('api') },
      start,
      { ...of, type: 'attempt-started', slot: 1, fence: 1, agent: 'mine', branch },
      { ...of, type: 'worktree-ready', worktree: { id: 'w', dir: '/w' }, base: 'b' },
      ...works(1),
    ];
    const shown = (...more: readonly EventBody[]) =>
      drawnRun(logOf(...asked, ...more)).nodes.map(({ style, note }) => [style, note]);
    const waits = ['incomplete', expect.stringMatching(/^Waits for your approval/)];
    const rejected = ['returned', 'rejected: Leave it'];
    const reject = { ...decided, decision: { kind: 'reject', reason: 'Leave it' } } as const;
    expect(shown()).toEqual([waits]);
    expect(shown(reject)).toEqual([rejected]);
    expect(shown(reject, ...works(2))).toEqual([rejected, waits]);
    const approve = { ...decided, decision: { kind: 'approve' } } as const;
    expect(shown(reject, ...works(2), approve)).toEqual([
      rejected,
      ['incomplete', 'work waits for the gate or the train'],
    ]);
  });

  it('are possibly hung after a silence, whatever they printed before', () => {
    const of = { run: 'r1', id: 'api', attempt: 1 };
    const styleAfter = (limit: CrossedLimit, tail: string) => {
      const failure = { kind: 'limit-crossed', phase: 'agent', limit, value: 5000, tail } as const;
      return drawnRun(logOf(start, { ...of, type: 'attempt-failed', failure })).nodes[0]?.style;
    };
    expect(styleAfter('idle', 'Reading the task\n')).toBe('hung');
    expect(styleAfter('wall', '')).toBe('hung');
    expect(styleAfter('wall', 'Reading the task\n')).toBe('error');
    expect(styleAfter('output', '')).toBe('error');
  });

  it('that were given up lead to the landing that the target stayed at', () => {
    const of = (id: string) => ({ run: 'r1', id, attempt: 1 });
    const starts = (id: string, slot: number, base: string): readonly EventBody[] => [
      {
        ...of(id),
        type: 'attempt-started',
        slot,
        fence: 1,
        agent: 'mine',
        branch: `yard/r1/${id}-1`,
      },
      {
        ...of(id),
        type: 'worktree-ready',
        worktree: { id: 'w', dir: '/w' },
        base: base.repeat(40),
      },
    ];
    const fails = (id: string): EventBody => {
      return { ...of(id), type: 'attempt-failed', failure: failures['agent-exited'] };
    };
    const log = logOf(
      start,
      ...starts('api', 1, '0'),
      ...starts('early', 2, '0'),
      ...starts('late', 3, '0'),
      fails('early'),
      ...landing('api', 1, 'c1'),
      fails('late'),
      ...starts('after', 2, 'b'),
      fails('after'),
    );
    const drawing = drawnRun(log);
    const name = (id: string) => drawing.nodes.find((node) => node.id === id)?.name;
    const edges = drawing.edges.flatMap(({ from, to, kind, label }) =>
      kind === 'rollback' ? [[name(from), name(to), label]] : [],
    );
    expect(edges).toEqual([
      ['early.1', 'early.1', 'given up, target at 0000000'],
      ['late.1', 'api.1', 'given up, target at bbbbbbb'],
      ['after.1', 'api.1', 'given up, target at bbbbbbb'],
    ]);
  });

  it('are canceled by a person, or interrupted', () => {
    const of = { run: 'r1', id: 'api', attempt: 1 };
    const noteAfter = (failure: Failure) =>
      drawnRun(logOf(start, { ...of, type: 'attempt-failed', failure })).nodes[0]?.note;
    expect(noteAfter(failures['canceled-by-person'])).toMatch(/^canceled at/);
    expect(noteAfter(failures.interrupted)).toMatch(/^interrupted at/);
  });

  it('end with the look at the target, and what is wrong with it', () => {
    const tail = 'ok 1\nnot ok 2 - adds\nnot ok 3 - takes\nnot ok 4 - gives\nnot ok 5 - more\n';
    const failed = { kind: 'failed', command: 'npm test', exit: 1, ms: 5, tail } as const;
    const log = (outcome: VerifyOutcome) => [
      ...story,
      ...logOf({ type: 'run-verified', run: 'r1', outcome }).map((event) => {
        return { ...event, seq: 999 };
      }),
    ];
    const drawing = drawnRun(log(failed));
    expect(drawing.nodes.at(-1)).toMatchObject({
      name: 'verify',
      style: 'error',
      lines: ['not ok 2 - adds', 'not ok 3 - takes', 'not ok 4 - gives'],
    });
    expect(drawing.edges.at(-1)).toEqual({ from: 'target', to: 'verify', kind: 'sequence' });
    expect(ascii(drawing, plain, 90).join('\n')).toContain('    not ok 3 - takes');
    expect(dot(drawing)).toContain('\\nnot ok 4 - gives"');
    expect(mermaid(drawing)).toContain('<br/>not ok 4 - gives');
    const passed = drawnRun(log({ kind: 'passed', command: 'x', ms: 1 }));
    expect(passed.nodes.at(-1)).toMatchObject({ glyph: '✓', style: 'done' });
    expect(passed.nodes.at(-1)).not.toHaveProperty('lines');
  });

  it('show who chose a task: an agent, the planner, or neither because the planner failed', () => {
    const of = (id: string) => ({ run: 'r1', id, attempt: 1 }) as const;
    const works = (id: string, slot: number, next?: readonly string[]) =>
      [
        {
          ...of(id),
          type: 'attempt-started',
          slot,
          fence: 1,
          agent: 'mine',
          branch: `yard/r1/${id}-1`,
        },
        { ...of(id), type: 'worktree-ready', worktree: { id: 'w', dir: '/w' }, base: 'b' },
        { ...of(id), type: 'turn-started', turn: 1, slot },
        {
          ...of(id),
          type: 'turn-ended',
          turn: 1,
          result: { ok: true, tail: '', next },
        },
      ] as const;
    const planned = (call: number, plan: BatchPlan) => [
      { type: 'planner-started', run: 'r1', call, agent: 'x' } as const,
      { type: 'batch-planned', run: 'r1', call, plan } as const,
    ];
    const added = ['a', 'b', 'c', 'd'].map(
      (id) => ({ type: 'task-added', task: task(id) }) as const,
    );
    const log = logOf(
      ...added,
      start,
      ...works('a', 1, ['b']),
      ...works('b', 2),
      ...planned(1, { source: 'planner', ids: ['c'] }),
      ...works('c', 1),
      ...planned(2, { source: 'skipped', reason: 'parse_error' }),
      ...works('d', 2),
    );
    const drawing = drawnRun(log);
    const name = (id: string) => drawing.nodes.find((node) => node.id === id)?.name;
    const edges = drawing.edges.flatMap(({ from, to, kind }) =>
      to === 'verify' ? [] : [[name(from), kind, name(to)]],
    );
    expect(edges).toEqual([
      ['a.1', 'agent', 'b.1'],
      ['b.1', 'planner', 'c.1'],
      ['a.1', 'sequence', 'c.1'],
      ['b.1', 'fallback', 'd.1'],
    ]);
    expect(ascii(drawing, plain, 90).join('\n')).toContain('a.1 ─a▸ b.1  agent');
    expect(mermaid(drawing)).toContain('-->|"planner"|');
    expect(dot(drawing)).toContain('label="fallback"');
  });

  it('show why work went back to its agent, and where it was handed over', () => {
    const notes = drawnRun(trainStory).nodes.map(({ name, style, note }) => {
      return [name, style, note];
    });
    expect(notes).toContainEqual(['api.1/1', 'returned', expect.stringContaining('a.test.ts')]);
    expect(notes).toContainEqual(['api.1/2', 'returned', undefined]);
    expect(notes).toContainEqual(['api.1/3', 'moving', 'delivered as https://example.com/pull/7']);
  });
});
