import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { allFailures, failures } from '../../test/report/failures.ts';
import type { Failure } from './failure.ts';
import { faultByKind, faultOf, isFree, isSetup } from './fault.ts';
import { machineCauseOf } from './machine-cause.ts';

const captured = (cause: string): Failure => ({ kind: 'capture-failed', cause, dir: '/w' });

describe('the fault of a failure', () => {
  test('is known for every kind', () => {
    expect(allFailures.filter(({ kind }) => !(kind in faultByKind))).toEqual([]);
  });

  test('is the error of the task for a kind of a newer version', () => {
    const failure = { kind: 'solar-flare' } as unknown as Failure;
    expect(faultOf(failure)).toEqual({ whose: 'task', trouble: 'error' });
  });

  test('costs the attempt nothing only if the machine caused it or a person stopped the work', () => {
    const free = allFailures.filter(isFree).map((failure) => faultOf(failure));
    expect(new Set(free.map(({ whose, trouble }) => `${whose} ${trouble}`))).toEqual(
      new Set(['machine retry', 'machine interruption', 'user interruption']),
    );
  });

  test('is listed in the documents, for each kind in its group', () => {
    const text = readFileSync('docs/troubleshooting.md', 'utf8');
    for (const whose of ['task', 'service', 'machine', 'user'] as const) {
      const row = text.split('\n').find((line) => line.startsWith(`| ${whose} |`)) ?? '';
      const kinds = Object.entries(faultByKind).filter(
        ([kind, fault]) => fault.whose === whose && kind !== 'trouble',
      );
      expect(kinds.filter(([kind]) => !row.includes(`\`${kind}\``))).toEqual([]);
    }
  });
});

describe('a machine that failed to open a run', () => {
  test('lacks something if only a person can change it', () => {
    expect(allFailures.filter(isSetup).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining([
        'config-invalid',
        'gate-unusable',
        'agent-missing',
        'agent-version',
        'git-too-old',
        'no-identity',
        'sandbox-missing',
      ]),
    );
  });

  test.each([
    'no-space',
    'state-unwritable',
    'checkout-locked',
    'checkout-in-the-way',
    'operation-in-progress',
    'git-failed',
    'worktree-failed',
    'target-missing',
    'objects-missing',
    'store-busy',
    'store-unavailable',
    'internal',
  ] as const)('is tried again after trouble that may pass: %s', (kind) => {
    expect(isSetup(failures[kind])).toBe(false);
  });
});

describe('a message of git', () => {
  test.each([
    ['error: unable to write file x: No space left on device', 'space'],
    ['fatal: write error: Disk quota exceeded', 'space'],
    ['ENOSPC: no space left on device, mkdir /s', 'space'],
    ["fatal: Unable to create '/r/.git/index.lock': Permission denied", 'permission'],
    ['error: insufficient permission for adding an object to repository database', 'permission'],
    ['fatal: could not create leading directories: Read-only file system', 'permission'],
    ["fatal: Unable to create '/r/.git/index.lock': File exists.", 'in-the-way'],
    ["fatal: cannot lock ref 'refs/heads/yard/r1/a/1': 'refs/heads/yard' exists", 'in-the-way'],
    ['git-lfs filter-process: 1: git-lfs: not found', 'tool'],
    ['warning: x\ngit was ended by SIGKILL', 'signal'],
    ["fatal: the remote end hung up\nerror: external filter 'git-lfs clean' failed 127", 'tool'],
    ['fatal: a.bin: smudge filter lfs failed', 'tool'],
  ])('about the machine is recognized: %s', (message, cause) => {
    expect(machineCauseOf(message)).toBe(cause);
    expect(faultOf(captured(message))).toEqual({ whose: 'machine', trouble: 'retry' });
  });

  test.each([
    ['error: open("secret/key"): Permission denied'],
    ["error: 'nested/' does not have a commit checked out"],
    ["fatal: pathspec 'x' did not match any files"],
  ])('about what an agent left is not: %s', (message) => {
    expect(machineCauseOf(message)).toBeUndefined();
    expect(faultOf(captured(message))).toEqual({ whose: 'task', trouble: 'error' });
  });
});
