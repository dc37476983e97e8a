// The commands by which a person sees what happened, and the files beside them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fromJSONSchema } from 'zod';
import {
  exit,
  print,
  remove,
  type TestProject,
  type TestProjectOptions,
  testProject,
  write,
} from '../../rig.ts';

/** A finished run: `good` has landed at its second turn, `bad` has failed, `child` waits for `bad`. */
async function finishedRun(options: TestProjectOptions = {}): Promise<TestProject> {
  const y = testProject({
    config: { retries: 1, gate: { commands: ['sh gate.sh'], branch: 'always' } },
    tasks: [{ id: 'good' }, { id: 'bad' }, { id: 'child', after: ['bad', 'good'] }],
    script: {
      good: [
        [print('first words'), write('good.txt', 'one\ntwo\n'), write('red', '')],
        [print('second words'), remove('red')],
      ],
      bad: [[print('bad luck'), write('half.txt', 'half\n'), exit(3)]],
    },
    leaves: ['branches', 'kept'],
    ...options,
  });
  expect((await y.ym('run', y.plan)).code).toBe(1);
  return y;
}

async function jsonOf(y: TestProject, ...args: string[]) {
  const done = await y.ym(...args, '--json');
  expect({ args, code: done.code, stderr: done.stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(done.stdout);
}

test('what agents and gates printed is there to read', async () => {
  const y = await finishedRun();
  expect((await y.ym('log', 'good')).stdout).toBe('second words\n');
  expect((await y.ym('log', 'good', '--turn', '1')).stdout).toBe('first words\n');
  expect((await y.ym('log', 'good', '--gate')).stdout).toContain('all names are known');
  expect((await y.ym('log', 'good', '--gate', '--turn', '1')).stdout).toContain('called red');
  expect((await y.ym('log', 'bad', '--attempt', '1')).stdout).toBe('bad luck\n');
  expect((await y.ym('log', 'bad', '--bytes', '5')).stdout).toBe('luck\n');
  const followed = await y.ym('log', 'good', '-f');
  expect(followed.stdout).toBe('second words\n');
  expect(followed.stderr).toContain('good, attempt 1, turn 2');
  expect(followed.stderr).toContain('attempt 1 is over; good is landed now');
  const none = await y.ym('log', 'child');
  expect(none).toMatchObject({ code: 2, stdout: '' });
  expect(none.stderr).toContain('No attempt at "child" has started yet');
});

test('what a task changed is there to see, landed or kept', async () => {
  const y = await finishedRun();
  const patch = (await y.ym('diff', 'good')).stdout;
  expect(patch).toContain('+one\n+two');
  expect(patch).not.toContain('red');
  expect((await y.ym('diff', 'good', '--stat')).stdout).toBe(
    'good.txt  +2  -0  added\n1 file changed, +2 -0\n',
  );
  expect(await jsonOf(y, 'diff', 'good')).toMatchObject({
    schema: 1,
    task: 'good',
    added: 2,
    files: [{ path: 'good.txt', change: 'added', lines: { added: 2, removed: 0 } }],
    patch: expect.stringContaining('+one\n+two'),
  });
  expect((await y.ym('diff', 'bad')).stdout).toContain('+half');
  expect((await y.ym('diff', 'child')).code).toBe(2);
  expect((await y.ym('diff', 'bad', '--attempt', '7')).stderr).toContain('There is no attempt 7');
});

test('graphs are drawn in every format, of tasks and of a run, to a file as well', async () => {
  const y = await finishedRun();
  const ascii = (await y.ym('graph', '--all')).stdout;
  for (const id of ['good', 'bad', 'child']) expect(ascii).toContain(id);
  expect((await y.ym('graph')).stdout).not.toContain('good  landed');
  expect((await y.ym('graph', '--all', '--format', 'mermaid')).stdout).toMatch(/^flowchart /);
  expect((await y.ym('graph', '--all', '--format', 'dot')).stdout).toMatch(/^digraph /);
  const run = (await y.ym('graph', 'last')).stdout;
  expect(run).toContain('slot 1');
  expect(run).toContain('good.1/2');
  expect(await y.ym('graph', 'last', '--out', 'run.md')).toMatchObject({
    code: 0,
    stdout: 'Wrote run.md\n',
  });
  expect(await y.ym('graph', '--out', 'run.svg')).toMatchObject({ code: 0 });
  expect(y.read('run.svg')).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
  const picture = await y.ym('graph', '--out', 'run.png');
  expect(picture).toMatchObject({ code: 2, stdout: '' });
  expect(picture.stderr).toContain('--format');
  expect(y.has('run.png')).toBe(false);
  expect(y.read('run.md')).toMatch(/```mermaid\nflowchart [\s\S]*```\n$/);
  const drawing = await jsonOf(y, 'graph', '--all');
  expect(JSON.stringify(drawing)).toContain('child');
});

test('without a terminal no output has escape codes, whatever the color settings say', async () => {
  const y = await finishedRun();
  const escapeCode = String.fromCharCode(27);
  for (const args of [['status'], ['tasks'], ['why', 'bad'], ['summary'], ['graph'], ['doctor']]) {
    const settings: Record<string, string>[] = [{}, { NO_COLOR: '1' }, { TERM: 'xterm-256color' }];
    for (const env of settings) {
      const { stdout, stderr } = await y.ymWith({ env }, ...args);
      expect(stdout + stderr).not.toContain(escapeCode);
    }
  }
});

test('the files of a run are there and are what their schemas say', async () => {
  const y = await finishedRun();
  const schema = (name: string) =>
    fromJSONSchema(
      JSON.parse(
        readFileSync(new URL(`../../../dist/schemas/${name}.json`, import.meta.url), 'utf8'),
      ),
    );
  const { run } = await y.status();
  const dir = join(y.root, '.git', 'yardmaster', 'runs', run?.id ?? '');
  const read = (...path: string[]) => JSON.parse(readFileSync(join(dir, ...path), 'utf8'));
  expect(schema('run').safeParse(read('run.json'))).toMatchObject({ success: true });
  expect(schema('manifest').safeParse(read('manifest.json'))).toMatchObject({ success: true });
  const attempts = readdirSync(join(dir, 'attempts')).sort();
  expect(attempts).toEqual(['bad-1', 'bad-2', 'good-1']);
  for (const attempt of attempts) {
    const checked = schema('attempt').safeParse(read('attempts', attempt, 'attempt.json'));
    expect(checked).toMatchObject({ success: true });
    for (const file of ['task.json', 'turn-1.prompt.md', 'turn-1.out', 'turn-1.status']) {
      expect(existsSync(join(dir, 'attempts', attempt, file))).toBe(true);
    }
  }
  const event = schema('event');
  const events = await y.events();
  expect(events.length).toBeGreaterThan(20);
  for (const one of events) {
    expect({ one, ...event.safeParse(one) }).toMatchObject({ success: true });
  }
  expect(event.safeParse({ ...events[0], type: 'unheard-of' }).success).toBe(false);
  expect(readdirSync(dir, { recursive: true }).filter((name) => /tmp/.test(`${name}`))).toEqual([]);
});

test('a quiet run still tells what did not land', async () => {
  const y = testProject({
    tasks: [{ id: 'a' }, { id: 'b' }],
    script: { a: [[write('a.txt', 'a\n')]], b: [[exit(3)]] },
    config: { retries: 0 },
  });
  const run = await y.ym('run', y.plan, '-q');
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toMatch(
    /^1 landed, 1 needs you\n +✗ b +failed +ym retry b\n.*exited with status 3/m,
  );
  expect(run.stderr).not.toMatch(/ a /);
});

test('the demonstration ends with every value of its branch green', async () => {
  const y = testProject();
  const keep = join(y.base, 'demo');
  const demo = await y.ym('demo', '--keep', keep, '--plain', '--jobs', '2');
  expect(demo).toMatchObject({ code: 0, stderr: '' });
  expect(demo.stdout).toContain('of the 9 commits that main has pointed at, 9 are green');
  const status = await y.ymWith({ cwd: join(keep, 'project') }, 'status', '--json');
  expect(JSON.parse(status.stdout)).toMatchObject({ counts: { landed: 8 } });
  expect(y.gitIn(join(keep, 'project'), 'status', '--porcelain')).toBe('');
});
