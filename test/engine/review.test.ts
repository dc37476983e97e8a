import { describe, expect, test } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import type { CritiqueSettings, ReviewSettings } from '../../src/model/run.ts';
import type { ProcessSpec } from '../../src/process/processes.ts';
import { memoryAgent, telling } from '../memory/agent.ts';
import type { Behaviour } from '../memory/processes.ts';
import { task } from '../story.ts';
import { MemoryYard, type MemoryYardOptions } from './memory-project.ts';

const ended = (reason: string) => ({ ok: true, value: { stop: { reason } } });
const review: ReviewSettings = { reviewers: ['r'], person: false, rounds: 3, retries: 1 };
const approved = 'All well.\nVERDICT: APPROVED\n';
const changes = (id: string): string =>
  `FINDING ${id} major a.ts:1 About ${id}.\nVERDICT: NEEDS_CHANGES\n`;

/** Whether a process looks at something instead of working. */
const isLook = ({ name }: ProcessSpec): boolean => /^(review|critique|improve)-/.test(name);

/** Which round somebody looks in. */
const roundOf = ({ name }: ProcessSpec): number => Number(name.split('-')[1]);

/** What reviewers say, one after the other; the agent writes another file with each turn. */
function reviewed(
  says: (spec: ProcessSpec, yard: MemoryYard) => string | Behaviour,
  more: Partial<MemoryYardOptions> = {},
): MemoryYard {
  const yard = new MemoryYard({
    tasks: [task('a')],
    agent: (spec, { git, exits }) => {
      if (isLook(spec)) {
        const said = says(spec, yard);
        return typeof said === 'string' ? { ...exits(0), output: said } : said;
      }
      const path = `work/${spec.env.YARD_TASK}-${spec.env.YARD_TURN}`;
      return { ...exits(0), effect: () => git.write(spec.cwd, path, 'done') };
    },
    ports: (ports) => ({ ...ports, agent: memoryAgent }),
    ...more,
    settings: { jobs: 1, review, ...more.settings },
  });
  return yard;
}

/** Names of what was really started to look. */
const looks = (yard: MemoryYard): readonly string[] =>
  yard.processes.starts.filter(isLook).map(({ name }) => name);

const file = (yard: MemoryYard, name: string): string =>
  yard.processes.files.get(`/files/attempts/a-1/${name}`) ?? '';

const limited = telling({
  ok: false,
  failure: { kind: 'provider-rate-limit', agent: 'r', message: 'slow down', retryAfterMs: 1_000 },
});

