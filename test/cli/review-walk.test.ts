// A person walks through what waits for them, and the run goes on by itself.
import { expect, test } from 'vitest';
import { shop } from '../rig/project.ts';
import { until, write } from '../rig.ts';

const ci = '.github/workflows/ci.yml';

test('`ym review` shows what waits, takes the decision and goes on with the run', async () => {
  const y = shop({
    tasks: [{ id: 'a' }],
    script: { a: [[write(ci, 'on: [push, pull_request]\n'), write('a.txt', 'a\n')]] },
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  const listed = await y.ym('review');
  expect(listed.code).toBe(1);
  expect(listed.stdout).toContain('a waits for your approval: ym approve a');
  const terminal = y.terminal('GIT_PAGER=cat ym review');
  const shows = (text: string) => until(() => terminal.output().includes(text), text);
  await shows('[a]pprove');
  terminal.type('d\r');
  await shows('pull_request]');
  terminal.type('a\r');
  expect(await terminal.end()).toBe(0);
  expect(y.landings()).toEqual({ a: 1 });
  expect(await y.ym('review')).toMatchObject({ code: 0, stdout: 'Nothing waits for you.\n' });
});
