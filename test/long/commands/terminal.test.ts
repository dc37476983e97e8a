// Runs on a real terminal, made by `script` of util-linux.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  print,
  processesWith,
  type Terminal,
  type TestProject,
  testProject,
  touch,
  until,
  waitFor,
  write,
} from '../../rig.ts';

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);

// reason: only util-linux has a `script` that gives the exit status back; other systems have another one.
const terminalTest = test.skipIf(!hasScript);

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const leaveScreen = '\u001b[?1049l';

/** Text without any character that a terminal without Unicode cannot show. */
const ascii = /^\p{ASCII}*$/u;

/** Starts a `ym` on a terminal of 80 columns. */
function onTerminal(y: TestProject, args: string): Terminal {
  return y.terminal(`stty cols 80 rows 24; ym ${args}`);
}

const esc = String.fromCharCode(27);
const bel = String.fromCharCode(7);
/** A sequence such as a title or a copy. It ends with the character that rings the bell elsewhere. */
const command = new RegExp(`${esc}\\](\\d+);([^${bel}]*)${bel}`, 'g');

/** The newest title; empty without any. */
function title(terminal: Terminal): string {
  const titles = [...terminal.output().matchAll(command)].filter(([, kind]) => kind === '2');
  return titles.at(-1)?.[2] ?? '';
}

function hasRung(terminal: Terminal): boolean {
  return terminal.output().replace(command, '').includes(bel);
}

/** True once a note says how long a command has been at work. */
/** Codes that erase the note. */
const erased = `\r${esc}[A${esc}[J`;

