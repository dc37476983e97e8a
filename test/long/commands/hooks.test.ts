// Hooks of a run: a receiver on loopback and real commands.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collector, type Received } from '../../rig/collector.ts';
import { testProject, touch, until, waitFor, write } from '../../rig.ts';

interface Message {
  readonly id: string;
  readonly point: string;
  readonly text: string;
  readonly task?: { readonly id: string };
  readonly events?: readonly Message[];
}

const messagesIn = (received: readonly Received[]) =>
  received.map(({ body }) => JSON.parse(body) as Message);
const shown = ({ point, task }: Message) => (task === undefined ? point : `${point} ${task.id}`);
const script = { a: [[write('a.txt', 'a\n')]], b: [[write('b.txt', 'b\n')]] };
const tasks = [{ id: 'a' }, { id: 'b', after: ['a'] }];

test('a run that was killed and resumed delivers the rest, with the same ids, and nothing again', async () => {
  let isUp = false;
  const { endpoint, received } = await collector((response, nth) => {
    response.statusCode = isUp || nth <= 3 ? 200 : 503;
    response.end();
  });
  const y = testProject({
    config: { hooks: { team: { use: 'webhook', url: endpoint } }, jobs: 1 },
    tasks,
    script: { ...script, b: [[touch('b'), waitFor('go'), write('b.txt', 'b\n')]] },
  });
  const run = y.start('run', y.plan);
  await until(() => received.length >= 4, 'the message about b');
  // What was delivered and is not noted yet would be sent again, with the same id.
  const noted = () => y.shell('cat .git/yardmaster/runs/*/hooks.json').stdout.includes('"sent": 3');
  await until(noted, 'the note of what was delivered');
  run.signal('SIGKILL');
  await run.end();
  isUp = true;
  const before = received.length;
  const refused = messagesIn(received)[3];
  y.signal('go');
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  const after = messagesIn(received.slice(before));
  expect(after.map(shown)).toEqual(['task-started b', 'run-started', 'task-landed b', 'run-ended']);
  expect(after[0]?.id).toBe(refused?.id);
});

test('a hook that fails or hangs changes nothing of a run, and is ended with it', async () => {
  const y = testProject({
    config: {
      hooks: {
        slow: { use: 'command', command: 'sleep 300', timeout: '10m', on: ['task-started'] },
        bad: { use: 'command', command: 'echo broken >&2; exit 7', retries: 0, on: 'task-landed' },
        gone: { use: 'webhook', url_env: 'NO_SUCH_ADDRESS', on: ['run-started'] },
      },
    },
    tasks,
    script,
  });
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(0);
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  expect(run.stderr.trimEnd().split('\n')).toEqual([
    'ym: Hook slow has not delivered 2 events yet: the run ended first. The next run delivers what is left. See `ym hooks`.',
    'ym: Hook bad did not deliver 2 events: exit status 7: broken. See `ym hooks`.',
    'ym: Hook gone did not deliver 1 event: the variable of url_env is not set. See `ym hooks`.',
  ]);
  expect((await y.ym('hooks')).stdout).toMatch(/bad last failed .*exit status 7: broken/);
  expect(await y.ym('hooks', 'test', 'run-ended', '--hook', 'bad')).toMatchObject({
    code: 1,
    stdout: 'bad: not delivered: exit status 7: broken\n',
  });
});

test('neither the branch of an agent nor an uncommitted edit can add a hook', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }],
    script: {},
    leaves: ['branches', 'kept', 'worktrees', 'state'],
  });
  const own = JSON.parse(y.read('yardmaster.yaml')) as object;
  const evil = `${JSON.stringify({ ...own, hooks: { evil: { use: 'command', command: 'touch "$HOME/evil"' } } })}\n`;
  y.writeScript({ a: [[write('yardmaster.yaml', evil)]] });
  y.write('yardmaster.yaml', evil);
  const run = await y.ym('run', y.plan);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('Commit your change to main to use it');
  expect((await y.task('a')).failure).toMatchObject({ kind: 'approval-needed' });
  expect(await y.ym('hooks')).toMatchObject({
    code: 0,
    stdout:
      'evil is in your yardmaster.yaml, but not committed to the target. No run calls it until then.\n',
    stderr: '',
  });
  for (const named of [[], ['--hook', 'evil']]) {
    expect(await y.ym('hooks', 'test', 'run-ended', ...named)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^evil: not tested: .* not committed to the target\. Commit it first\.\n$/,
      ),
    });
  }
  expect(await y.ym('hooks', 'test', 'run-ended', '--hook', 'none')).toMatchObject({ code: 2 });
  expect(existsSync(join(y.home, 'evil'))).toBe(false);
});

test('a question reaches a hook, and after its time limit the agent decides or the task is blocked', async () => {
  const asks = `case "$YARD_TASK $YARD_TURN" in *' 1') echo "ASK: Which port, $YARD_TASK?"; exit ;; esac
cat > "$HOME/$YARD_TASK.prompt"; echo 80 > "$YARD_TASK.txt"; echo COMPLETE_AND_READY_FOR_MERGE`;
  const config = {
    agent: 'asker',
    agents: { asker: { use: 'command', command: ['sh', '-c', asks], done: 'signal' } },
    hooks: { me: { use: 'command', command: 'cat > "$HOME/asked.json"', on: 'question-asked' } },
    ask: { timeout: '300ms' },
  };
  const y = testProject({ config, tasks: [{ id: 'a' }] });
  const decided = await y.ym('run', y.plan);
  expect(decided.code).toBe(0);
  // Whether the run gets to say that it waits depends on the speed of the machine.
  expect(decided.stderr).toMatch(/^(Waiting for answers until [^\n]*\n)?$/);
  const asked = JSON.parse(readFileSync(join(y.home, 'asked.json'), 'utf8')) as Message;
  expect(asked).toMatchObject({ text: 'a has a question: Which port, a?' });
  expect(readFileSync(join(y.home, 'a.prompt'), 'utf8')).toContain(
    'Nobody answered within 300ms. Decide yourself, and say in your last message what you assumed.',
  );
  expect((await y.ym('why', 'a')).stdout).toContain('answered by the run');
  y.writeTasks([{ id: 'b' }]);
  const blocked = await y.ymWith({ env: { YARDMASTER_ASK__ON_TIMEOUT: 'block' } }, 'run', y.plan);
  expect(blocked.code).toBe(1);
  expect(await y.task('b')).toMatchObject({
    state: 'blocked',
    failure: { kind: 'question-unanswered' },
  });
  expect(y.landings()).toEqual({ a: 1 });
});