describe('a review', () => {
  test('that approves lets the work land, and is kept for people', async () => {
    const yard = reviewed(() => approved);
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await yard.standing('a')).toMatchObject({ id: 'landed' });
    expect(looks(yard)).toEqual(['review-1-r']);
    expect(JSON.parse(file(yard, 'review-1-r.json'))).toMatchObject({
      task: 'a',
      round: 1,
      reviewer: 'r',
      result: { ok: true, verdict: 'approved' },
      answer: approved.trim(),
    });
  });

  test('is told the task, the diff and the gate', async () => {
    const yard = reviewed(() => approved, { tasks: [task('a', { body: 'All of it.' })] });
    await yard.drive();
    const prompt = file(yard, 'review-1-r.prompt.md');
    for (const said of ['All of it.', 'diff work/a-1', 'VERDICT: APPROVED']) {
      expect(prompt).toContain(said);
    }
  });

  test('that wants changes has the agent mend them in its own conversation', async () => {
    const yard = reviewed((spec) => (roundOf(spec) === 1 ? changes('leak') : approved));
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(looks(yard)).toEqual(['review-1-r', 'review-2-r']);
    expect(file(yard, 'turn-2.prompt.md')).toContain('About leak.');
    expect(file(yard, 'review-2-r.prompt.md')).toContain('leak');
    const turns = yard.processes.starts.filter(({ name }) => name.startsWith('turn'));
    const [first, second] = turns.map(({ argv }) => argv);
    expect(second).toEqual([first?.[0], 'resume', first?.[2]]);
    expect(yard.git.read('/repo', 'work/a-2')).toBe('done');
  });

  test('leaves the work as it was, whatever the reviewer did to it', async () => {
    const yard = reviewed(({ cwd }, { git, exits }) => ({
      ...exits(0),
      output: approved,
      effect: () => {
        git.write(cwd, 'work/a-1', 'spoilt');
        git.write(cwd, 'litter', 'x');
      },
    }));
    await yard.drive();
    expect(yard.git.read('/repo', 'work/a-1')).toBe('done');
    expect(yard.git.read('/repo', 'litter')).toBeUndefined();
  });

  test('in prose is none: the reviewer is asked again, then a person', async () => {
    for (const prose of [
      'I have not approved this.',
      '',
      'VERDICT: approved',
      'Looks good to me!',
    ]) {
      const yard = reviewed(() => prose);
      const end = await yard.drive();
      expect(end).toMatchObject(ended('question'));
      expect(end).toMatchObject({
        value: { stop: { failure: { kind: 'approval-needed', because: 'review-failed' } } },
      });
      expect(looks(yard)).toEqual(['review-1-r', 'review-1-r-again1']);
      expect(await yard.count('landed')).toBe(0);
    }
  });

  test('that repeats its prompt is none', async () => {
    const yard = reviewed(({ stdin = '' }) => yard.processes.files.get(stdin) ?? '');
    expect(await yard.drive()).toMatchObject(ended('question'));
    expect(await yard.count('landed')).toBe(0);
  });

  test('of one that crashes or hangs is none, and the next try may do', async () => {
    const ends: readonly Behaviour[] = [
      { ms: 10, end: { id: 'exited', code: 139 }, output: approved },
      { ms: 999_999, end: { id: 'exited', code: 0 }, output: approved },
    ];
    for (const broken of ends) {
      const yard = reviewed(({ name }) => (name.includes('again') ? approved : broken));
      expect(await yard.drive()).toMatchObject(ended('drained'));
      expect(looks(yard)).toEqual(['review-1-r', 'review-1-r-again1']);
      expect(await yard.standing('a')).toMatchObject({ id: 'landed' });
    }
  });

  test('that goes in circles ends with a person, who may let it land', async () => {
    const yard = reviewed((spec) => changes(roundOf(spec) === 2 ? 'two' : 'one'), {
      settings: { review: { ...review, rounds: 9 } },
    });
    const end = await yard.drive();
    expect(end).toMatchObject({ value: { stop: { failure: { because: 'review-oscillates' } } } });
    expect(looks(yard)).toHaveLength(3);
    await yard.ask({ type: 'task-decided', id: 'a', decision: { kind: 'approve' } });
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await yard.standing('a')).toMatchObject({ id: 'landed' });
    expect(looks(yard)).toHaveLength(3);
  });

  test('by several asks each of them in each round', async () => {
    const yard = reviewed(
      (spec) => (roundOf(spec) === 1 && spec.name.endsWith('s') ? changes('x') : approved),
      { settings: { review: { ...review, reviewers: ['r', 's'] } } },
    );
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(looks(yard)).toEqual(['review-1-r', 'review-1-s', 'review-2-r', 'review-2-s']);
  });
});

