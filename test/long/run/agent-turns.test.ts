// What ends a turn of an agent, and what is made of it.
import { expect, test } from 'vitest';
import { oneShotProject, promptOf } from '../../rig/one-shots.ts';
import { flat } from '../../rig/project.ts';
import { env, exit, print, testProject, write } from '../../rig.ts';

test('an agent that is killed from outside gets its turn again, and that costs its task nothing', async () => {
  const y = testProject({
    // One failed attempt would be the last one of its task.
    config: { retries: 0, quarantine: 1 },
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
  expect(run.stdout).toMatch(/pauses +killed +The agent was killed by SIGKILL/);
  expect(run.code).toBe(0);
  expect(y.landings()).toEqual({ killed: 1, 'in-a-shell': 1 });
  expect(y.show('half.txt')).toBe('half\n');
  expect(await y.task('killed')).toMatchObject({ state: 'landed', attempts: 1 });
});

test('what an agent quotes inside of another block is not obeyed', async () => {
  const signals = [
    'COMPLETE_AND_READY_FOR_MERGE',
    '__DONE__',
    '<next_iteration>c</next_iteration>',
  ];
  const blocks = ['```follow_up', '["Quoted"]', '```', '```next_iteration', '["c"]', '```'];
  const quoted = ['I would write:', '````md', ...blocks, ...signals, '````'];
  const meant = ['```follow_up', '["Meant"]', '```', 'COMPLETE_AND_READY_FOR_MERGE'];
  const say = `echo "$YARD_TURN" > "$YARD_TASK.txt"
test "$YARD_TASK" = a || exec echo COMPLETE_AND_READY_FOR_MERGE
cat <<'END'
${quoted.join('\n')}
END
test "$YARD_TURN" = 1 || cat <<'END'
${meant.join('\n')}
END`;
  const y = testProject({
    config: {
      agent: 'mine',
      agents: { mine: { use: 'command', command: ['sh', '-c', say], done: 'signal' } },
    },
    tasks: [{ id: 'a' }],
  });
  expect((await y.ym('run', y.plan)).code).toBe(0);
  expect((await y.status()).tasks.map(({ id }) => id).sort()).toEqual(['a', 'meant']);
  // The first turn said nothing that counts, so there was a second one.
  expect(y.show('a.txt')).toBe('2\n');
  const ended = (await y.events()).flatMap((event) => (event.type === 'turn-ended' ? event : []));
  expect(ended[0]?.result).toMatchObject({ ok: true, signal: { id: 'nothing' } });
  expect(JSON.stringify(ended)).not.toContain('"next"');
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

test('a model is named as it was passed to the agent, and not where none was passed', async () => {
  const asked = ['sh', '-c', 'echo "$1 $YARD_MODEL $YARD_REASONING" > a.txt', 'sh', '{model}'];
  const plain = ['sh', '-c', 'echo "${YARD_MODEL-none}" > b.txt'];
  const y = testProject({
    config: {
      agent: 'mine',
      agents: {
        mine: { use: 'command', command: asked, model: 'small:high' },
        plain: { use: 'command', command: plain },
        actor: { use: 'scripted', script: '../stage/script.json', model: 'tiny:low' },
      },
    },
    tasks: [{ id: 'a' }, { id: 'b', agent: 'plain' }, { id: 'c', agent: 'actor' }],
    script: { c: [[env('c.json'), write('c.txt', 'c\n')]] },
  });
  expect((await y.ym('run', y.plan)).code).toBe(0);
  expect(y.show('a.txt')).toBe('small small high\n');
  expect(y.show('b.txt')).toBe('none\n');
  expect(y.envOf('c.json').env).toMatchObject({ YARD_MODEL: 'tiny', YARD_REASONING: 'low' });
  const format =
    '--format=%(trailers:key=Yard-Task,valueonly)=%(trailers:key=Yard-Model,valueonly)';
  const landed = flat(y.git('log', '--first-parent', format, 'main'));
  for (const line of ['a =small', 'b =', 'c =tiny']) expect(`${landed} `).toContain(`${line} `);
  const { spend } = JSON.parse((await y.ym('summary', '--json')).stdout);
  const models = spend.byModel.map(({ model }: { model: string | null }) => model);
  expect(models.sort()).toEqual([null, 'small', 'tiny']);
});

test('a reasoning effort that an agent has no setting for is said not to be passed', async () => {
  const mine = { use: 'gemini', binary: '/bin/true', model: 'gemini-2.5-pro:high' };
  const y = testProject({ config: { agent: 'mine', agents: { mine } }, tasks: [{ id: 'a' }] });
  const shown = await y.ym('run', y.plan, '--dry-run');
  expect(shown.stderr).toBe(
    'ym: mine has no setting for the reasoning effort; "high" is not passed to it.\n',
  );
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
