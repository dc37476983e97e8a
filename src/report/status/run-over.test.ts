import { describe, expect, it } from 'vitest';
import {
  aConversation,
  anAttempt,
  aRecord,
  aRun,
  endedPhase,
} from '../../../test/report/fixtures.ts';
import { viewed } from '../../../test/report/viewed.ts';
import type { RunRecord } from '../../model/run-record.ts';
import { plain } from '../format/style.ts';
import { countsLine, statusText } from './status.ts';

describe('a run whose process was killed', () => {
  const records = [
    aRecord('api', undefined, {
      attempt: anAttempt(
        { id: 'working', slot: 1, turn: 1, since: 60_000 },
        aConversation({ turns: 1 }),
      ),
    }),
    aRecord('fix', undefined, {
      attempt: anAttempt({
        id: 'landing',
        commit: 'c'.repeat(40),
        tree: 'f'.repeat(40),
        since: 71_000,
        candidate: 'c1',
      }),
    }),
  ];
  const text = (underWay: readonly string[]): string => {
    const view = viewed(records, aRun(), 75_000, { underWay });
    return statusText(view, { now: 75_000 }, plain, 90).join('\n');
  };

  it('has stopped tasks in its counts and slots', () => {
    const dead = text([]);
    expect(dead).toContain('Run r1  died');
    expect(dead).toContain('⋯ 2 stopped');
    expect(dead).toMatch(/ 1 {2}stopped +15 s/);
    expect(dead).not.toContain('working');
    expect(text(['r1'])).toContain('⇒ 1 landing  ▶ 1 working');
  });

  it('does not hide the work of another run', () => {
    const [api] = records;
    const attempt = { ...anAttempt({ id: 'working', slot: 1, turn: 1, since: 1 }), run: 'r2' };
    const both = [api ?? aRecord('api'), aRecord('other', undefined, { attempt })];
    const view = viewed(both, aRun(), 75_000, { underWay: ['r2'] });
    expect(countsLine(view, plain, 90)).toBe('▶ 2 working');
    const scope = { kind: 'only', tasks: ['api'] } as const;
    const run = aRun({ settings: { ...aRun().settings, scope } });
    const scoped = viewed(both, run, 75_000, { underWay: ['r2'] });
    expect(countsLine(scoped, plain, 90), 'that work counts elsewhere').toBe('⋯ 1 stopped');
  });
});

it('says that the counts cover all tasks after a run with a scope, as they do', () => {
  const records = ['a', 'b', 'c'].map((id) => aRecord(id));
  const { settings } = aRun();
  const run = { settings: { ...settings, scope: { kind: 'only', tasks: ['a'] } } } as const;
  const text = (more: Partial<RunRecord> = {}): string =>
    statusText(viewed(records, aRun({ ...run, ...more }), 9_000), { now: 9_000 }, plain, 90)
      .slice(1, 3)
      .join('; ');
  expect(text()).toBe('○ 1 ready; Scope: only a');
  expect(text({ phase: endedPhase(8_000) })).toBe(
    '○ 3 ready; Scope was: only a; the counts cover all tasks',
  );
});
