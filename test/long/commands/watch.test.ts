// The dashboard on a real terminal: what a person sees, what their keys do, and what is left of it.
import { expect, test } from 'vitest';
import { hasTmux } from '../../rig/tmux.ts';
import { processesWith, testProject, touch, waitFor, write } from '../../rig.ts';

// reason: only tmux shows what a terminal would show.
const tmuxTest = test.skipIf(!hasTmux);

tmuxTest(
  'tasks of a killed run are stopped, in the open dashboard and in every command',
  async () => {
    const y = testProject({
      tasks: [{ id: 'a' }],
      script: { a: [[touch('started'), waitFor('go'), write('a.txt', 'a\n')]] },
    });
    const run = y.start('run', y.plan);
    await y.seen('started');
    const terminal = y.tmux(80, 24);
    terminal.run('ym watch; echo "left with $?"');
    await terminal.shows('? keys');
    terminal.type('22');
    await terminal.shows('P2  working');
    run.signal('SIGKILL');
    await run.end();
    await terminal.shows('P2  stopped');
    expect(terminal.screen()).not.toContain('working');
    terminal.type('q');
    await terminal.shows('left with 0');
    terminal.end();
    for (const command of ['graph', 'tasks', 'status', 'export --format mermaid']) {
      const { stdout } = await y.ym(...command.split(' '));
      expect({ command, stdout }).toEqual({ command, stdout: expect.stringContaining('stopped') });
      expect(stdout).not.toContain('working');
    }
    y.signal('go');
    expect((await y.ym('resume')).code).toBe(0);
  },
);

tmuxTest('the terminal is as before after Ctrl-Z, SIGTERM and SIGQUIT', async () => {
  const y = testProject({ tasks: [{ id: 'a' }] });
  expect((await y.ym('import', y.plan)).code).toBe(0);
  const terminal = y.tmux(80, 24);
  const isRestored = (): void => {
    expect(terminal.fact('alternate_on')).toBe('0');
    expect(terminal.fact('cursor_flag')).toBe('1');
  };
  terminal.run('ym watch');
  await terminal.shows('? keys');
  terminal.press('C-z');
  await terminal.shows('Stopped');
  isRestored();
  terminal.run('fg; echo "back"');
  await terminal.shows('? keys');
  const watching = (): number =>
    Number.parseInt(processesWith(y.tag).find((line) => line.includes(' watch')) ?? '', 10);
  process.kill(watching(), 'SIGTERM');
  await terminal.shows('back');
  isRestored();
  terminal.run('ym watch; echo "over"');
  await terminal.shows('? keys');
  process.kill(watching(), 'SIGQUIT');
  await terminal.shows('Quit');
  isRestored();
  terminal.run('stty -a | grep -ow -e icanon -e echo | tr "\\n" " "');
  await terminal.shows('icanon echo');
  terminal.end();
});

tmuxTest('leaving the dashboard of ym run needs a choice, and lines go on', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: { a: [[touch('working'), waitFor('go'), write('a.txt', 'a\n')]] },
  });
  const terminal = y.tmux(80, 24);
  terminal.run(`ym run '${y.plan}'; echo "ended with $?"`);
  await y.seen('working');
  await terminal.shows('SLOTS 1 of');
  terminal.type('q');
  await terminal.shows('The run ends if you leave');
  terminal.type('l');
  await terminal.shows('? keys', false);
  y.signal('go');
  await terminal.shows('ended with 0');
  expect(terminal.screen()).toMatch(/landed +a /);
  terminal.end();
});
