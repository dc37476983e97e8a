import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import { MemoryGuard } from '../memory/guard.ts';
import { task } from '../story.ts';
import { MemoryProject, type MemoryProjectOptions } from './memory-project.ts';

const ended = (reason: string) => ({ ok: true, value: { phase: { stop: { reason } } } });
const rules = { protect: ['ci.yml'], gate: ['gate'], tests: 'guard', maxFiles: 2 } as const;

/** One task; `writes` are the files of each of its turns. */
function strict(
  writes: readonly (readonly string[])[],
  more: Partial<MemoryProjectOptions> = {},
): MemoryProject {
  return new MemoryProject({
    tasks: [task('a')],
    context: { rules },
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

async function only<Type extends Event['type']>(context: MemoryProject, type: Type) {
  const isMeant = (event: Event): event is Extract<Event, { type: Type }> => event.type === type;
  return (await context.events()).filter(isMeant);
}

describe('work that breaks a rule', () => {
  test('goes back to its agent, and lands once fixed', async () => {
    const context = strict([['one', 'two', 'three'], ['one']]);
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await only(context, 'work-captured')).toMatchObject([
      { violations: [{ kind: 'too-large', what: 'files', value: 3, limit: 2 }] },
      { commit: expect.any(String) },
    ]);
    expect(context.processes.files.get('/files/attempts/a-1/turn-2.prompt.md')).toContain('3');
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
  });

  test("that needs a person's approval lands after it, and is judged as a candidate", async () => {
    const context = strict([['ci.yml']]);
    const end = await context.drive();
    expect(end).toMatchObject(ended('question'));
    expect(end).toMatchObject({
      value: {
        phase: {
          stop: { failure: { because: 'rules', violations: [{ kind: 'protected-path' }] } },
        },
      },
    });
    await context.ask({ type: 'task-decided', id: 'a', decision: { kind: 'approve' } });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(context.git.read('/repo', 'ci.yml')).toBe('turn 1');
    expect(await context.count('candidate-judged')).toBe(1);
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

  test("such as a git hook needs a person's approval", async () => {
    const context = guarded((guard) => guard.plantHook('pre-commit'));
    const end = await context.drive();
    expect(end).toMatchObject(ended('question'));
    expect(end).toMatchObject({
      value: {
        phase: {
          stop: {
            failure: { because: 'tampering', found: [{ kind: 'git-hook', name: 'pre-commit' }] },
          },
        },
      },
    });
    expect(await context.count('landed')).toBe(0);
  });
});

test('nothing outside the worktree is compared while a sandbox is on', async () => {
  const guard = new MemoryGuard();
  const context = strict([], {
    agent: ({ cwd }, { git, exits }) => ({
      ...exits(0),
      effect: () => git.write(cwd, 'one', 'done'),
    }),
    ports: (ports) => ({ ...ports, guard }),
    context: { confined: true },
  });
  expect(await context.drive()).toMatchObject(ended('drained'));
  expect(guard.looks).toBe(0);
});

describe('work that a person hands in', () => {
  const ref = 'refs/yard/resolved/a';

  /** A commit of a person, held by a ref. */
  async function made(context: MemoryProject, path: string): Promise<string> {
    await outcomeOf(context.git.addWorktree('/mine', 'main'));
    context.git.write('/mine', path, 'by hand');
    const commit = await outcomeOf(context.git.commitAll('/mine', 'by hand'));
    if (!commit.ok) throw new Error(commit.failure.kind);
    await outcomeOf(context.git.moveRefs([{ ref, to: commit.value }]));
    await outcomeOf(context.git.removeWorktree('/mine'));
    return commit.value;
  }

  test('is judged and lands without an agent and without inspection', async () => {
    const context = strict([['one', 'two', 'three']], { settings: { retries: 0 } });
    await context.drive();
    const commit = await made(context, 'ci.yml');
    await context.ask({
      type: 'task-decided',
      id: 'a',
      decision: { kind: 'cancel', reason: 'mine' },
    });
    await context.drive();
    const turns = context.processes.starts.filter(({ name }) => name.startsWith('turn')).length;
    const decision = { kind: 'hand-in', commit, ref } as const;
    await context.ask({ type: 'task-decided', id: 'a', decision });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
    expect(context.git.read('/repo', 'ci.yml')).toBe('by hand');
    expect(context.processes.starts.filter(({ name }) => name.startsWith('turn'))).toHaveLength(
      turns,
    );
    expect(await context.count('candidate-judged')).toBe(1);
    expect(context.worktreesLeft()).toBe(0);
  });

  test('that fails the gate goes to an agent with the evidence', async () => {
    const context = strict([[], []], {
      gate: ({ cwd }, { git, exits }) =>
        git.read(cwd, 'bad') === undefined ? exits(0) : { ...exits(1), output: 'bad is there' },
      agent: ({ cwd }, { git, exits }) => ({ ...exits(0), effect: () => git.remove(cwd, 'bad') }),
      tasks: [task('a')],
    });
    const stopped = { type: 'stop-asked', run: 'r1', how: 'now', by: 'a person' } as const;
    await context.drive(async () => {
      await context.ask(stopped);
    });
    const commit = await made(context, 'bad');
    const decision = { kind: 'hand-in', commit, ref } as const;
    await context.ask({ type: 'task-decided', id: 'a', decision });
    await context.drive();
    const prompts = [...context.processes.files].filter(([path]) => path.endsWith('.prompt.md'));
    expect(prompts.some(([, text]) => text.includes('bad is there'))).toBe(true);
  });
});
