// A person walks through what waits for them, and the run goes on by itself.
import { expect, test } from 'vitest';
import { shop } from '../../rig/project.ts';
import { until } from '../../rig.ts';

test('a task whose advice names `ym skip` may be skipped, and `?` explains the letters', async () => {
  const y = shop({ config: { retries: 0 }, tasks: [{ id: 'idle' }], script: { idle: [[]] } });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  expect((await y.ym('why', 'idle')).stdout).toContain('ym skip idle');
  const terminal = y.terminal('ym review');
  const sees = (text: string) => until(() => terminal.output().includes(text), text);
  await sees('s[k]ip');
  terminal.type('?\r');
  await sees('count it as done without landing');
  terminal.type('k\r');
  await sees('Why?');
  terminal.type('It was done before\r');
  await terminal.end();
  expect(await y.task('idle')).toMatchObject({ state: 'skipped' });
});
