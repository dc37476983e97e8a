// Critique: agents review a task and rewrite it before any work starts.
import { expect, test } from 'vitest';
import {
  approves,
  eventsOf,
  noted,
  notes,
  type OneShotProjectOptions,
  oneShotProject,
  partOf,
  play,
  promptOf,
  startsOf,
  wants,
} from '../../rig/one-shots.ts';
import {
  type Action,
  commit,
  exit,
  print,
  remove,
  type TestProject,
  touch,
  waitFor,
  write,
} from '../../rig.ts';

const vague = 'vague blocker - It is not said in which language.';
const unsure = 'unsure major - It is not said in which file.';
const words = (text: string): Action => print(`Here it is.\n\n\`\`\`\`task\n${text}\n\`\`\`\``);

/** One task that asks for too little, a critic, and somebody who can put it better. */
function criticised(
  parts: OneShotProjectOptions['oneShotAgents'],
  more: Partial<OneShotProjectOptions> = {},
  critique: Readonly<Record<string, unknown>> = {},
): TestProject {
  const { config, ...rest } = more;
  return oneShotProject({
    tasks: [{ id: 'a', title: 'Say hello', body: 'Say hello somehow.' }],
    script: { a: [[write('a.txt', 'Bonjour\n')]] },
    oneShotAgents: parts,
    config: { critique: { agent: 'critic', ...critique }, ...config },
    ...rest,
  });
}

const settling = {
  critic: { default: { critiques: [wants(vague), wants(unsure), [approves]] } },
  writer: {
    default: {
      improvements: [[words('Say hello in French.')], [words('Say hello in French, in a.txt.')]],
    },
  },
} as const satisfies OneShotProjectOptions['oneShotAgents'];

test('critic and writer take turns until it is clear, and work begins with the better words', async () => {
  const y = criticised(settling, {}, { improver: 'writer' });
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(await startsOf(y)).toEqual([
    'a critique 1',
    'a improve 1',
    'a critique 2',
    'a improve 2',
    'a critique 3',
    'a turn 1',
  ]);
  const told = (name: string): string => promptOf(y, 'a', name);
  expect(told('critique-1')).toContain('Say hello somehow.');
  expect(partOf(told('improve-1'), 'Findings')).toContain('- vague (blocker)');
  expect(told('critique-2')).toContain('Say hello in French.');
  expect(partOf(told('critique-2'), 'Findings of the last round')).toContain('- vague (blocker)');
  expect(partOf(told('critique-3'), 'Findings of the last round')).toContain('- unsure (major)');
  expect(told('critique-3')).not.toContain('vague');
  expect(told('turn-1')).toContain('# Task a: Say hello\n\nSay hello in French, in a.txt.\n');
  expect(told('turn-1')).not.toContain('somehow');
  expect(y.landings()).toEqual({ a: 1 });
  expect(run.stdout).toContain('the task is unclear: vague blocker');
  const why = (await y.ym('why', 'a')).stdout;
  expect(why).toMatch(/critic critiques the task[\s\S]*writer rewrites the task/);
  expect(why).toContain('the task is clear');
});

test('a task that is clear at once is worked on in its own words', async () => {
  const y = criticised({ critic: { default: { critiques: [[approves]] } } });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(await startsOf(y)).toEqual(['a critique 1', 'a turn 1']);
  expect(promptOf(y, 'a', 'turn-1')).toContain('Say hello somehow.');
});

