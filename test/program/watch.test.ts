// The dashboard on a real terminal: what a person sees, what their keys do, and what is left of it.
import { expect, test } from 'vitest';
import { shop } from '../rig/project.ts';
import { hasTmux } from '../rig/tmux.ts';
import { type TestProject, testProject, touch, waitFor, write } from '../rig.ts';

// reason: only tmux shows what a terminal would show.
const tmuxTest = test.skipIf(!hasTmux);

const ci = '.github/workflows/ci.yml';

/** `a` waits for approval; `b` keeps the run going until `go`. */
function waitingShop(): TestProject {
  return shop({
    config: { retries: 2 },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: {
      a: [[write(ci, 'on: [push, pull_request]\n'), write('a.txt', 'a\n')]],
      b: [[write('b.txt', 'b\nb\nb\n'), touch('b'), waitFor('go')]],
    },
  });
}

tmuxTest('work is approved in ym watch, which is left while the run goes on', async () => {
  const y = waitingShop();
  const run = y.start('run', y.plan);
  await y.seen('b');
  const terminal = y.tmux(80, 24);
  terminal.run('ym watch; echo "left with $?"');
  await terminal.shows('NEEDS YOU 1');
  expect(terminal.screen()).toContain('›! a ');
  // What an agent has changed so far, before it commits anything.
  await terminal.shows('+3 −0');
  terminal.type('y');
  await terminal.shows('Let the work of a land?');
  terminal.type('y');
  await terminal.shows('ran: ym approve a');
  await terminal.shows('NEEDS YOU', false);
  terminal.resize(150, 40);
  await terminal.shows('TASKS');
  expect(terminal.screen()).toMatch(/│── OUTPUT/);
  terminal.resize(40, 12);
  await terminal.shows('TASKS', false);
  terminal.type('q');
  await terminal.shows('left with 0');
  expect(terminal.fact('alternate_on')).toBe('0');
  terminal.end();
  expect(run.isOver()).toBe(false);
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  const decided = (await y.events()).find(({ type }) => type === 'task-decided');
  expect(decided).toMatchObject({ actor: { through: 'watch' } });
});

tmuxTest(
  'variants are compared and one is chosen in ym watch; the past shows the choice open',
  async () => {
    const agent = (text: string) => ({
      use: 'command',
      command: ['sh', '-c', `echo ${text} > a.txt`],
      done: 'exit',
    });
    const y = testProject({
      tasks: [{ id: 'a', attempts: { agents: ['long', 'short'], choose: 'person' } }],
      leaves: ['branches'],
      config: {
        agent: 'short',
        agents: { short: agent('one'), long: agent('one-two-three') },
        gate: { commands: ['test -e a.txt'] },
      },
    });
    await y.ym('run', y.plan, '--plain');
    const terminal = y.tmux(100, 40);
    terminal.run('ym watch; echo "left with $?"');
    await terminal.shows('C compare  y choose');
    terminal.type('C');
    await terminal.shows('COMPARE a  ym compare a --diff');
    await terminal.shows('finished  long');
    terminal.type('C');
    await terminal.shows('+one-two-three');
    expect(terminal.screen()).toMatch(
      /1 a\.v1 {2}finished {2}long +│ 2 a\.v2 {2}finished {2}short/,
    );
    expect(terminal.screen()).toMatch(/\+one-two-three +│ \+one/);
    terminal.type('y');
    await terminal.shows('a: choose variant');
    terminal.type('2 it is short');
    terminal.press('Enter');
    await terminal.shows("ran: ym choose a 2 --reason 'it is short'");
    // It lands with the chosen variant.
    const [chosen] = (await y.status()).tasks;
    expect(chosen).toMatchObject({ id: 'a', state: 'claimed', coClaimedBy: { task: 'a.v2' } });
    terminal.press('Escape');
    await terminal.shows('NEEDS YOU', false);
    terminal.type('T');
    await terminal.shows('PAST');
    terminal.press('Left');
    await terminal.shows('NEEDS YOU 1');
    terminal.type('y');
    await terminal.shows('nothing can be changed; T goes back to now');
    terminal.type('w');
    await terminal.shows('WHY a');
    terminal.press('Home');
    await terminal.shows(' event 1 of ');
    terminal.type('T');
    await terminal.shows('PAST', false);
    terminal.type('q');
    await terminal.shows('left with 0');
    terminal.end();
    expect((await y.ym('resume', '--plain')).code).toBe(0);
    expect(y.landings()).toEqual({ 'a.v2,a': 1 });
  },
);

test('without a terminal ym watch says where to look, and exits with 2', async () => {
  const y = testProject();
  const refused = await y.ym('watch');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('needs a terminal that can show a full screen');
});
