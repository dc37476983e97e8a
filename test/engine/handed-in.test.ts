// Work handed in by a person is not inspected; what an agent adds to it is.

import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { task } from '../story.ts';
import { MemoryProject } from './memory-project.ts';

const rules = { protect: ['ci.yml', 'own.yml'], gate: ['gate'], tests: 'off' } as const;

/** A person handed in a change of `own.yml`. The gate fails until a file `fixed` exists. */
async function handedIn(writes: readonly string[], isRed = true): Promise<MemoryProject> {
  const context = new MemoryProject({
    tasks: [],
    settings: { jobs: 1, branchGate: 'always' },
    context: { rules },
    gate: ({ dir, cwd }, { git, exits }) => {
      const isGreen = dir.includes('/targets/') || git.read(cwd, 'fixed') !== undefined;
      return exits(isGreen || !isRed ? 0 : 1);
    },
    agent: ({ cwd }, { git, exits }) => ({
      ...exits(0),
      effect: () => {
        for (const path of writes) git.write(cwd, path, 'by the agent');
      },
    }),
  });
  const { git } = context;
  const base = (await git.resolve('refs/heads/main')) ?? '';
  await git.addWorktree('/person', base);
  git.write('/person', 'own.yml', 'by a person');
  const commit = await git.commitAll('/person', 'Mine\n');
  await git.removeWorktree('/person');
  const ref = 'refs/yard/handed/a';
  await git.moveRefs([{ ref, from: null, to: commit }]);
  await context.ask({ type: 'task-added', task: task('a') });
  await context.ask({ type: 'task-decided', id: 'a', decision: { kind: 'hand-in', commit, ref } });
  return context;
}

async function captures(context: MemoryProject) {
  type Captured = Extract<Event, { type: 'work-captured' }>;
  const isMeant = (event: Event): event is Captured => event.type === 'work-captured';
  return (await context.events()).filter(isMeant);
}

describe('work that a person handed in', () => {
  test('is not checked against the rules', async () => {
    const context = await handedIn([], false);
    expect(await context.drive()).toMatchObject({
      value: { phase: { stop: { reason: 'drained' } } },
    });
    expect(await captures(context)).toMatchObject([{ by: 'person' }]);
    expect(context.git.read('/repo', 'own.yml')).toBe('by a person');
  });

  test('is checked against the rules once an agent has continued it', async () => {
    const context = await handedIn(['fixed', 'ci.yml']);
    expect(await context.drive()).toMatchObject({
      value: { phase: { stop: { reason: 'question' } } },
    });
    const [first, second] = await captures(context);
    expect(first).toMatchObject({ by: 'person' });
    expect(second?.by).not.toBe('person');
    expect(second?.violations).toContainEqual(
      expect.objectContaining({ kind: 'protected-path', file: 'ci.yml' }),
    );
    expect(context.git.read('/repo', 'ci.yml')).toBeUndefined();
  });
});
