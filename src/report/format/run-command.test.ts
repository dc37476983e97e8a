import { expect, it } from 'vitest';
import { runWords } from './run-command.ts';

it.each([
  [{}, 'run --scope ready'],
  [{ slots: 3 }, 'run --scope ready --jobs 3'],
  [{ only: [] }, 'run --scope ready'],
  [{ only: ['a', 'b'], slots: 2 }, 'run --only a --only b --jobs 2'],
  [{ labels: ['ui'] }, 'run --label ui'],
  [{ epics: ['search'], labels: ['ui'] }, 'run --epic search --label ui'],
])('starts a run of %j with %s', (wish, words) => {
  expect(runWords(wish).join(' ')).toBe(words);
});