function isNoted(terminal: Terminal, command: string): boolean {
  return new RegExp(`\\rym ${command} is at work, \\d+ s`).test(terminal.output());
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

terminalTest('the dashboard sets the title, rings when it needs a person, and copies', async () => {
  const y = testProject({
    config: { review: { person: true } },
    tasks: [{ id: 'a' }],
    script: { a: [[touch('working'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const terminal = onTerminal(y, `run '${y.plan}'`);
  await y.seen('working');
  await until(() => title(terminal).endsWith(': running, 0 landed'), 'the first title');
  expect(terminal.output()).toContain('\u001b[22;2t');
  expect(hasRung(terminal)).toBe(false);
  // The list of tasks has no text of its own, so the id of the task is copied.
  terminal.type('2');
  await until(() => terminal.output().includes('TASKS'), 'the list');
  terminal.type('c');
  const copied = `\u001b]52;c;${Buffer.from('a').toString('base64')}\u0007`;
  await until(() => terminal.output().includes(copied), 'the copy');
  await until(() => terminal.output().includes('copied: a'), 'the note');
  y.signal('go');
  await until(() => title(terminal).endsWith(': 1 need you'), 'the title that calls');
  await until(() => hasRung(terminal), 'the bell');
  expect(await y.ym('approve', 'a')).toMatchObject({ code: 0 });
  expect(await terminal.end()).toBe(0);
  // The terminal gets its own title back.
  expect(terminal.output()).toContain(`${leaveScreen}\u001b[23;2t`);
});

terminalTest('a command that takes long says so on a terminal, and nowhere else', async () => {
  const y = testProject({ config: { gate: { commands: ['sh wait.sh'] } } });
  y.write('wait.sh', `until test -e '${y.stage}/go'; do sleep 0.1; done\n`);
  y.commit('A slow gate');
  const terminal = onTerminal(y, 'verify');
  await until(() => isNoted(terminal, 'verify'), 'the note');
  y.signal('go');
  expect(await terminal.end()).toBe(0);
  expect(terminal.output()).toContain(`${erased}main at `);
  expect(await y.ym('verify')).toMatchObject({ code: 0, stderr: '' });
});

/** The end of an output whose last line is a note that was drawn again. */
const wholeNote = new RegExp(`${esc}\\[A\\rym doctor is at work, \\d+ s${esc}\\[K$`);

/** A project whose git waits for the file go on the stage. */
function withSlowGit(y: TestProject): string {
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
  const slow = `#!/bin/sh\nuntil test -e '${y.stage}/go'; do sleep 0.1; done\nexec '${git}' "$@"\n`;
  writeFileSync(join(y.stage, 'git'), slow, { mode: 0o755 });
  return `PATH='${y.stage}':$PATH`;
}

terminalTest(
  'Ctrl-C ends a command that takes long, and leaves its note on a line of its own',
  async () => {
    const y = testProject({});
    const terminal = y.terminal(`${withSlowGit(y)} ym doctor`);
    await until(() => isNoted(terminal, 'doctor'), 'the note');
    await until(() => terminal.output().includes(' 3 s'), 'the next second');
    terminal.type('\u0003');
    expect(await terminal.end()).toBe(130);
    expect(terminal.output().replace('^C', '').trimEnd()).toMatch(wholeNote);
    y.signal('go');
    await until(() => processesWith(y.tag).length === 0, 'the end of git');
  },
);

terminalTest.each(['config list', 'run --dry-run --scope ready'])(
  'the note of ym %s appears while the program is busy without a pause',
  async (command) => {
    const y = testProject({ tasks: [{ id: 'a' }] });
    expect((await y.ym('import', y.plan)).code).toBe(0);
    const file = join(y.root, 'yardmaster.yaml');
    const pipe = join(y.stage, 'pipe');
    // Opening a pipe without a writer blocks the whole thread, as long work on many tasks does.
    execFileSync('mkfifo', [pipe]);
    const config = readFileSync(file, 'utf8');
    rmSync(file);
    symlinkSync(pipe, file);
    const terminal = onTerminal(y, command);
    const [name = ''] = command.split(' ');
    try {
      await until(() => isNoted(terminal, name), 'the note');
    } finally {
      rmSync(file);
      writeFileSync(file, config);
      // Opened for reading too, because the test must not wait for a reader.
      const writer = openSync(pipe, 'r+');
      writeSync(writer, config);
      closeSync(writer);
    }
    expect(await terminal.end()).toBe(0);
    const [, after = ''] = terminal.output().split(`s\u001b[K\r\n${erased}`);
    expect(after).toContain(name === 'run' ? 'claim    slot 1  a' : 'gate.commands');
  },
);

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

terminalTest('a terminal without Unicode gets ASCII, whatever prints', async () => {
  const y = testProject({ tasks: [{ id: 'a', title: 'Straße' }] });
  expect((await y.ym('import', y.plan)).code).toBe(0);
  for (const command of ['help', 'help run', 'tasks', 'status', 'show a --json', 'why nothing']) {
    const terminal = y.terminal(`stty cols 80; LC_ALL=C ym ${command}`);
    await terminal.end();
    expect(terminal.output()).toMatch(/\w/);
    expect(terminal.output()).toMatch(ascii);
  }
  expect((await y.ym('help', 'run')).stdout).toContain('…');

  const asked = y.terminal('stty cols 80; LC_ALL=C ym run --dry-run');
  await until(() => asked.output().includes('Every open task'), 'the question');
  asked.type('\u001b[B\r');
  await until(() => asked.output().includes('Which tasks?'), 'the tasks');
  asked.type(' \r');
  expect(await asked.end()).toBe(0);
  expect(asked.output()).toContain('Stra?e');
  expect(asked.output()).toMatch(ascii);
});

terminalTest('an error on a terminal breaks at spaces, and is one line elsewhere', async () => {
  const y = testProject({ tasks: [] });
  const terminal = y.terminal('stty cols 40; ym retry');
  expect(await terminal.end()).toBe(2);
  const lines = terminal.output().trimEnd().split(/\r?\n/);
  const { stderr } = await y.ym('retry');
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.filter((line) => line.length > 40)).toEqual([]);
  expect(`${lines.join(' ')}\n`).toBe(stderr);
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
