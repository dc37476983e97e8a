import { expect, test } from 'vitest';
import { defined } from './defined.ts';

test('drops undefined fields and keeps every other value', () => {
  const fields: { readonly a?: number; readonly b: string | null; readonly c: boolean } = defined({
    a: undefined as number | undefined,
    b: null,
    c: false,
  });
  expect(Object.entries(fields)).toEqual([
    ['b', null],
    ['c', false],
  ]);
});
