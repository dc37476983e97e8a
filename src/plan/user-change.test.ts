import { expect, it } from 'vitest';
import type { Tampering } from '../model/violation.ts';
import { isUserChange, userChanges, withoutReported } from './user-change.ts';

const edited: Tampering = { kind: 'checkout-changed', dir: '/repo', files: ['HEAD', 'a'] };
const tagged: Tampering = { kind: 'ref-moved', ref: 'refs/tags/v1', to: 'x' };
const others: Tampering = { kind: 'ref-moved', ref: 'refs/heads/yard/r1/a-1', to: 'x' };
const hook: Tampering = { kind: 'git-hook', name: 'pre-commit' };

it('the checkout and the branches of the user are theirs, branches of attempts and hooks are not', () => {
  expect([edited, tagged, others, hook].map(isUserChange)).toEqual([true, true, false, false]);
  expect(userChanges([edited, tagged, others, hook])).toEqual(['HEAD', 'a', 'refs/tags/v1']);
});

it('what was told of the user is not told again; the rest is', () => {
  const story = new Set(['HEAD', 'refs/tags/v1']);
  const left = [edited, tagged, others, hook].flatMap((one) => withoutReported(one, story));
  expect(left).toEqual([{ ...edited, files: ['a'] }, others, hook]);
});
