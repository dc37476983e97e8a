import { describe, expect, it } from 'vitest';
import { matching, reasonOf, sorted, withoutVariants } from './task-list.ts';

const tasks = [
  { id: 'login', title: 'Log in', state: 'landed', priority: 2 },
  { id: 'cart', title: 'Add to cart', state: 'working', priority: 1 },
  { id: 'pay', title: 'Pay by card', state: 'failed', priority: 3 },
  { id: 'mail', title: 'Send mail', state: 'ready', priority: 0 },
] as const;
const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).join(' ');

describe('the list of tasks', () => {
  it('says why a ready task has not started, unless its failure says more', () => {
    const failure = { kind: 'gate-red', what: 'The gate failed.', why: '', do: '' };
    const reason = (id: string, more: object = {}): string | undefined =>
      reasonOf({ ...tasks[3], startReason: { id }, ...more } as never);
    expect(reason('slot')).toBe('waits for a free slot');
    expect(reason('slot', { failure })).toBe('waits for a free slot');
    expect(reason('no-run')).toBe('no run is under way');
    expect(reason('no-run', { failure })).toBe('The gate failed.');
    expect(reason('next', { startReason: undefined })).toBeUndefined();
  });

  it('leaves out variants, which are shown with their task', () => {
    const variant = { ...tasks[0], id: 'login.v1', variantOf: 'login' };
    expect(ids(withoutVariants([tasks[0], variant]))).toBe('login');
  });

  it.each([
    ['', 'login cart pay mail'],
    ['car', 'cart pay'],
    ['ca add', 'cart'],
    ['state:working', 'cart'],
    ['!landed', 'cart pay mail'],
    ['state:!landed card', 'pay'],
    ['CARD', 'pay'],
    ['!', 'login cart pay mail'],
  ])('filtered by %j is %s', (filter, wanted) => {
    expect(ids(matching(tasks, filter))).toBe(wanted);
  });

  it.each([
    ['plan', 'login cart pay mail'],
    ['urgent', 'pay cart mail login'],
    ['state', 'login pay cart mail'],
    ['name', 'cart login mail pay'],
    ['priority', 'mail cart login pay'],
  ] as const)('ordered by %s is %s', (order, wanted) => {
    expect(ids(sorted(tasks, order))).toBe(wanted);
  });
});
