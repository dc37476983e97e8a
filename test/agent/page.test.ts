// The page on extending is held to the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { harnesses } from '../../src/agent/harnesses.ts';
import { withoutReasoning } from '../../src/config/profile.ts';
import { root } from '../tidy/files.ts';

const page = readFileSync(join(root, 'docs/extending.md'), 'utf8');

it('says of each agent what it can do', () => {
  const yes = (can: boolean): string => (can ? 'yes' : 'no');
  for (const { use, capabilities, endSignal } of Object.values(harnesses)) {
    const { sessions, usage, cost, model, reasoning } = capabilities;
    const cells = [sessions, usage, yes(cost), yes(model), yes(reasoning), endSignal];
    expect(page).toContain(`| \`${use}\` | ${cells.join(' | ')} |`);
  }
});

it('has each agent that takes no reasoning effort in the list of profiles', () => {
  const without = Object.values(harnesses).filter(({ capabilities }) => !capabilities.reasoning);
  expect([...withoutReasoning]).toEqual(without.map(({ use }) => use));
});

it('says of each agent what it may do', () => {
  const section = page.slice(page.indexOf('### What they may do'), page.indexOf('### Steps'));
  for (const use of Object.keys(harnesses))
    expect(section).toMatch(new RegExp(`^\\| \`${use}\``, 'm'));
});

it('says of each agent how it is held to reading as a reviewer', () => {
  const section = page.slice(page.indexOf('| as a reviewer |'), page.indexOf('### Steps'));
  for (const { use, review } of Object.values(harnesses)) {
    expect(section).toMatch(new RegExp(`^\\| \`${use}\``, 'm'));
    expect(review.args.length + Object.keys(review.env).length).toBeGreaterThan(0);
  }
});

it('names only files that are there', () => {
  const named = [...page.matchAll(/`((?:src|test|docs)\/[\w./-]+)`/g)].map(([, file = '']) => file);
  const there = named.filter((file) => !file.includes('oak'));
  expect(there.length).toBeGreaterThan(10);
  for (const file of there)
    expect(() => readFileSync(join(root, file)), file).not.toThrow(/ENOENT/);
});
