import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import { task } from '../story.ts';
import { MemoryProject, type MemoryProjectOptions } from './memory-project.ts';

const ended = (reason: string) => ({ ok: true, value: { phase: { stop: { reason } } } });

/** Two tasks write the same file. The second ends after the first has landed, and cannot resolve the conflict. */
function clashing(more: Partial<MemoryProjectOptions> = {}): MemoryProject {
  return new MemoryProject({
    tasks: [task('a'), task('b')],
    settings: { jobs: 2, retries: 1 },
    agent: ({ cwd, env }, { git, exits }) => ({
      ...exits(0, env.YARD_TASK === 'a' ? 100 : 2_000),
      effect: () => {
        const text = `${env.YARD_TASK} in turn ${env.YARD_TURN}`;
        if (env.YARD_TURN === '1' && 'ab'.includes(env.YARD_TASK ?? ''))
          git.write(cwd, 'same', text);
      },
    }),
    ...more,
  });
}

async function added(context: MemoryProject): Promise<readonly string[]> {
  return (await context.events()).flatMap((event) =>
    event.type === 'task-added' ? [event.task.id] : [],
  );
}

const isRefused = (event: Event) => event.type === 'merge-refused';

describe('a conflict', () => {
  test('goes back to the agent with the commits of both sides', async () => {
    const context = clashing();
    await context.drive();
    const refused = (await context.events()).find(isRefused);
    expect(refused).toMatchObject({
      id: 'b',
      failure: { kind: 'conflict', files: ['same'], branch: 'yard/r1/b-1' },
    });
    const prompt = context.processes.files.get('/files/attempts/b-1/turn-2.prompt.md') ?? '';
    expect(prompt).toContain('same');
    expect(prompt).toContain('Task a');
  });

  test('is found before the gate runs', async () => {
    const context = clashing({ settings: { jobs: 2, retries: 0 } });
    await context.drive();
    const gates = context.processes.starts.filter(({ dir, name }) => {
      return dir.endsWith('/attempts/b-1') && name.startsWith('gate');
    });
    expect(gates).toEqual([]);
  });

  test('that the agent resolves lands', async () => {
    const context = clashing({
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0, env.YARD_TASK === 'a' ? 100 : 2_000),
        effect: () => {
          if (env.YARD_TURN === '1') return git.write(cwd, 'same', `by ${env.YARD_TASK}\n`);
          void (async () => {
            git.write(cwd, 'same', 'by a\nby b\n');
            await outcomeOf(git.commitAll(cwd, 'merge'));
          })();
        },
      }),
    });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('b')).toMatchObject({ id: 'landed' });
    expect(context.git.read('/repo', 'same')).toBe('by a\nby b\n');
    expect(await added(context)).toEqual(['a', 'b']);
  });

  test('that the agent cannot resolve becomes a task, once, and the work is kept', async () => {
    const context = clashing();
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await added(context)).toEqual(['a', 'b', 'b-conflict']);
    expect(await context.status('b')).toMatchObject({
      id: 'blocked',
      failure: { kind: 'returned-too-often', last: { kind: 'conflict-markers', files: ['same'] } },
    });
    expect(await context.refs('refs/heads/yard/')).toContain('refs/heads/yard/r1/b-1');
    const filed = await context.store.task('b-conflict');
    expect(filed.ok && filed.value?.task).toMatchObject({
      type: 'conflict',
      paths: ['same'],
      labels: ['conflict:b'],
    });
    await context.ask({ type: 'task-decided', id: 'b', decision: { kind: 'retry' } });
    await context.drive();
    expect(await added(context)).toEqual(['a', 'b', 'b-conflict']);
  });

  test('is a merge in progress in the worktree, and the agent may redo its task there', async () => {
    const texts: (string | undefined)[] = [];
    const context = clashing({
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0, env.YARD_TASK === 'a' ? 100 : 2_000),
        effect: () => {
          texts.push(git.read(cwd, 'same'));
          git.write(cwd, 'same', `a\n${env.YARD_TASK === 'a' ? '' : 'b\n'}`);
        },
      }),
    });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(texts).toEqual([undefined, undefined, expect.stringMatching(/^<{7} HEAD\n[\s\S]*>{7}/)]);
    expect(await context.status('b')).toMatchObject({ id: 'landed' });
    expect(context.git.read('/repo', 'same')).toBe('a\nb\n');
  });

  test.each([
    ['markers are left', (text: string) => text],
    ['opening markers alone are removed', (text: string) => text.replace(/^<{7}.*\n/gm, '')],
  ])('whose %s goes to a fresh attempt from the new target, with the old diff', async (_, edit) => {
    const context = clashing({
      settings: { jobs: 2, retries: 3 },
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0, env.YARD_TASK === 'a' ? 100 : 2_000),
        effect: () => {
          const before = env.YARD_ATTEMPT === '1' ? '' : git.read(cwd, 'same');
          if (env.YARD_TURN === '1') git.write(cwd, 'same', `${before}${env.YARD_TASK}\n`);
          else git.write(cwd, 'same', edit(git.read(cwd, 'same') ?? ''));
        },
      }),
    });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(context.git.read('/repo', 'same')).toBe('a\nb\n');
    expect(await context.count('candidate-built')).toBe(2);
    const prompt = context.processes.files.get('/files/attempts/b-2/turn-1.prompt.md') ?? '';
    expect(prompt).toContain('# An earlier attempt at this task did not land');
    expect(prompt).toContain('still contain conflict markers');
    expect(prompt).toContain('Its changes. Reuse what is right');
    expect(await added(context)).toEqual(['a', 'b']);
  });

  test('that another task resolves counts as landed for both', async () => {
    const context = clashing({
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0, env.YARD_TASK === 'a' ? 100 : 2_000),
        effect: () => {
          if (env.YARD_TASK !== 'b-conflict') {
            if (env.YARD_TURN === '1') git.write(cwd, 'same', `${env.YARD_TASK}\n`);
            return;
          }
          void (async () => {
            await outcomeOf(git.beginMerge(cwd, 'yard/r1/b-1'));
            git.write(cwd, 'same', 'a\nb\n');
            await outcomeOf(git.commitAll(cwd, 'both'));
          })();
        },
      }),
    });
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('b-conflict')).toMatchObject({ id: 'landed' });
    expect(await context.status('b')).toMatchObject({ id: 'landed' });
    expect(context.git.read('/repo', 'same')).toBe('a\nb\n');
  });

  /** The conflict of b is left to its conflict task, whose agent does something in each of its turns. */
  const leftToTask = (
    turns: readonly ((git: MemoryProject['git'], cwd: string) => Promise<unknown>)[],
  ) =>
    clashing({
      settings: { jobs: 2, retries: 1 },
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0, env.YARD_TASK === 'a' ? 100 : 2_000),
        effect: () => {
          const turn = Number(env.YARD_TURN);
          if (env.YARD_TASK === 'b-conflict') void turns[turn - 1]?.(git, cwd);
          else if (turn === 1) git.write(cwd, 'same', `${env.YARD_TASK}\n`);
        },
      }),
    });
  const copy = async (git: MemoryProject['git'], cwd: string) => git.write(cwd, 'same', 'a\nb\n');
  const merge =
    (text: string, message: string) => async (git: MemoryProject['git'], cwd: string) => {
      await outcomeOf(git.beginMerge(cwd, 'yard/r1/b-1'));
      git.write(cwd, 'same', text);
      await outcomeOf(git.commitAll(cwd, message));
    };
  const note = async (git: MemoryProject['git'], cwd: string) => git.write(cwd, 'note', 'done\n');

  test('whose conflict task copies the changes goes back to its agent, until it merges the branch', async () => {
    const context = leftToTask([copy, merge('a\nb\n', 'Merge')]);
    expect(await context.drive()).toMatchObject(ended('drained'));
    const prompt = context.processes.files.get('/files/attempts/b-conflict-1/turn-2.prompt.md');
    expect(prompt).toContain('Merge it (git merge yard/r1/b-1)');
    expect(await context.status('b-conflict')).toMatchObject({ id: 'landed' });
    expect(await context.status('b')).toMatchObject({ id: 'landed' });
    expect(context.git.read('/repo', 'same')).toBe('a\nb\n');
  });

  test('whose conflict task never merges the branch waits for a person, and nothing of it lands', async () => {
    const context = leftToTask([copy, note]);
    await context.drive();
    const violations = [{ kind: 'branch-not-merged', task: 'b', branch: 'yard/r1/b-1' }];
    expect(await context.attempt('b-conflict')).toMatchObject({
      state: { id: 'awaiting', failure: { kind: 'approval-needed', because: 'rules', violations } },
    });
    expect(context.git.read('/repo', 'same')).toBe('a\n');
  });

  test('whose conflict task names the dropped file only when asked to lands too', async () => {
    const drop = async (git: MemoryProject['git'], cwd: string) => {
      await merge('a\n', 'Merge')(git, cwd);
      git.write(cwd, 'note', 'dropped\n');
    };
    // The files are the same as before; only a message is new.
    const name = async (git: MemoryProject['git'], cwd: string) => {
      const head = await git.headOf(cwd);
      const { tree } = await git.commit(head);
      const message = 'Say so\n\nYard-Dropped: same\n';
      const named = await git.commitTree(tree, [head], message);
      await outcomeOf(git.point(cwd, named, 'yard/r1/b-conflict-1'));
    };
    const context = leftToTask([drop, name]);
    await context.drive();
    for (const id of ['b-conflict', 'b']) {
      expect(await context.status(id)).toMatchObject({ id: 'landed' });
    }
  });

  test.each([
    ['goes back if no commit message says so', 'Merge', { id: 'awaiting' }],
    ['lands if a commit message names the file', 'Merge\n\nYard-Dropped: same\n', { id: 'landed' }],
  ])('whose conflict task drops the changes of the branch %s', async (_, message, state) => {
    const drop = async (git: MemoryProject['git'], cwd: string) => {
      await merge('a\n', message)(git, cwd);
      git.write(cwd, 'note', 'dropped\n');
    };
    const context = leftToTask([drop, note]);
    await context.drive();
    expect(await context.attempt('b-conflict')).toMatchObject({ state });
    const isLanded = state.id === 'landed';
    expect(await context.status('b')).toMatchObject({ id: isLanded ? 'landed' : 'blocked' });
  });

  test('of a conflict task files no further task', async () => {
    const context = clashing({
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0, env.YARD_TASK === 'a' ? 100 : 2_000),
        effect: () => {
          if (env.YARD_TURN !== '1') return;
          git.write(cwd, 'same', `${env.YARD_TASK}`);
          if (env.YARD_TASK === 'b-conflict')
            git.commitByHand({ same: `by hand ${env.YARD_TURN}` });
        },
      }),
    });
    await context.drive();
    expect(await added(context)).toEqual(['a', 'b', 'b-conflict']);
    expect(await context.status('b-conflict')).toMatchObject({ id: 'blocked' });
  });
});

