// The page on the protocol is held to the code: what it shows is understood, and what it lists is all there is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandNamed } from '../../src/cli/commands.ts';
import { separator } from '../../src/prompt/prompt.ts';
import { loadTemplates } from '../../src/prompt/prompt-file.ts';
import { runTokens, taskTokens } from '../../src/prompt/template.ts';
import { followUpsIn, nextIn } from '../../src/protocol/follow-up.ts';
import { notesIn } from '../../src/protocol/note.ts';
import { askMark, completeLine, doneLine, endSignalIn } from '../../src/protocol/signal.ts';
import { root } from '../tidy/files.ts';

const page = readFileSync(join(root, 'docs/protocol.md'), 'utf8');
/** What is inside the fenced blocks of a language. */
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^(\`{3,})${language}\\n([\\s\\S]*?)^\\1$`, 'gm'))].map(
    (found) => found[2] ?? '',
  );
const firstCells = (header: string): string[] =>
  (page.split(`| ${header} |`)[1] ?? '')
    .split('\n\n')[0]
    ?.split('\n')
    .slice(2)
    .map((line) => line.split('`')[1] ?? '') ?? [];

describe('the page on the protocol', () => {
  it('says nothing itself, although it shows everything', () => {
    expect(endSignalIn(page)).toEqual({ id: 'nothing' });
    expect(nextIn(page)).toBeUndefined();
    expect(followUpsIn(page)).toEqual([]);
    expect(notesIn(page)).toEqual([]);
  });

  it('shows words and blocks that are understood', () => {
    const [complete = '', ask = '', followUp = '', note = '', next = ''] = blocks('text');
    expect(endSignalIn(complete)).toEqual({ id: 'complete' });
    expect(endSignalIn(ask)).toMatchObject({
      id: 'ask',
      question: expect.stringContaining('both.'),
    });
    expect(followUpsIn(followUp)).toEqual([
      {
        title: 'Escape quotes in queries',
        body: 'Done when a test shows it.',
        type: 'bug',
        priority: 1,
      },
      { title: 'Document the limits of a query' },
    ]);
    expect(notesIn(note)).toMatchObject([{ kind: 'decision' }]);
    expect(nextIn(next)).toEqual(['search-docs', 'search-limits']);
    const [element = ''] = /<next_iteration>.*<\/next_iteration>/.exec(page) ?? [];
    expect(nextIn(element)).toEqual(['search-docs', 'search-limits']);
  });

  it('lists the words in the order in which they count', () => {
    const [complete, giveUp, ask, claim] = firstCells('line | means | what follows');
    expect([complete, giveUp]).toEqual([completeLine, doneLine]);
    expect(ask?.startsWith(askMark)).toBe(true);
    expect(endSignalIn(claim ?? '')).toMatchObject({ id: 'claim' });
  });

  it('lists every call, and none beside', () => {
    const shown = firstCells('call | does').map((cell) => cell.split(' ')[2]);
    const [call] = commandNamed('agent')?.args ?? [];
    expect(new Set(shown)).toEqual(new Set(call?.choices));
  });

  it('lists every token, and none beside', () => {
    const tokens = firstCells('token | value').map((cell) => cell.replace(/[{}]/g, ''));
    expect(tokens).toEqual([...runTokens, ...taskTokens]);
  });

  it('shows a prompt file that is right, and the line between the parts of a prompt', () => {
    const [text = ''] = blocks('markdown');
    const read = (file: string) => (file === 'a.md' ? text : 'Be brief.');
    expect(loadTemplates(['a.md'], read)).toMatchObject({ ok: true });
    expect(page).toContain(`\`${separator}\``);
  });
});
