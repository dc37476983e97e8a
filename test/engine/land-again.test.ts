// An engine is killed during a landing; the next one finds out how far it went.

import { describe, expect, test } from 'vitest';
import type { Ports } from '../../src/engine/context.ts';
import { gateId } from '../../src/gate/gate.ts';
import { land } from '../../src/merge/land.ts';
import type { Candidate } from '../../src/model/train-record.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import { MemoryGit } from '../memory/git.ts';
import { need } from '../rig/need.ts';
import { task } from '../story.ts';
import { appending, MemoryProject } from './memory-project.ts';

const alone = { branchGate: 'never', train: { batch: 1, style: 'merge' } } as const;

/** Three passed branches, of which the target contains the first `there`. */
async function partOnTarget(there: number) {
  const git = new MemoryGit({ files: { x: '1' } });
  const parent = (await git.resolve('refs/heads/main')) ?? '';
  const { tree } = await git.commit(parent);
  const prefixes: { commit: string; tree: string }[] = [];
  for (const id of ['a', 'b', 'c']) {
    const below = prefixes.at(-1)?.commit ?? parent;
    prefixes.push({ commit: await git.commitTree(tree, [below], id), tree });
  }
  const to = prefixes[there - 1]?.commit ?? parent;
  await git.moveRefs([{ ref: 'refs/heads/next', to }]);
  const entries = ['a', 'b', 'c'].map((id) => ({ id, attempt: 1, commit: id }));
  const whole = prefixes[2] ?? { commit: '', tree };
  const state = { id: 'passed' } as const;
  const candidate: Candidate = {
    id: 'c1',
    parent,
    ...whole,
    entries,
    prefixes,
    green: 3,
    landed: 0,
    state,
  };
  const wish = { run: 'r1', target: 'next', candidate, count: 3, spent: [], now: 1 };
  const [event] = need(await land(git, wish));
  const at = await git.resolve('refs/heads/next');
  return { event, at, commits: prefixes.map(({ commit }) => commit) };
}

describe('a landing whose event was not stored because the engine died', () => {
  test.each([1, 2, 3])('is reported as far as it went: %i of three', async (there) => {
    const { event, at, commits } = await partOnTarget(there);
    const landed = ['a', 'b', 'c'].slice(0, there).map((id) => ({ id }));
    expect(event).toMatchObject({ type: 'landed', commit: commits[there - 1], entries: landed });
    expect(at).toBe(commits[there - 1]);
  });

  /** Dies once, when it should store a landing. */
  const mute = (): ((ports: Ports) => Ports) => {
    let isAlive = true;
    return (ports) =>
      appending(ports, (append) => (at, events, run) => {
        if (isAlive && events.some(({ type }) => type === 'landed')) {
          isAlive = false;
          throw new Error('killed');
        }
        return append(at, events, run);
      });
  };

  test('is not repeated, even if the gate has changed', async () => {
    let command = 'gate';
    const context = new MemoryProject({
      tasks: [task('a')],
      settings: alone,
      ports: mute(),
      context: {
        get gate() {
          return { id: gateId([command]), commands: [command], timeoutMs: 60_000 };
        },
      },
    });
    await expect(context.drive()).rejects.toThrow('killed');
    const before = await outcomeOf(context.git.resolve('refs/heads/main'));
    command = 'gate --strict';
    expect(await context.drive()).toMatchObject({
      ok: true,
      value: { phase: { stop: { reason: 'drained' } } },
    });
    expect(await outcomeOf(context.git.resolve('refs/heads/main'))).toEqual(before);
    expect(await context.count('landed')).toBe(1);
    expect(await context.count('tampering-seen')).toBe(0);
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
  });
});
