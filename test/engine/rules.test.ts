import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { MemoryGuard } from '../memory/guard.ts';
import { task } from '../story.ts';
import { MemoryYard, type MemoryYardOptions } from './memory-project.ts';

const ended = (reason: string) => ({ ok: true, value: { stop: { reason } } });
const rules = { protect: ['ci.yml'], gate: ['gate'], tests: 'guard', maxFiles: 2 } as const;

/** One task; `writes` are the files of each of its turns. */
function strict(
  writes: readonly (readonly string[])[],
  more: Partial<MemoryYardOptions> = {},
): MemoryYard {
  return new MemoryYard({
    tasks: [task('a')],
    yard: { rules },
    agent: ({ cwd, env }, { git, exits }) => ({
      ...exits(0),
      effect: () => {
        const turn = Number(env.YARD_TURN);
        for (const path of writes[turn - 2] ?? []) git.remove(cwd, path);
        for (const path of writes[turn - 1] ?? []) git.write(cwd, path, `turn ${turn}`);
      },
    }),
    ...more,
    settings: { jobs: 1, ...more.settings },
  });
}

async function only<Type extends Event['type']>(yard: MemoryYard, type: Type) {
  const isMeant = (event: Event): event is Extract<Event, { type: Type }> => event.type === type;
  return (await yard.events()).filter(isMeant);
}

describe('work that breaks a rule', () => {
  test('is told to its agent, and lands once that has mended it', async () => {
    const yard = strict([['one', 'two', 'three'], ['one']]);
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await only(yard, 'work-captured')).toMatchObject([
      { breaches: [{ kind: 'too-large', what: 'files', value: 3, limit: 2 }] },
      { commit: expect.any(String) },
    ]);
    expect(yard.processes.files.get('/files/attempts/a-1/turn-2.prompt.md')).toContain('3');
    expect(await yard.standing('a')).toMatchObject({ id: 'landed' });
  });

  test('is not judged by any gate before that', async () => {
    const yard = strict([
      ['one', 'two', 'three'],
      ['one', 'two', 'three'],
    ]);
    expect(await yard.drive()).toMatchObject(ended('question'));
    expect(yard.processes.starts.filter(({ name }) => name.startsWith('gate'))).toEqual([]);
  });

  test('that only a person may permit lands after they have, and is judged as it lands', async () => {
    const yard = strict([['ci.yml']]);
    const end = await yard.drive();
    expect(end).toMatchObject(ended('question'));
    expect(end).toMatchObject({
      value: { stop: { failure: { because: 'rules', breaches: [{ kind: 'protected-path' }] } } },
    });
    await yard.ask({ type: 'task-decided', id: 'a', decision: { kind: 'approve' } });
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(yard.git.read('/repo', 'ci.yml')).toBe('turn 1');
    expect(await yard.count('candidate-judged')).toBe(1);
  });

  test('that a person rejects goes back to the agent', async () => {
    const yard = strict([['ci.yml'], ['one']]);
    await yard.drive();
    const decision = { kind: 'reject', reason: 'leave that alone' } as const;
    await yard.ask({ type: 'task-decided', id: 'a', decision });
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(yard.processes.files.get('/files/attempts/a-1/turn-2.prompt.md')).toContain(
      'leave that alone',
    );
    expect(yard.git.read('/repo', 'ci.yml')).toBeUndefined();
    expect(yard.git.read('/repo', 'one')).toBe('turn 2');
  });
});

describe('an agent that changes things outside of its worktree', () => {
  const guarded = (does: (guard: MemoryGuard) => void) => {
    const guard = new MemoryGuard();
    return strict([], {
      agent: ({ cwd }, { git, exits }) => ({
        ...exits(0),
        effect: () => {
          git.write(cwd, 'one', 'done');
          does(guard);
        },
      }),
      ports: (ports) => ({ ...ports, guard }),
    });
  };

  test('such as a hook has its work held until a person has seen that', async () => {
    const yard = guarded((guard) => guard.plantHook('pre-commit'));
    const end = await yard.drive();
    expect(end).toMatchObject(ended('question'));
    expect(end).toMatchObject({
      value: {
        stop: {
          failure: { because: 'trespass', found: [{ kind: 'git-hook', name: 'pre-commit' }] },
        },
      },
    });
    expect(await yard.count('landed')).toBe(0);
  });

  test('that a person may have changed as well is told, and holds nobody up', async () => {
    const yard = guarded((guard) => guard.editCheckout('notes'));
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await only(yard, 'trespass-seen')).toMatchObject([
      { found: [{ kind: 'checkout-changed' }] },
    ]);
    expect(await yard.standing('a')).toMatchObject({ id: 'landed' });
  });
});

describe('work that a person hands in', () => {
  const ref = 'refs/yard/resolved/a';

  /** A commit of a person, held by a ref. */
  async function made(yard: MemoryYard, path: string): Promise<string> {
    await yard.git.addWorktree('/mine', 'main');
    yard.git.write('/mine', path, 'by hand');
    const commit = await yard.git.commitAll('/mine', 'by hand');
    if (!commit.ok) throw new Error(commit.failure.kind);
    await yard.git.moveRefs([{ ref, to: commit.value }]);
    await yard.git.removeWorktree('/mine');
    return commit.value;
  }

  test('is judged and lands, without any agent and whatever the rules say', async () => {
    const yard = strict([['one', 'two', 'three']], { settings: { retries: 0 } });
    await yard.drive();
    const commit = await made(yard, 'ci.yml');
    await yard.ask({ type: 'task-decided', id: 'a', decision: { kind: 'cancel', reason: 'mine' } });
    await yard.drive();
    const turns = yard.processes.starts.filter(({ name }) => name.startsWith('turn')).length;
    const decision = { kind: 'hand-in', commit, ref } as const;
    await yard.ask({ type: 'task-decided', id: 'a', decision });
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await yard.standing('a')).toMatchObject({ id: 'landed' });
    expect(yard.git.read('/repo', 'ci.yml')).toBe('by hand');
    expect(yard.processes.starts.filter(({ name }) => name.startsWith('turn'))).toHaveLength(turns);
    expect(await yard.count('candidate-judged')).toBe(1);
    expect(yard.worktreesLeft()).toBe(0);
  });

  test('that is red goes to an agent, with the evidence', async () => {
    const yard = strict([[], []], {
      gate: ({ cwd }, { git, exits }) =>
        git.read(cwd, 'bad') === undefined ? exits(0) : { ...exits(1), output: 'bad is there' },
      agent: ({ cwd }, { git, exits }) => ({ ...exits(0), effect: () => git.remove(cwd, 'bad') }),
      tasks: [task('a')],
    });
    const stopped = { type: 'stop-asked', run: 'r1', how: 'now', by: 'a person' } as const;
    await yard.drive(async () => {
      await yard.ask(stopped);
    });
    const commit = await made(yard, 'bad');
    const decision = { kind: 'hand-in', commit, ref } as const;
    await yard.ask({ type: 'task-decided', id: 'a', decision });
    await yard.drive();
    const prompts = [...yard.processes.files].filter(([path]) => path.endsWith('.prompt.md'));
    expect(prompts.some(([, text]) => text.includes('bad is there'))).toBe(true);
  });
});