describe('two branches that do not merge with each other', () => {
  test('never share a candidate; the second one waits and is then returned', async () => {
    const context = clashing({
      tasks: [task('a'), task('b'), task('c')],
      settings: {
        jobs: 3,
        retries: 0,
        branchGate: 'never',
        train: { batch: 8, style: 'merge' },
      },
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0, env.YARD_TASK === 'c' ? 100 : 300),
        effect: () => git.write(cwd, env.YARD_TASK === 'c' ? 'c' : 'same', `by ${env.YARD_TASK}`),
      }),
      gate: (_spec, { exits }) => exits(0, 2_000),
    });
    await context.drive();
    const built = (await context.events()).flatMap((event) =>
      event.type === 'candidate-built' ? [event.entries.map(({ id }) => id)] : [],
    );
    expect(built).toContainEqual(['a']);
    expect(built.flat()).not.toContain('b');
    expect(await context.count('conflict-predicted')).toBe(1);
    expect(await context.status('b')).toMatchObject({ id: 'blocked' });
  });
});

/** Two tasks pass alone and fail together. The second ends after the first has landed. */
function quarrelling(
  fixes: (turn: string, attempt: string) => boolean,
  tries: (turn: string) => boolean = () => false,
): MemoryProject {
  return new MemoryProject({
    tasks: [task('a'), task('b')],
    settings: { jobs: 2, retries: 3, branchGate: tries('2') ? 'always' : 'never' },
    agent: ({ cwd, env }, { git, exits }) => ({
      ...exits(0, env.YARD_TASK === 'a' ? 100 : 2_000),
      effect: () => {
        if (env.YARD_TURN === '1') git.write(cwd, `part/${env.YARD_TASK}`, 'x');
        const isThere = git.read(cwd, 'part/a') !== undefined;
        const isFixed = env.YARD_TASK === 'b' && fixes(env.YARD_TURN ?? '', env.YARD_ATTEMPT ?? '');
        if (isThere && isFixed) git.write(cwd, 'peace', 'made');
        if (isThere && tries(env.YARD_TURN ?? '')) git.write(cwd, 'talk', 'held');
      },
    }),
    gate: ({ cwd }, { git, exits }) => {
      const both = ['part/a', 'part/b'].every((path) => git.read(cwd, path) !== undefined);
      return exits(both && git.read(cwd, 'peace') === undefined ? 1 : 0);
    },
  });
}

