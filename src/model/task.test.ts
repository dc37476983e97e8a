import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { branchOf } from './branch.ts';
import { idFromTitle, isTaskId } from './task.ts';

describe('the id of a task', () => {
  test.each(['a', 'A1', 'search-docs', 'v1.2', 'x_y', '0', 'a'.repeat(80)])('may be %j', (id) => {
    expect(isTaskId(id)).toBe(true);
  });

  test.each([
    '',
    '-x',
    '.x',
    '_x',
    'a/b',
    '../x',
    'a..b',
    'a b',
    'a.lock',
    'A.LOCK',
    'a.',
    '@{',
    'a~1',
    'a^',
    'a:b',
    'a\nb',
    'é',
    '$(x)',
    ';',
    'a'.repeat(81),
  ])('may not be %j', (id) => {
    expect(isTaskId(id)).toBe(false);
  });

  test('makes a branch name that git takes, whatever the id', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/).filter(isTaskId);
    fc.assert(
      fc.property(id, fc.integer({ min: 1, max: 99 }), (task, attempt) => {
        const branch = branchOf('261115-120000-abcd', task, attempt);
        // The rules of git for ref names, as far as these characters can break them.
        expect(branch).not.toMatch(/\.\.|\/\.|\.lock(?:\/|$)|\.$|\/$|@\{|[\s~^:?*[\\]/);
      }),
    );
  });
});

describe('an id made of a title', () => {
  test.each([
    ['Add the search endpoint', 'add-the-search-endpoint'],
    ['  Fix #12: crash!  ', 'fix-12-crash'],
    ['Größe & Maß', 'groesse-mass'],
    ['日本語', ''],
    ['---', ''],
  ])('of %j is %j', (title, id) => {
    expect(idFromTitle(title)).toBe(id);
  });

  test('is an id or nothing, never too long', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (title) => {
        const id = idFromTitle(title);
        expect(id === '' || isTaskId(id)).toBe(true);
        expect(id.length).toBeLessThanOrEqual(48);
      }),
    );
  });
});
