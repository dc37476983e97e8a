import { expect, test } from 'vitest';
import { isWhole } from '../../task/scope.ts';
import { scopeText } from './scope.ts';

test.each([
  [{ kind: 'ready' }, 'every task'],
  [{ kind: 'epics', epics: ['a', 'b'] }, 'epics a, b'],
  [{ kind: 'only', tasks: ['x'] }, 'only x'],
  [{ kind: 'only', tasks: [...'abcdefgh'] }, 'only a, b, c, d, e, f and 2 more'],
  [{ kind: 'ready', except: ['x', 'y'] }, 'every task, except x, y'],
  [
    { kind: 'epics', epics: ['a'], labels: ['ui', 'web'], types: ['bug'], except: ['x'] },
    'epics a with label ui or web and type bug, except x',
  ],
] as const)('the scope %j is "%s"', (scope, text) => {
  expect(scopeText(scope)).toBe(text);
});

test('only a scope without conditions is whole', () => {
  expect(isWhole({ kind: 'ready' })).toBe(true);
  expect(isWhole({ kind: 'ready', labels: ['ui'] })).toBe(false);
  expect(isWhole({ kind: 'only', tasks: [] })).toBe(false);
});
