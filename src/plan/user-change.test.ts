import { expect, it } from 'vitest';
import type { Tampering } from '../model/violation.ts';
import {
  isUserChange,
  reportedNames,
  userChanges,
  withoutFilesIn,
  withoutReported,
} from './user-change.ts';

const edited: Tampering = { kind: 'checkout-changed', dir: '/repo', files: ['HEAD', 'a'] };
const tagged: Tampering = { kind: 'ref-moved', ref: 'refs/tags/v1', to: 'x' };
const others: Tampering = { kind: 'ref-moved', ref: 'refs/heads/yard/r1/a-1', to: 'x' };
const hook: Tampering = { kind: 'git-hook', name: 'pre-commit' };

it('the checkout and the branches of the user are theirs, branches of attempts and hooks are not', () => {
  expect([edited, tagged, others, hook].map(isUserChange)).toEqual([true, true, false, false]);
  expect(userChanges([edited, tagged, others, hook])).toEqual(['HEAD', 'a', 'refs/tags/v1']);
});

it('a change of the user is reported once; new changes are reported', () => {
  const story = new Set(['HEAD', 'refs/tags/v1']);
  const left = [edited, tagged, others, hook].flatMap((one) => withoutReported(one, story));
  expect(left).toEqual([{ ...edited, files: ['a'] }, others, hook]);
});

it('a file that only a later session runs is reported once, one that the gate obeys every time', () => {
  const started: Tampering = { kind: 'home-changed', file: '~/.bashrc', effect: 'session' };
  const obeyed: Tampering = { kind: 'home-changed', file: '~/.npmrc', effect: 'gate' };
  expect([started, obeyed].map(isUserChange)).toEqual([false, false]);
  expect(userChanges([started, obeyed])).toEqual([]);
  const names = new Set([...reportedNames([started, obeyed]), '~/.npmrc']);
  expect([started, obeyed].flatMap((one) => withoutReported(one, names))).toEqual([obeyed]);
});

it('files that the engine moves for a source are not reported as changes of the user', () => {
  const files = ['tasks/current/1.json', 'tasks2/a', 'tasks/', 'a'];
  const found: Tampering = { kind: 'checkout-changed', dir: '/repo', files };
  expect(withoutFilesIn(found, ['tasks'])).toMatchObject({ files: ['tasks2/a', 'a'] });
  expect(withoutFilesIn(found, [])).toBe(found);
});
