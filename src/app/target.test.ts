import { describe, expect, it } from 'vitest';
import type { Repository } from '../port/git.ts';
import { fitness, type Wanted } from './target.ts';

const fit: Repository = {
  root: '/repo',
  commonDir: '/repo/.git',
  bare: false,
  shallow: false,
  branch: 'trunk',
  head: 'c0ffee',
};
const { branch: _branch, ...detached } = fit;
const { head: _head, ...unborn } = fit;

function kindOf(repo: Repository, wanted: Wanted = {}): string {
  const found = fitness(repo, wanted);
  return found.ok ? found.value.target : found.failure.kind;
}

describe('fitness', () => {
  it('uses the checked-out branch as the target', () => {
    expect(kindOf(fit)).toBe('trunk');
  });

  it('takes the target that is named before the one checked out', () => {
    expect(kindOf(fit, { target: 'release' })).toBe('release');
  });

  it('refuses a bare repository, with or without a target', () => {
    expect(kindOf({ ...fit, bare: true })).toBe('bare-repository');
    expect(kindOf({ ...fit, bare: true }, { target: 'main' })).toBe('bare-repository');
  });

  it('refuses a branch without a commit unless a target is named', () => {
    expect(kindOf(unborn)).toBe('no-commits');
    expect(kindOf(unborn, { target: 'main' })).toBe('main');
  });

  it('refuses a detached HEAD unless a target is named', () => {
    expect(kindOf(detached)).toBe('detached-head');
    expect(kindOf(detached, { target: 'main' })).toBe('main');
  });

  it('reports the operation in progress, not the detached HEAD it causes', () => {
    const rebasing = { ...detached, operation: 'rebase' };
    expect(fitness(rebasing, { target: 'main' })).toEqual({
      ok: false,
      failure: { kind: 'operation-in-progress', operation: 'rebase', dir: '/repo' },
    });
  });

  it('takes a shallow clone: branches grow from a tip that is here', () => {
    const shallow = { ...fit, shallow: true };
    expect(kindOf(shallow)).toBe('trunk');
  });
});
