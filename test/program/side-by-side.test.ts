// Agents side by side: that they really are, and what each of them is given.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { env, type TestProject, testProject, touch, waitFor, write } from '../rig.ts';

test('two independent tasks are worked on at the same time', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: [[touch('a'), waitFor('b'), write('a.txt', 'a\n')]],
      b: [[touch('b'), waitFor('a'), write('b.txt', 'b\n')]],
    },
  });
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect([...y.landed()].sort()).toEqual(['a', 'b']);
  expect(y.read('a.txt') + y.read('b.txt')).toBe('a\nb\n');
  expect(y.reflogGreen()).toMatchObject({ red: [] });
});

test('one job means one agent at a time', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    script: { default: [[{ run: { shell: 'echo "$YARD_TASK" > "$YARD_TASK.txt"' } }]] },
  });
  expect(await y.ym('run', y.plan, '--jobs', '1')).toMatchObject({ code: 0 });
  let working = 0;
  let most = 0;
  for (const { type } of await y.events()) {
    if (type === 'turn-started') working += 1;
    if (type === 'turn-ended') working -= 1;
    most = Math.max(most, working);
  }
  expect(most).toBe(1);
  expect(y.landings()).toEqual({ a: 1, b: 1, c: 1 });
});

test('an agent works in a worktree of its own and knows what it works on', async () => {
  const meet = (own: string, other: string) => [
    [touch(own), waitFor(other), env(`${own}.json`), write(`${own}.txt`, 'done\n')],
  ];
  const y = testProject({
    tasks: [{ id: 'a', title: 'Write A', body: 'The body.' }, { id: 'b' }],
    script: { a: meet('a', 'b'), b: meet('b', 'a') },
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
  const { run } = await y.status();
  const a = y.envOf('a.json');
  const b = y.envOf('b.json');
  for (const [task, { cwd, env: given, promptBytes = 0 }] of Object.entries({ a, b })) {
    expect(cwd.startsWith(`${y.state}/`)).toBe(true);
    expect(promptBytes).toBeGreaterThan(100);
    expect(given).toMatchObject({
      YARD_TASK: task,
      YARD_RUN: run?.id,
      YARD_ATTEMPT: '1',
      YARD_TURN: '1',
      YARD_WORKTREE: cwd,
    });
    expect(Number(given.YARD_PORT_BASE)).toBeGreaterThan(1024);
  }
  expect(a.cwd).not.toBe(b.cwd);
  expect([a.env.YARD_SLOT, b.env.YARD_SLOT].sort()).toEqual(['1', '2']);
  expect(Math.abs(Number(a.env.YARD_PORT_BASE) - Number(b.env.YARD_PORT_BASE))).toBe(20);
  expect(JSON.parse(readFileSync(a.env.YARD_TASK_FILE ?? '', 'utf8'))).toMatchObject({
    id: 'a',
    title: 'Write A',
    body: 'The body.',
  });
});

/** A command agent whose program the test writes itself. */
function commandProject(
  script: string,
  profile: Readonly<Record<string, unknown>> = {},
): TestProject {
  const y = testProject({ tasks: [{ id: 'a', title: 'Write A', body: 'Say hello.' }] });
  const agent = join(y.base, 'agent.sh');
  writeFileSync(agent, `#!/bin/sh\nset -e\n${script}`);
  chmodSync(agent, 0o755);
  const agents = { mine: { use: 'command', command: [agent, 'one word'], ...profile } };
  const gate = { commands: ['sh gate.sh'] };
  y.write(
    'yardmaster.yaml',
    `${JSON.stringify({ agent: 'mine', agents, gate, retries: 0, sandbox: 'none' })}\n`,
  );
  y.commit('An agent of my own');
  return y;
}

test('a command agent reads its prompt from standard input, and what it leaves uncommitted lands', async () => {
  const y = commandProject(`cat > prompt.txt\necho "$1" > words.txt\n`);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 0, stderr: '' });
  expect(y.show('prompt.txt')).toContain('# Task a: Write A\n\nSay hello.');
  expect(y.show('prompt.txt')).toContain('sh gate.sh');
  expect(y.show('words.txt')).toBe('one word\n');
  expect(y.git('log', '-1', '--format=%s', 'main^2').trim()).toBe('Write A');
});
