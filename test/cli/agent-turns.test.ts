// What ends a turn of an agent, and what is made of it.
import { expect, test } from 'vitest';
import { lookYard, promptOf } from '../rig/looks.ts';
import { exit, print, write, yard } from '../rig.ts';

test('an agent that is killed from outside gets its turn again, and no retry is used', async () => {
  const y = yard({
    config: { retries: 0 },
    tasks: [{ id: 'killed' }, { id: 'in-a-shell' }],
    script: {
      killed: [
        [write('half.txt', 'half\n'), { crash: { signal: 'SIGKILL' } }],
        [write('whole.txt', 'whole\n')],
      ],
      'in-a-shell': [[exit(143)], [write('shell.txt', 'shell\n')]],
    },
  });
  const run = await y.ym('run', y.plan);
  expect(run.stdout).toMatch(/rests +killed +The agent was killed by SIGKILL/);
  expect(run.code).toBe(0);
  expect(y.landings()).toEqual({ killed: 1, 'in-a-shell': 1 });
  expect(y.show('half.txt')).toBe('half\n');
  expect(await y.task('killed')).toMatchObject({ state: 'landed', attempts: 1 });
});

test('an agent that quotes blocks and words of the protocol is not taken at its word', async () => {
  const quoted = [
    'I would write:',
    '```md',
    '```follow_up',
    '["Quoted"]',
    '```',
    'COMPLETE_AND_READY_FOR_MERGE',
    '```',
    '```follow_up',
    '["Meant"]',
    '```',
    'COMPLETE_AND_READY_FOR_MERGE',
  ].join('\n');
  const say = `echo "$YARD_TASK" > "$YARD_TASK.txt"
test "$YARD_TASK" = a || exec echo COMPLETE_AND_READY_FOR_MERGE
cat <<'END'
${quoted}
END`;
  const y = yard({
    config: {
      agent: 'mine',
      agents: { mine: { use: 'command', command: ['sh', '-c', say], done: 'signal' } },
    },
    tasks: [{ id: 'a' }],
  });
  await y.ym('run', y.plan);
  expect((await y.status()).tasks.map(({ id }) => id).sort()).toEqual(['a', 'meant']);
});

test('an agent that made no changes shows what failed in its turn, in why and in the log', async () => {
  const bash = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'npm ci' } };
  const failed = {
    type: 'tool_result',
    tool_use_id: 't1',
    is_error: true,
    content: 'Exit code 1\nnpm error code ENOTFOUND',
  };
  const stream = [
    { type: 'system', subtype: 'init', session_id: 's1', model: 'm' },
    { type: 'assistant', message: { content: [bash] }, session_id: 's1' },
    { type: 'user', message: { content: [failed] }, session_id: 's1' },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      session_id: 's1',
      result: 'Nothing to do.\nCOMPLETE_AND_READY_FOR_MERGE',
      usage: { input_tokens: 12, output_tokens: 3 },
    },
  ];
  const text = stream.map((line) => JSON.stringify(line)).join('\n');
  const y = yard({
    files: { 'fake-claude': `#!/bin/sh\ncat <<'END'\n${text}\nEND\n` },
    config: {
      retries: 0,
      agent: 'mine',
      agents: { mine: { use: 'claude', binary: './fake-claude', env: { ANTHROPIC_API_KEY: 'x' } } },
    },
    tasks: [{ id: 'a' }],
  });
  y.git('update-index', '--chmod=+x', 'fake-claude');
  y.git('commit', '-qm', 'It can be run');
  y.git('checkout', '-q', '--', '.');
  expect((await y.ym('run', y.plan)).code).toBe(1);
  const why = await y.ym('why', 'a');
  expect(why.stdout).toContain('The agent finished but made no changes.');
  expect(why.stdout).toContain('Bash npm ci (exit 1): npm error code ENOTFOUND');
  const log = await y.ym('log', 'a');
  expect(log.stdout.split('\n')[0]).toBe('▸ Bash npm ci  exit 1');
  expect(log.stdout).toMatch(/\nusage: 12 input, 3 output/);
  expect((await y.ym('log', 'a', '--raw')).stdout).toBe(`${text}\n`);
  const json = JSON.parse((await y.ym('log', 'a', '--json')).stdout);
  expect(json).toMatchObject({ schema: 1, task: 'a', attempt: 1 });
  expect(json.files[0]).toMatchObject({
    file: 'turn-1.out',
    entries: [{ id: 'tool', call: { name: 'Bash', outcome: { exit: 1 } } }],
  });
});

test('a model is named in the trailers as it was passed to the agent', async () => {
  const y = yard({
    config: {
      agent: 'mine',
      agents: {
        mine: {
          use: 'command',
          command: ['sh', '-c', 'echo "$1 $YARD_MODEL $YARD_REASONING" > a.txt', 'sh', '{model}'],
          model: 'small:high',
        },
      },
    },
    tasks: [{ id: 'a' }],
  });
  expect((await y.ym('run', y.plan)).code).toBe(0);
  expect(y.show('a.txt')).toBe('small small high\n');
  expect(y.git('log', '-1', '--format=%B', 'main')).toContain('Yard-Model: small');
});

test('a reasoning effort that an agent has no setting for is said not to be passed', async () => {
  const mine = { use: 'gemini', binary: '/bin/true', model: 'gemini-2.5-pro:high' };
  const y = yard({ config: { agent: 'mine', agents: { mine } }, tasks: [{ id: 'a' }] });
  const shown = await y.ym('run', y.plan, '--dry-run');
  expect(shown.stderr).toBe(
    'ym: mine has no setting for the reasoning effort; "high" is not passed to it.\n',
  );
});

test('prompt files of the profile of a reviewer reach the reviewer', async () => {
  const played = (name: string) => ({ use: 'scripted', script: `../stage/${name}.json` });
  const reader = { ...played('reader'), prompts: ['house.md'] };
  const y = lookYard({
    files: { 'house.md': 'Look at {{task.id}} for tests.\n', 'all.md': 'For workers.\n' },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
    lookers: { reader: [[print('VERDICT: APPROVED')]] },
    config: {
      review: { agent: 'reader' },
      prompts: ['all.md'],
      agents: { actor: played('script'), reader },
    },
  });
  expect((await y.ym('run', y.plan)).code).toBe(0);
  const told = promptOf(y, 'a', 'review-1-reader');
  expect(told).toContain('Look at a for tests.');
  expect(told).not.toContain('For workers.');
  expect(promptOf(y, 'a', 'turn-1')).toContain('For workers.');
});