test('without a writer the agent of the task finds better words, which the reviewer and a later turn have too', async () => {
  const y = criticised(
    {
      critic: {
        default: {
          critiques: [wants(vague), [approves]],
          reviews: [wants('dull minor - Dull.'), [approves]],
        },
      },
    },
    {
      script: {
        a: {
          turns: [[write('a.txt', 'Bonjour\n')], [write('a.txt', 'Salut\n')]],
          improvements: [[words('Say hello in French.')]],
        },
      },
      config: { critique: { agent: 'critic' }, review: { agent: 'critic' } },
    },
  );
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  expect(await startsOf(y)).toEqual([
    'a critique 1',
    'a improve 1',
    'a critique 2',
    'a turn 1',
    'a review 1 critic',
    'a turn 2',
    'a review 2 critic',
  ]);
  for (const name of ['turn-1', 'turn-2', 'review-1-critic', 'review-2-critic']) {
    expect(promptOf(y, 'a', name), name).toContain('Say hello in French.');
    expect(promptOf(y, 'a', name), name).not.toContain('somehow');
  }
});

test('a task that stays unclear is blocked with what was found, and tried again when a person wants it', async () => {
  const { writer } = settling;
  const y = criticised(
    { critic: { default: { critiques: [wants(vague, 'dull minor - Rather dull.')] } }, writer },
    {},
    { improver: 'writer', rounds: 2 },
  );
  const before = y.tip();
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(y.tip()).toBe(before);
  expect(await startsOf(y)).toEqual(['a critique 1', 'a improve 1', 'a critique 2']);
  const task = await y.task('a');
  expect(task).toMatchObject({ state: 'blocked', failure: { kind: 'critique-unsettled' } });
  const why = (await y.ym('why', 'a')).stdout;
  expect(why).toContain('still unclear after 2 rounds');
  expect(why).toContain('- vague blocker: It is not said in which language');
  expect(why).toContain('- dull minor: Rather dull');
  expect(why).toContain('ym retry a');
  play(y, 'critic', { default: { critiques: [[approves]] } });
  expect(await y.ym('retry', 'a')).toMatchObject({ code: 0 });
  expect(await y.ym('run', '--scope', 'ready')).toMatchObject({ code: 0 });
  expect((await startsOf(y)).slice(3)).toEqual(['a critique 1', 'a turn 1']);
});

test('a critic that comes to no verdict is asked once more, and then nobody works', async () => {
  const y = criticised(
    {
      critic: {
        mute: { critiques: [[print('It looks clear to me.')]] },
        crash: { critiques: [[approves, { crash: { signal: 'SIGSEGV' } }]] },
        echo: { critiques: [[{ echo: {} }]] },
        late: { critiques: [{ tries: [[exit(1)], [approves]] }] },
      },
    },
    {
      tasks: ['mute', 'crash', 'echo', 'late'].map((id) => ({ id })),
      script: { default: [[write('a.txt', 'Bonjour\n')]] },
    },
  );
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(y.landings()).toEqual({ late: 1 });
  const starts = await startsOf(y);
  for (const id of ['mute', 'crash', 'echo']) {
    expect(starts.filter((start) => start.startsWith(`${id} `))).toEqual(
      Array.from({ length: 2 }, () => `${id} critique 1`),
    );
    const why = (await y.ym('why', id)).stdout;
    expect(why).toContain('The task critique gave no verdict.');
    expect(await y.task(id)).toMatchObject({
      state: 'blocked',
      failure: { kind: 'critique-unsettled' },
    });
  }
  const { failure } = await y.task('mute');
  expect(failure?.details?.join()).toContain('it has no line VERDICT: APPROVED');
  expect(failure?.do).toContain('ym log mute --critique');
  expect(starts.filter((start) => start.startsWith('late '))).toHaveLength(3);
});

test('a writer without a text for the task is asked once more, and its words are never made up', async () => {
  const critic = { default: { critiques: [wants(vague), [approves]] } };
  const y = criticised(
    {
      critic,
      writer: {
        late: { improvements: [{ tries: [[print('Say it in French.')], [words('In French.')]] }] },
        never: { improvements: [[print('Say it in French.')]] },
      },
    },
    {
      tasks: [{ id: 'late' }, { id: 'never' }],
      script: { default: [[write('a.txt', 'Bonjour\n')]] },
    },
    { improver: 'writer' },
  );
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect(y.landings()).toEqual({ late: 1 });
  expect(promptOf(y, 'late', 'turn-1')).toContain('In French.');
  expect(await y.task('never')).toMatchObject({
    state: 'blocked',
    failure: { kind: 'critique-unsettled' },
  });
  expect((await y.ym('why', 'never')).stdout).toContain('vague blocker');
});