describe('work that is red together with what has landed', () => {
  const gateRuns = (context: MemoryProject): number =>
    context.processes.starts.filter(({ name }) => name.startsWith('gate')).length;

  test('returns with the failed tree in the worktree, so that its agent can fix it', async () => {
    const context = quarrelling((turn) => turn === '2');
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('b')).toMatchObject({ id: 'landed' });
    const prompt = context.processes.files.get('/files/attempts/b-1/turn-2.prompt.md') ?? '';
    expect(prompt).toContain('this worktree is the tree that failed');
    expect(prompt).toContain('Task a');
  });

  test('is not judged again if the turn changed nothing; a fresh attempt starts over', async () => {
    const context = quarrelling((_turn, attempt) => attempt === '2');
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('b')).toMatchObject({ id: 'landed' });
    const failed = (await context.events()).find(({ type }) => type === 'attempt-failed');
    expect(failed).toMatchObject({ failure: { kind: 'no-progress', last: { kind: 'gate-red' } } });
    expect(await context.count('turn-started')).toBe(4);
    // The first, the failed one, the target to find the culprit, and the fresh attempt.
    expect(gateRuns(context)).toBeLessThanOrEqual(4);
  });

  test('is not judged again after one turn with changes and one without', async () => {
    const context = quarrelling(
      (_turn, attempt) => attempt === '2',
      (turn) => turn === '2',
    );
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('b')).toMatchObject({ id: 'landed' });
    const failed = (await context.events()).find(({ type }) => type === 'attempt-failed');
    const last = { kind: 'gate-red', where: 'branch' };
    expect(failed).toMatchObject({ failure: { kind: 'no-progress', last } });
    const known = (await context.events()).filter(
      (one) => one.type === 'branch-judged' && one.cached,
    );
    expect(known).toEqual([]);
  });
});

describe('lines that look like conflict markers, where no merge was begun', () => {
  const text = 'how to resolve\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n';
  const writing = (file: string) =>
    new MemoryProject({
      tasks: [task('a')],
      settings: { retries: 1 },
      agent: ({ cwd, env }, { git, exits }) => ({
        ...exits(0, 100),
        effect: () => {
          git.write(cwd, file, env.YARD_TURN === '1' ? text : 'b\n');
        },
      }),
    });

  test('land in new documentation', async () => {
    const context = writing('doc.md');
    await context.drive();
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
    expect(context.git.read('/repo', 'doc.md')).toBe(text);
  });

  test('go back to the agent in any other file', async () => {
    const context = writing('code.js');
    await context.drive();
    const refused = (await context.events()).find(isRefused);
    expect(refused).toMatchObject({ failure: { kind: 'marker-lines', places: ['code.js:2'] } });
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
    expect(context.git.read('/repo', 'code.js')).toBe('b\n');
  });
});
