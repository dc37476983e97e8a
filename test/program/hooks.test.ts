// Hooks of a run: a receiver on loopback and real commands.
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collector, type Received } from '../rig/collector.ts';
import { testProject, write } from '../rig.ts';

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

test('a run tells a signed webhook and a command what happens, and ym hooks lists it', async () => {
  const { endpoint, received } = await collector();
  const secret = 'a-secret-of-the-team';
  const y = testProject({
    config: {
      hooks: {
        team: { use: 'webhook', url: `${endpoint}/in`, secret_env: 'TEAM_KEY' },
        file: {
          use: 'command',
          command: 'cat >> "$HOME/events.jsonl"',
          on: ['task-landed', 'run-ended'],
        },
        bugs: { use: 'command', command: ['touch', '../bugs'], types: ['bug'] },
        all: { use: 'command', command: 'cat > "$HOME/digest.json"', digest: '1h' },
      },
    },
    env: { TEAM_KEY: secret },
    tasks,
    script,
  });
  const run = await y.ym('run', y.plan);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const all = ['run-started', 'task-started a', 'task-landed a', 'task-started b', 'task-landed b'];
  expect(messagesIn(received).map(shown)).toEqual([...all, 'run-ended']);
  for (const { headers, body } of received) {
    const { 'webhook-id': id, 'webhook-timestamp': seconds } = headers;
    const sign = createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${sign}`);
    expect(id).toBe((JSON.parse(body) as Message).id);
  }
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(6);
  const lines = readFileSync(join(y.home, 'events.jsonl'), 'utf8').trimEnd().split('\n');
  const told = lines.map((line) => JSON.parse(line) as Message);
  expect(told.map(shown)).toEqual(['task-landed a', 'task-landed b', 'run-ended']);
  expect(existsSync(join(y.base, 'bugs'))).toBe(false);
  const digest = JSON.parse(readFileSync(join(y.home, 'digest.json'), 'utf8')) as Message;
  expect(digest.point).toBe('digest');
  expect(digest.events?.map(shown)).toEqual([...all, 'run-ended']);

  const listed = await y.ym('hooks', '--json');
  const { hooks } = JSON.parse(listed.stdout) as { hooks: readonly object[] };
  expect(hooks).toMatchObject([
    { name: 'team', use: 'webhook', sent: 6, failed: 0 },
    { name: 'file', sent: 3, on: ['task-landed', 'run-ended'] },
    { name: 'bugs', sent: 0 },
    { name: 'all', sent: 6 },
  ]);
  const tried = await y.ym('hooks', 'test', 'question-asked');
  expect(tried).toMatchObject({
    code: 0,
    stdout: 'team: delivered\nbugs: delivered\nall: delivered\n',
  });
  expect(messagesIn(received).at(-1)?.text).toContain('This is a test');
  expect(await y.ym('hooks', 'test', 'landed')).toMatchObject({ code: 2 });
  expect(listed.stdout + run.stdout + JSON.stringify(await y.events())).not.toContain(secret);
});