test('neither critic nor writer changes anything in the worktree', async () => {
  const meddles = [
    write('sly.txt', 'sly\n'),
    commit('By the critic'),
    write('sly-too.txt', 'sly\n'),
    remove('names'),
  ];
  const y = criticised(
    {
      critic: {
        default: {
          critiques: [
            [...meddles, ...wants(vague)],
            [...meddles, approves],
          ],
        },
      },
      writer: { default: { improvements: [[...meddles, words('In French.')]] } },
    },
    {},
    { improver: 'writer' },
  );
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const files = y.git('ls-tree', '-r', '--name-only', 'main').trim().split('\n');
  expect(files).toEqual(['a.txt', 'gate.sh', 'names/total', 'yardmaster.yaml']);
  expect(y.git('log', '--format=%s', 'main')).not.toContain('critic');
});

test('what critics and writers use counts as spent', async () => {
  const y = criticised(
    {
      critic: {
        default: {
          critiques: [[{ usage: { input: 100, costUsd: 0.5 } }, ...wants(vague)], [approves]],
        },
      },
      writer: {
        default: { improvements: [[{ usage: { output: 7 } }, words('In French.')]] },
      },
    },
    {},
    { improver: 'writer' },
  );
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const { spend } = JSON.parse((await y.ym('summary', '--json')).stdout);
  expect(spend.totals).toMatchObject({ turns: 4, input: 100, output: 7, costUsd: 0.5 });
  expect(spend.byAgent).toContainEqual(expect.objectContaining({ agent: 'writer', output: 7 }));
});

test('a critique that outlives the engine is followed by the next one', async () => {
  const y = criticised(
    {
      critic: {
        default: { critiques: [[noted, touch('looking'), waitFor('go'), approves]] },
      },
    },
    {},
    { retries: 0 },
  );
  const run = y.start('run', y.plan);
  await y.seen('looking');
  run.signal('SIGKILL');
  await run.end();
  const next = y.start('resume');
  await next.until('resumed');
  y.signal('go');
  expect(await next.end()).toMatchObject({ code: 0, stderr: '' });
  expect(notes(y)).toBe(1);
  expect(await startsOf(y)).toEqual(['a critique 1', 'a turn 1']);
  expect(await eventsOf(y, 'call-ended')).toHaveLength(1);
  expect(y.landings()).toEqual({ a: 1 });
});

test('a critique that a stop cut short is done again, and is no failure of the critic', async () => {
  const y = criticised(
    {
      critic: {
        default: { critiques: [[noted, touch('looking'), waitFor('go'), approves]] },
      },
    },
    { leaves: ['branches'] },
    { retries: 0 },
  );
  const run = y.start('run', y.plan);
  await y.seen('looking');
  expect(await y.ym('stop', '--now')).toMatchObject({ code: 0 });
  expect((await run.end()).code).not.toBe(0);
  y.signal('go');
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(notes(y)).toBe(2);
  expect(y.landings()).toEqual({ a: 1 });
});

test('a second attempt does not have to be made clear again', async () => {
  const y = criticised(
    settling,
    { script: { a: { attempts: [[[exit(1)]], [[write('a.txt', 'Bonjour\n')]]] } } },
    { improver: 'writer' },
  );
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const starts = await startsOf(y);
  expect(starts.filter((start) => start.includes('critique'))).toHaveLength(3);
  const second = starts.lastIndexOf('a turn 1');
  expect(starts.slice(5, second + 1)).toEqual(['a turn 1', 'a turn 1']);
});
