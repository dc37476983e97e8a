import { expect, test } from 'vitest';
import { given } from './given.ts';

test('given drops undefined fields and keeps every other value', () => {
  const fields: { readonly a?: number; readonly b: string | null; readonly c: boolean } = given({
    a: undefined as number | undefined,
    b: null,
    c: false,
  });
  expect(Object.entries(fields)).toEqual([
    ['b', null],
    ['c', false],
  ]);
});