describe('a review that is cut short', () => {
  test('by a stop is done again, by another process, when the run goes on', async () => {
    const yard = reviewed((_spec, { exits }) => ({ ...exits(0, 2_000), output: approved }));
    const end = await yard.drive(async ({ clock }) => {
      await clock.sleep(1_000);
      await yard.ask({ type: 'stop-asked', run: 'r1', how: 'now', by: 'a person' });
    });
    expect(end).toMatchObject(ended('cancelled'));
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await yard.standing('a')).toMatchObject({ id: 'landed' });
    expect(looks(yard)).toHaveLength(2);
  });

  test('by the death of the engine is followed to its end, and not started again', async () => {
    const yard = reviewed(
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
    await expect(yard.drive()).rejects.toThrow('killed');
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(looks(yard)).toHaveLength(2);
    expect(await yard.standing('a')).toMatchObject({ id: 'landed' });
    expect(await yard.standing('b')).toMatchObject({ id: 'landed' });
  });

  test('after its end but before that was stored is read, not repeated', async () => {
    const yard = reviewed(() => approved, {
      ...dyingOnce((events) => events.some((one) => one.type === 'review-ended')),
    });
    await expect(yard.drive()).rejects.toThrow('killed');
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(looks(yard)).toEqual(['review-1-r']);
  });

  test('because a person cancelled the task gives up the work and keeps it', async () => {
    const yard = reviewed((_spec, { exits }) => ({ ...exits(0, 5_000), output: approved }));
    await yard.drive(async ({ clock }) => {
      await clock.sleep(1_000);
      const decision = { kind: 'cancel', reason: 'no' } as const;
      await yard.ask({ type: 'task-decided', id: 'a', decision });
    });
    expect(await yard.standing('a')).toMatchObject({ id: 'cancelled' });
    expect(await yard.refs('refs/heads/yard/')).toEqual(['refs/heads/yard/r1/a-1']);
  });
});

/** Ends the engine in the middle of storing such events, once. */
function dyingOnce(
  isMeant: (events: readonly Pick<Event, 'type'>[]) => boolean,
): Pick<MemoryYardOptions, 'ports'> {
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

describe('an account that may not be used for a while', () => {
  test('a reviewer whose account was paused is started again when that is over', async () => {
    let calls = 0;
    const yard = reviewed((_spec, { exits }) => {
      calls += 1;
      return calls === 1 ? { ...exits(0), output: limited } : approved;
    });
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await yard.standing('a')).toMatchObject({ id: 'landed' });
    expect(looks(yard)).toHaveLength(2);
  });

  test('a critic whose account was paused is started again when that is over', async () => {
    let calls = 0;
    const critique: CritiqueSettings = { critic: 'r', rounds: 1, retries: 0 };
    const yard = reviewed(
      (_spec, { exits }) => {
        calls += 1;
        return calls === 1 ? { ...exits(0), output: limited } : approved;
      },
      { settings: { critique, pipelines: { default: ['critique', 'work', 'land'] } } },
    );
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await yard.standing('a')).toMatchObject({ id: 'landed' });
    expect(looks(yard)).toHaveLength(2);
  });
});

describe('a look at what the task asks for', () => {
  const critique: CritiqueSettings = { critic: 'c', improver: 'w', rounds: 2, retries: 0 };
  const settings = { critique, pipelines: { default: ['critique', 'work', 'land'] } } as const;

  test('has it put in better words before the agent hears of it', async () => {
    const yard = reviewed(
      ({ name }) => {
        if (name === 'critique-1') return changes('vague');
        if (name === 'improve-1') return '```task\nWrite exactly a.ts.\n```\n';
        return approved;
      },
      { settings, tasks: [task('a', { body: 'Do something.' })] },
    );
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(looks(yard)).toEqual(['critique-1', 'improve-1', 'critique-2']);
    expect(file(yard, 'improve-1.prompt.md')).toContain('About vague.');
    expect(file(yard, 'turn-1.prompt.md')).toContain('Write exactly a.ts.');
    const record = await yard.store.task('a');
    expect(record.ok && record.value?.task.body).toBe('Do something.');
  });

  test('that finds no end blocks the task before anybody worked on it', async () => {
    const yard = reviewed(
      ({ name }) => (name.startsWith('improve') ? '```task\nNo better.\n```\n' : changes('vague')),
      { settings },
    );
    expect(await yard.drive()).toMatchObject(ended('drained'));
    expect(await yard.standing('a')).toMatchObject({
      id: 'blocked',
      failure: { kind: 'critique-unsettled', findings: [{ id: 'vague' }] },
    });
    expect(yard.processes.starts.filter(({ name }) => name.startsWith('turn'))).toEqual([]);
    expect(await yard.refs('refs/heads/yard/')).toEqual([]);
    expect(yard.worktreesLeft()).toBe(0);
  });
});
