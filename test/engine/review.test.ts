import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import type { CritiqueSettings, ReviewSettings } from '../../src/model/run.ts';
import type { ProcessSpec } from '../../src/port/processes.ts';
import { memoryAgent } from '../memory/agent.ts';
import type { Behavior } from '../memory/processes.ts';
import { task } from '../story.ts';
import { MemoryProject, type MemoryProjectOptions } from './memory-project.ts';

const ended = (reason: string) => ({ ok: true, value: { phase: { stop: { reason } } } });
const review: ReviewSettings = { reviewers: ['r'], person: false, rounds: 3, retries: 1 };
const approved = 'All well.\nVERDICT: APPROVED\n';
const changes = (id: string): string =>
  `FINDING ${id} major a.ts:1 About ${id}.\nVERDICT: NEEDS_CHANGES\n`;

/** True for a one-shot call. */
const isLook = ({ name }: ProcessSpec): boolean => /^(review|critique|improve)-/.test(name);

/** Round of a one-shot call. */
const roundOf = ({ name }: ProcessSpec): number => Number(name.split('-')[1]);

/** Answers of the reviewers, in order. The agent writes another file in each turn. */
function reviewed(
  says: (spec: ProcessSpec, context: MemoryProject) => string | Behavior,
  more: Partial<MemoryProjectOptions> = {},
): MemoryProject {
  const context = new MemoryProject({
    tasks: [task('a')],
    agent: (spec, { git, exits }) => {
      if (isLook(spec)) {
        const said = says(spec, context);
        return typeof said === 'string' ? { ...exits(0), output: said } : said;
      }
      const path = `work/${spec.env.YARD_TASK}-${spec.env.YARD_TURN}`;
      return { ...exits(0), effect: () => git.write(spec.cwd, path, 'done') };
    },
    ports: (ports) => ({ ...ports, agent: memoryAgent }),
    ...more,
    settings: { jobs: 1, review, ...more.settings },
  });
  return context;
}

/** Names of the one-shot processes that were started. */
const looks = (context: MemoryProject): readonly string[] =>
  context.processes.starts.filter(isLook).map(({ name }) => name);

const file = (context: MemoryProject, name: string): string =>
  context.processes.files.get(`/files/attempts/a-1/${name}`) ?? '';

describe('a review', () => {
  test('that approves lets the work land, and is written to a file', async () => {
    const context = reviewed(() => approved);
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
    expect(looks(context)).toEqual(['review-1-r']);
    expect(JSON.parse(file(context, 'review-1-r.json'))).toMatchObject({
      task: 'a',
      round: 1,
      agent: 'r',
      kind: 'review',
      result: { ok: true, verdict: 'approved' },
      answer: approved.trim(),
    });
  });

  test('gets the task, the diff and the gate in its prompt', async () => {
    const context = reviewed(() => approved, { tasks: [task('a', { body: 'All of it.' })] });
    await context.drive();
    const prompt = file(context, 'review-1-r.prompt.md');
    for (const said of ['All of it.', 'diff work/a-1', 'VERDICT: APPROVED']) {
      expect(prompt).toContain(said);
    }
  });

  test('that wants changes has the agent fix them in its own conversation', async () => {
    const context = reviewed((spec) => (roundOf(spec) === 1 ? changes('leak') : approved));
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(looks(context)).toEqual(['review-1-r', 'review-2-r']);
    expect(file(context, 'turn-2.prompt.md')).toContain('About leak.');
    expect(file(context, 'review-2-r.prompt.md')).toContain('leak');
    const turns = context.processes.starts.filter(({ name }) => name.startsWith('turn'));
    const [first, second] = turns.map(({ argv }) => argv);
    expect(second).toEqual([first?.[0], 'resume', first?.[2]]);
    expect(context.git.read('/repo', 'work/a-2')).toBe('done');
  });

  test('leaves the work unchanged, whatever the reviewer did to it', async () => {
    const context = reviewed(({ cwd }, { git, exits }) => ({
      ...exits(0),
      output: approved,
      effect: () => {
        git.write(cwd, 'work/a-1', 'spoilt');
        git.write(cwd, 'litter', 'x');
      },
    }));
    await context.drive();
    expect(context.git.read('/repo', 'work/a-1')).toBe('done');
    expect(context.git.read('/repo', 'litter')).toBeUndefined();
  });

  test('without a verdict does not count: the reviewer is asked again, then a person', async () => {
    for (const prose of [
      'I have not approved this.',
      '',
      'VERDICT: approved',
      'Looks good to me!',
    ]) {
      const context = reviewed(() => prose);
      const end = await context.drive();
      expect(end).toMatchObject(ended('question'));
      expect(end).toMatchObject({
        value: {
          phase: { stop: { failure: { kind: 'approval-needed', because: 'review-failed' } } },
        },
      });
      expect(looks(context)).toEqual(['review-1-r', 'review-1-r-again1']);
      expect(await context.count('landed')).toBe(0);
    }
  });

  test('that crashes or hangs does not count, and the next try may succeed', async () => {
    const ends: readonly Behavior[] = [
      { ms: 10, end: { id: 'exited', code: 139 }, output: approved },
      { ms: 999_999, end: { id: 'exited', code: 0 }, output: approved },
    ];
    for (const broken of ends) {
      const context = reviewed(({ name }) => (name.includes('again') ? approved : broken));
      expect(await context.drive()).toMatchObject(ended('drained'));
      expect(looks(context)).toEqual(['review-1-r', 'review-1-r-again1']);
      expect(await context.status('a')).toMatchObject({ id: 'landed' });
    }
  });
});

