// A person decides about work that waits for them: while the run goes on, and after it has ended.
import { expect, test } from 'vitest';
import { flat, packageText, shop } from '../../rig/project.ts';
import { type Action, type TestProject, touch, until, waitFor, write } from '../../rig.ts';

const ci = '.github/workflows/ci.yml';
const editsCi: readonly Action[] = [write(ci, 'on: [push, pull_request]\n'), write('a.txt', 'a\n')];

/** `a` edits what is protected; `b` keeps the run going until it is told to end. */
function waitingShop(turns: readonly (readonly Action[])[] = [editsCi]): TestProject {
  return shop({
    config: { retries: 2 },
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: { a: turns, b: [[touch('b'), waitFor('go'), write('b.txt', 'b\n')]] },
  });
}

async function untilWaiting(y: TestProject): Promise<void> {
  await y.seen('b');
  const waits = ({ tasks }: { tasks: readonly { id: string; state: string }[] }): boolean =>
    tasks.some(({ id, state }) => id === 'a' && state === 'blocked');
  await y.untilStatus(waits, 'a waits');
}

test('work that is approved while the run goes on lands in that run', async () => {
  const y = waitingShop();
  const run = y.start('run', y.plan);
  await untilWaiting(y);
  const before = y.tip();
  const approved = await y.ym('approve', 'a', '--reason', 'It is wanted');
  expect(approved).toMatchObject({
    code: 0,
    stderr: '',
    stdout: 'a is approved; the run continues with it\n',
  });
  await until(() => y.landed().includes('a'), 'the landing of a');
  expect(y.tip('main^1')).toBe(before);
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0, stderr: '' });
  expect(y.landings()).toEqual({ a: 1, b: 1 });
  expect(y.show(ci)).toBe('on: [push, pull_request]\n');
  const why = flat((await y.ym('why', 'a')).stdout);
  expect(why).toContain('approved');
  expect(why).toContain('It is wanted');
});

test('after the run has ended approved work lands by resume, and stays away without', async () => {
  const y = shop({
    tasks: [{ id: 'a' }, { id: 'next', after: ['a'] }],
    script: { a: [editsCi], next: [[write('next.txt', '')]] },
  });
  const ended = await y.ym('run', y.plan);
  expect(ended).toMatchObject({ code: 1, stderr: '' });
  expect(flat(ended.stdout)).toMatch(/waits for your approval/i);
  expect(ended.stdout).toContain('ym approve a');
  expect(ended.stdout).not.toContain('`ym approve ID`');
  const approved = await y.ym('approve', 'a');
  expect(approved).toMatchObject({ code: 0, stderr: '' });
  expect(approved.stdout).toBe('a is approved; continue with `ym resume` or `ym run`\n');
  expect(y.landings()).toEqual({});
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  expect(y.landings()).toEqual({ a: 1, next: 1 });
});

test('a change of the gate that a person approves lands, and the next run is judged by it', async () => {
  const stricter = 'sh scripts/lint.sh && test ! -e red && node --test';
  const y = shop({
    tasks: [{ id: 'a' }],
    script: {
      a: [[write('package.json', packageText({ scripts: { test: stricter } }))]],
      red: [[write('red', '')]],
    },
    leaves: ['branches'],
  });
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect(await y.ym('approve', 'a')).toMatchObject({ code: 0 });
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  expect(y.landings()).toEqual({ a: 1 });
  y.writeTasks([{ id: 'red' }]);
  expect(await y.ym('run', y.plan)).toMatchObject({ code: 1 });
  expect(y.landings()).toEqual({ a: 1 });
});
