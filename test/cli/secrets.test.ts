// What an agent says aloud by mistake does not get into anything that is shown or recorded.
import { expect, test } from 'vitest';
import { exit, print, testProject } from '../rig.ts';

const token = `ghp_${'a1B2'.repeat(9)}`;
const value = 'hunter2-hunter2';

test('tokens and secret variables are taken out of logs, reasons and the store', async () => {
  const y = testProject({
    config: { retries: 0 },
    tasks: [{ id: 'a' }],
    script: { a: [[print(`my token is ${token}, my word is ${value}.`), exit(3)]] },
    env: { DEPLOY_PASSWORD: value },
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  const log = await y.ym('log', 'a');
  expect(log.stdout).toContain('my token is [redacted], my word is [redacted].');
  for (const words of [
    ['log', 'a'],
    ['why', 'a'],
    ['why', 'a', '--json'],
    ['summary', '--json'],
  ]) {
    const { stdout, stderr } = await y.ym(...words);
    expect(stdout + stderr, words.join(' ')).not.toContain(token);
    expect(stdout + stderr, words.join(' ')).not.toContain(value);
  }
  expect(JSON.stringify(await y.events())).not.toContain(token);
});
