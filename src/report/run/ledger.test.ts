import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fits } from '../../../test/report/fits.ts';
import { colors, shown } from '../../../test/report/ink.ts';
import { need } from '../../../test/rig/need.ts';
import { noEvidence } from '../../model/evidence.ts';
import type { Fate } from '../../model/ledger-entry.ts';
import { plain, type Style } from '../format/style.ts';
import { type LedgerLine, type LedgerLines, ledgerCounts, ledgerText as textOf } from './ledger.ts';

const commit = (letter: string): string => letter.repeat(40);
const line = (task: string, fate: Fate, more: Partial<LedgerLine> = {}): LedgerLine => ({
  run: 'r1',
  task,
  attempt: 1,
  commit: commit('a'),
  fate,
  ...more,
});
const red = {
  kind: 'gate-red',
  where: 'branch',
  command: 'npm test',
  exit: 1,
  evidence: noEvidence,
  tail: '',
  log: 'x',
} as const;

const nothingElse = { unsaved: [], strays: [], shared: [], archives: [], mismatches: [] };
const ledgerText = (entries: LedgerLines['entries'], style: Style, width: number): string[] =>
  textOf({ entries, ...nothingElse }, style, width);

const whole: readonly LedgerLine[] = [
  line('rename', { id: 'superseded', by: commit('b') }),
  line('rename', { id: 'landed', by: commit('c') }, { commit: commit('b') }),
  line('guide', { id: 'returned', to: 2, why: red, ref: 'refs/heads/yard/r1/guide-1' }),
  line('guide', { id: 'waiting', ref: 'refs/yard/keep/r1/guide-2' }, { attempt: 2 }),
  line('fixed', { id: 'landed', by: commit('d'), byHand: true }),
  line('api', { id: 'delivered', branch: 'yard/api', url: 'https://forge.invalid/7' }),
  line('kept', { id: 'returned', to: 'person', ref: 'refs/heads/mine' }),
  line('old', { id: 'superseded', by: commit('e'), gone: 'yard/r0/old-1' }),
];

describe('the ledger for people', () => {
  it('shows what became of every commit, and the sum', () => {
    expect(ledgerText(whole, plain, 120)).toMatchInlineSnapshot(`
      [
        "task    try  commit   became      details",
        "rename    1  aaaaaaa  superseded  by bbbbbbb",
        "rename    1  bbbbbbb  landed      with ccccccc",
        "guide     1  aaaaaaa  returned    on yard/r1/guide-1, tried again by attempt 2: \`npm test\` failed (exit 1) on the branc…",
        "guide     2  aaaaaaa  waiting     on refs/yard/keep/r1/guide-2",
        "fixed     1  aaaaaaa  landed      merged by hand, below ddddddd",
        "api       1  aaaaaaa  delivered   as yard/api, https://forge.invalid/7",
        "kept      1  aaaaaaa  returned    on mine, left to you",
        "old       1  aaaaaaa  superseded  by eeeeeee; its branch yard/r0/old-1 is gone",
        "",
        "8 commits: 2 landed, 1 delivered, 2 superseded, 2 returned, 1 waiting. Nothing is lost.",
      ]
    `);
  });

  it('tells what is lost in full under the table, however narrow that is', () => {
    const why = `it landed with ${commit('c')}, but main does not contain ${commit('c')}`;
    const text = ledgerText([...whole, line('gone', { id: 'lost', why })], plain, 60);
    const below = text.slice(text.indexOf('')).join(' ');
    expect(below).toContain('Lost: aaaaaaa of gone, attempt 1: it landed with');
    expect(below).toContain('1 lost.');
    expect(below).not.toContain('Nothing is lost');
  });

  it('names the run only where there are several', () => {
    const two = [whole[0], { ...whole[1], run: 'r2' }] as readonly LedgerLine[];
    expect(ledgerText(two, plain, 120)[0]).toMatch(/^run {2,}task/);
    expect(ledgerText(whole, plain, 120)[0]).toMatch(/^task/);
  });

  it('says so when there is nothing to account for', () => {
    expect(ledgerText([], plain, 80)).toEqual(['No agent has committed any work yet.']);
  });

  it('counts one commit as one', () => {
    const only = need(whole[0]);
    expect(ledgerText([only], plain, 80).at(-1)).toBe('1 commit: 1 superseded. Nothing is lost.');
  });

  it('paints what is lost red', () => {
    const text = ledgerText([line('x', { id: 'lost', why: 'no ref holds it' })], colors, 80);
    expect(shown(text.at(-1) ?? '')).toContain('\u001b[31m');
  });

  it('lets no control character of a task or a reason through, and keeps its table to the width', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.integer({ min: 20, max: 120 }),
        (task, why, width) => {
          const lines = ledgerText([line(task, { id: 'lost', why })], plain, width);
          for (const text of lines) {
            // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
            expect(shown(text)).not.toMatch(/[\u0000-\u001f]/);
          }
          for (const text of lines.slice(0, 2)) expect(fits(text, width)).toBe(true);
        },
      ),
    );
  });
});

describe('the counts', () => {
  it('name every fate, also those that nothing has', () => {
    expect(ledgerCounts(whole)).toEqual({
      landed: 2,
      delivered: 1,
      superseded: 2,
      returned: 2,
      dropped: 0,
      waiting: 1,
      lost: 0,
    });
  });
});
