import { describe, expect, it } from 'vitest';
import { inline, sentence } from './explanation.ts';

describe('a sentence', () => {
  it.each([
    ['k2 is being worked on', 'k2 is being worked on.'],
    ['notes.md is longer than 10 characters', 'notes.md is longer than 10 characters.'],
    ['there is no such file', 'There is no such file.'],
    ['the folder holds no task', 'The folder holds no task.'],
    ['nothing is known', 'Nothing is known.'],
  ])('has a capital at its start unless it begins with a name: %s', (text, shown) => {
    expect(sentence(text)).toBe(shown);
  });
});

it.each([
  ['It broke.', 'It broke'],
  ['It broke...', 'It broke'],
  ['python -m unittest discover -t .', 'python -m unittest discover -t .'],
  ['make -C ..', 'make -C ..'],
])('foreign text loses its final period, but no folder: %s', (text, shown) => {
  expect(inline(text)).toBe(shown);
});