describe('a review that is cut short', () => {
  test('by a stop is repeated by a new process when the run is resumed', async () => {
    const context = reviewed((_spec, { exits }) => ({ ...exits(0, 2_000), output: approved }));
    const end = await context.drive(async ({ clock }) => {
      await clock.sleep(1_000);
      await context.ask({ type: 'stop-asked', run: 'r1', how: 'now', by: 'a person' });
    });
    expect(end).toMatchObject(ended('canceled'));
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
    expect(looks(context)).toHaveLength(2);
  });

  test('by a crash of the engine is followed to its end, not repeated', async () => {
    const context = reviewed(
      ({ env }, { exits }) => ({
        ...exits(0, env.YARD_TASK === 'a' ? 2_000 : 10),
        output: approved,
      }),
      {
        tasks: [task('a'), task('b')],
        settings: { jobs: 2 },
        ...dyingOnce((events) => events.some((one) => one.type === 'landed')),
      },
    );
    await expect(context.drive()).rejects.toThrow('killed');
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(looks(context)).toHaveLength(2);
    expect(await context.status('a')).toMatchObject({ id: 'landed' });
    expect(await context.status('b')).toMatchObject({ id: 'landed' });
  });

  test('after its end, but before it was stored, is read, not repeated', async () => {
    const context = reviewed(() => approved, {
      ...dyingOnce((events) => events.some((one) => one.type === 'call-ended')),
    });
    await expect(context.drive()).rejects.toThrow('killed');
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(looks(context)).toEqual(['review-1-r']);
  });
});

/** Ends the engine once, while it stores such an event. */
function dyingOnce(
  isMeant: (events: readonly Pick<Event, 'type'>[]) => boolean,
): Pick<MemoryProjectOptions, 'ports'> {
  let dies = true;
  return {
    ports: (ports) => ({
      ...ports,
      agent: memoryAgent,
      store: new Proxy(ports.store, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          if (name !== 'append') return member.bind(target);
          return async (...args: Parameters<typeof target.append>) => {
            if (dies && isMeant(args[1])) {
              dies = false;
              throw new Error('killed');
            }
            return target.append(...args);
          };
        },
      }),
    }),
  };
}

describe('a critique of the task text', () => {
  const critique: CritiqueSettings = { critic: 'c', improver: 'w', rounds: 2, retries: 0 };
  const settings = { critique, pipelines: { default: ['critique', 'work', 'land'] } } as const;

  test('has it rewritten before the agent starts', async () => {
    const context = reviewed(
      ({ name }) => {
        if (name === 'critique-1') return changes('vague');
        if (name === 'improve-1') return '```task\nWrite exactly a.ts.\n```\n';
        return approved;
      },
      { settings, tasks: [task('a', { body: 'Do something.' })] },
    );
    expect(await context.drive()).toMatchObject(ended('drained'));
    expect(looks(context)).toEqual(['critique-1', 'improve-1', 'critique-2']);
    expect(file(context, 'improve-1.prompt.md')).toContain('About vague.');
    expect(file(context, 'turn-1.prompt.md')).toContain('Write exactly a.ts.');
    const record = await context.store.task('a');
    expect(record.ok && record.value?.task.body).toBe('Do something.');
  });
});
