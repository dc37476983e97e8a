// What ends a turn of an agent, and what is made of it.
import { expect, test } from 'vitest';
import { oneShotProject, promptOf } from '../../rig/one-shots.ts';
import { print, testProject, write } from '../../rig.ts';

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
  const y = testProject({
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

test('prompt files of the profile of a reviewer reach the reviewer', async () => {
  const played = (name: string) => ({ use: 'scripted', script: `../stage/${name}.json` });
  const reader = { ...played('reader'), prompts: ['house.md'] };
  const y = oneShotProject({
    files: { 'house.md': 'Look at {{task.id}} for tests.\n', 'all.md': 'For workers.\n' },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
    oneShotAgents: { reader: [[print('VERDICT: APPROVED')]] },
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
