import { describe, expect, it } from 'vitest';
import { failures } from '../../../test/report/failures.ts';
import { logOf } from '../../../test/report/fixtures.ts';
import { drawnRun } from '../../../test/report/records-of.ts';
import { start, story } from '../../../test/report/story.ts';
import { trainStory } from '../../../test/report/train-story.ts';
import type { VerifyOutcome } from '../../model/verdict.ts';
import { plain } from '../format/style.ts';
import { ascii } from './ascii.ts';
import { dot, mermaid } from './markup.ts';

describe('the drawn attempts of a run', () => {
  it('say what a person is waited for', () => {
    const of = { run: 'r1', id: 'api', attempt: 1 };
    const log = logOf(
      start,
      { ...of, type: 'turn-started', turn: 1, slot: 1 },
      { ...of, type: 'turn-ended', turn: 1, result: { ok: true, tail: '' } },
      { ...of, type: 'approval-asked', failure: failures['approval-needed'] },
    );
    expect(drawnRun(log).nodes[0]?.note).toMatch(/^Waits for your approval/);
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

  it('show why work went back to its agent, and where it was handed over', () => {
    const notes = drawnRun(trainStory).nodes.map(({ name, style, note }) => {
      return [name, style, note];
    });
    expect(notes).toContainEqual(['api.1/1', 'returned', expect.stringContaining('a.test.ts')]);
    expect(notes).toContainEqual(['api.1/2', 'returned', undefined]);
    expect(notes).toContainEqual(['api.1/3', 'moving', 'delivered as https://example.com/pull/7']);
  });
});
