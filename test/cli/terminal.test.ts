// Runs on a real terminal, made by `script` of util-linux.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import {
  print,
  type Terminal,
  type TestProject,
  testProject,
  touch,
  until,
  waitFor,
  write,
} from '../rig.ts';

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);

// reason: only util-linux has a `script` that gives the exit status back; other systems have another one.
const terminalTest = test.skipIf(!hasScript);

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const leaveScreen = '\u001b[?1049l';

/** Starts a `ym` on a terminal of 80 columns. */
function onTerminal(y: TestProject, args: string): Terminal {
  return y.terminal(`stty cols 80 rows 24; ym ${args}`);
}

terminalTest(
  'a run on a terminal opens the dashboard, and leaves the terminal as it was',
  async () => {
    const y = testProject({
      tasks: [{ id: 'a', title: 'The first' }],
      script: {
        a: [[print('Looks around\n'), touch('working'), waitFor('go'), write('a.txt', 'a\n')]],
      },
    });
    const terminal = onTerminal(y, `run '${y.plan}'`);
    await y.seen('working');
    await until(() => terminal.output().includes('Looks around'), 'the last action');
    expect(terminal.output()).toContain('SLOTS 1 of');
    expect((await y.ym('status')).stdout).toMatch(/└─ Looks around {2}(?:now|\d+ s ago)\n/);
    const { slots } = JSON.parse((await y.ym('status', '--json')).stdout);
    expect(slots[0].lastAction).toEqual({
      text: 'Looks around',
      at: expect.stringMatching(/^2.*Z$/),
    });
    y.signal('go');
    expect(await terminal.end()).toBe(0);
    const text = terminal.output();
    expect(text).toContain('working');
    expect(text.lastIndexOf(showCursor)).toBeGreaterThan(text.lastIndexOf(hideCursor));
    const [, after = ''] = text.split(leaveScreen);
    expect(after).toMatch(/1 landed/);
  },
);

terminalTest('Ctrl-C on a terminal finishes, and twice ends at once', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[touch('working'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const terminal = onTerminal(y, `run '${y.plan}'`);
  await y.seen('working');
  terminal.type('\u0003');
  await until(() => terminal.output().includes('Press Ctrl-C again'), 'word of the first Ctrl-C');
  terminal.type('\u0003');
  expect(await terminal.end()).toBe(4);
  expect(terminal.output()).toContain(leaveScreen);
  y.signal('go');
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
});

terminalTest('a run on a terminal waits for a decision, and goes on with it', async () => {
  const y = testProject({
    config: { review: { person: true } },
    tasks: [{ id: 'a' }],
    script: { a: [[write('a.txt', 'a\n')]] },
  });
  const terminal = onTerminal(y, `run --plain '${y.plan}'`);
  await until(() => terminal.output().includes('Waiting for 1 approval of yours'), 'the wait');
  expect(await y.task('a')).toMatchObject({ state: 'blocked', cause: 'approval' });
  expect(await y.ym('approve', 'a')).toMatchObject({ code: 0 });
  expect(await terminal.end()).toBe(0);
  expect(y.landings()).toEqual({ a: 1 });
});

terminalTest('a command that takes long says so on a terminal, and nowhere else', async () => {
  const y = testProject({ config: { gate: { commands: ['sh wait.sh'] } } });
  y.write('wait.sh', `until test -e '${y.stage}/go'; do sleep 0.1; done\n`);
  y.commit('A slow gate');
  const terminal = onTerminal(y, 'verify');
  await until(() => terminal.output().includes('ym verify is at work, 2 s'), 'the note');
  y.signal('go');
  expect(await terminal.end()).toBe(0);
  expect(terminal.output()).toContain('\r\u001b[Kmain at ');
  expect(await y.ym('verify')).toMatchObject({ code: 0, stderr: '' });
});

terminalTest('NO_COLOR takes the colors out on a terminal as well', async () => {
  const y = testProject({ tasks: [{ id: 'a' }] });
  await y.ym('import', y.plan);
  const colored = onTerminal(y, 'tasks');
  await colored.end();
  const plain = y.terminal('NO_COLOR=1 ym tasks');
  await plain.end();
  // Colors, and nothing else, are sequences that end in m.
  const color = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`);
  expect(colored.output()).toMatch(color);
  expect(plain.output()).not.toMatch(color);
});

terminalTest('a run without a scope lets the person at the terminal choose', async () => {
  const y = testProject({ tasks: [{ id: 'a' }, { id: 'b' }], script: {} });
  expect((await y.ym('import', y.plan)).code).toBe(0);
  const terminal = onTerminal(y, 'run --dry-run --plain');
  await until(() => terminal.output().includes('Every open task'), 'the question');
  terminal.type('\u001b[B\r');
  await until(() => terminal.output().includes('Which tasks?'), 'the tasks');
  terminal.type('\u001b[B \r');
  expect(await terminal.end()).toBe(0);
  expect(terminal.output()).toMatch(/claim {4}slot 1 {2}b /);
  expect(terminal.output()).not.toMatch(/claim {4}slot \d {2}a /);

  const nothing = onTerminal(y, 'run');
  await until(() => nothing.output().includes('Every open task'), 'the question');
  nothing.type('\u001b[B\r');
  await until(() => nothing.output().includes('Which tasks?'), 'the tasks');
  nothing.type('\r');
  expect(await nothing.end()).toBe(0);
  expect(nothing.output()).toContain('No tasks were chosen, so nothing was started.');
});

terminalTest('a plan with a warning is asked about, and No stores nothing', async () => {
  const y = testProject({ tasks: [{ id: 'a', checks: ['grep -q -v x gate.sh'] }] });
  const terminal = onTerminal(y, `run '${y.plan}'`);
  await until(() => terminal.output().includes('Run this plan anyway?'), 'the question');
  expect(terminal.output()).toContain('as soon as one line does');
  terminal.type('n');
  expect(await terminal.end()).toBe(0);
  expect(terminal.output()).toContain('Nothing was stored.');
  expect((await y.ym('tasks', '--json')).stdout).toContain('"tasks": []');
});
