// Real faults of the machine: the step pauses, the cause is shown, no task fails, and no finished agent starts again.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { noMounts, onDisk } from '../../rig/disk.ts';
import { shell } from '../../rig/project.ts';
import {
  type TestProject,
  type TestProjectOptions,
  testProject,
  touch,
  waitFor,
  write,
} from '../../rig.ts';

const mib = 2 ** 20;
const tasks = ['a', 'b', 'c'];
const big = () => randomBytes(2 * mib).toString('hex');

/** One failed attempt would quarantine its task. */
function project(options: TestProjectOptions = {}): TestProject {
  return testProject({
    tasks: tasks.map((id) => ({ id })),
    script: Object.fromEntries(tasks.map((id) => [id, [[write(`${id}.txt`, `${id}\n`)]]])),
    ...options,
    config: { retries: 0, quarantine: 1, ...options.config },
  });
}

const isHeldUp = (y: TestProject) =>
  y.untilStatus(({ pausedSteps = [] }) => pausedSteps.some(({ times }) => times > 1), 'trouble');

/** Every task has landed with one attempt and one agent. */
async function expectNoCost(y: TestProject): Promise<void> {
  expect(y.landings()).toEqual({ a: 1, b: 1, c: 1 });
  const events = await y.events();
  const count = (type: string) => events.filter((event) => event.type === type).length;
  expect([count('attempt-started'), count('turn-started'), count('attempt-failed')]).toEqual([
    3, 3, 0,
  ]);
}

/** Starts a run, waits for the trouble, looks at the status, takes the cause away, and waits for the end. */
async function passes(y: TestProject, fix: () => void, says: RegExp): Promise<void> {
  const run = y.start('run', y.plan);
  await isHeldUp(y);
  expect((await y.ym('status')).stdout).toMatch(says);
  fix();
  expect(await run.end()).toMatchObject({ code: 0 });
  await expectNoCost(y);
}

const mounts = noMounts();
if (mounts !== undefined) console.log(`Tests with real disks are skipped: ${mounts}.`);

// reason: only root can mount a disk; the line above says it was left out.
describe.skipIf(mounts !== undefined)('a disk', () => {
  test('that is too full for a worktree holds up the start of attempts', async () => {
    const y = project({ files: { 'big.txt': big() } });
    const disk = onDisk(y.state);
    disk.fill(2 * mib);
    await passes(y, disk.empty, / paused: .*the disk is full/);
  });

  test('that is too full for objects holds up the capture of finished work', async () => {
    const script = tasks.map((id) => {
      const file = `${id}.bin`;
      const works = shell(`head -c ${3 * mib} /dev/urandom > ${file}`);
      return [id, [[touch(`${id}.at-work`), waitFor('full'), works]]];
    });
    const y = project({ script: Object.fromEntries(script), config: { jobs: 3 } });
    const disk = onDisk(`${y.root}/.git/objects`);
    const run = y.start('run', y.plan);
    for (const id of tasks) await y.seen(`${id}.at-work`);
    disk.fill(2 * mib);
    y.signal('full');
    await isHeldUp(y);
    expect((await y.ym('status')).stdout).toMatch(/ paused: .*the disk is full/);
    disk.empty();
    expect(await run.end()).toMatchObject({ code: 0 });
    await expectNoCost(y);
  });

  test('that becomes read-only holds up attempts, and doctor says so', async () => {
    const script = tasks.map((id) => [
      id,
      [[write(`${id}.txt`, `${id}\n`), touch(`${id}.begun`), waitFor('go')]],
    ]);
    const y = project({ config: { jobs: 1 }, script: Object.fromEntries(script) });
    const disk = onDisk(y.state);
    const run = y.start('run', y.plan);
    await y.seen('a.begun');
    disk.remount('ro');
    y.signal('go');
    await isHeldUp(y);
    const doctor = await y.ym('doctor');
    expect([doctor.code === 0, doctor.stdout]).toEqual([
      false,
      expect.stringMatching(/EROFS|read-only/i),
    ]);
    disk.remount('rw');
    expect(await run.end()).toMatchObject({ code: 0 });
  });

  test('that is nearly full lets nothing start until there is room; doctor names the place', async () => {
    const y = project();
    const disk = onDisk(y.state);
    disk.fill(mib / 2);
    expect((await y.ym('doctor')).stdout).toMatch(/worktrees disk .*nearly full/);
    const run = y.start('run', y.plan);
    await y.untilStatus(({ pausedSteps = [] }) => pausedSteps.length > 0, 'a paused start');
    expect((await y.ym('status')).stdout).toMatch(
      /nothing new starts: The disk of .* is nearly full/,
    );
    expect((await y.events()).some(({ type }) => type === 'attempt-started')).toBe(false);
    disk.empty();
    expect(await run.end()).toMatchObject({ code: 0 });
    await expectNoCost(y);
  });

  test.each([
    ['the target', 'never', '-z'],
    ['a branch', 'always', '-n'],
    ['a candidate', 'never', '-n'],
  ])(
    'that is full while the gate runs on %s delays its verdict until there is room',
    async (_, branch, subject) => {
      const gate = [
        `[ ${subject} "$YARD_TASK" ] || exit 0`,
        'touch "$STAGE/gate.begun"',
        'until [ -e "$STAGE/full" ]; do sleep 0.05; done',
        `head -c ${6 * mib} /dev/zero > built`,
      ];
      const y = project({
        // One after the other: no agent is at work while the disk is full.
        tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }, { id: 'c', after: ['b'] }],
        files: { 'gate.sh': `${gate.join('\n')}\n`, '.gitignore': 'built\n' },
        config: { jobs: 1, preflight: true, gate: { commands: ['sh gate.sh'], branch } },
      });
      const disk = onDisk(y.state);
      const run = y.startWith({ env: { STAGE: y.stage } }, 'run', y.plan);
      await y.seen('gate.begun');
      disk.fill(mib / 2);
      y.signal('full');
      await y.untilStatus(
        ({ pausedSteps = [] }) => pausedSteps.some(({ step }) => step === 'gate'),
        'a gate without a verdict',
      );
      expect((await y.ym('status')).stdout).toMatch(
        /(nothing new starts: |paused: )The disk of .* is nearly full/,
      );
      disk.empty();
      expect(await run.end()).toMatchObject({ code: 0 });
      await expectNoCost(y);
    },
  );
});

test('a branch of the user that is called like the folder of ours holds up attempts, and nothing else', async () => {
  const y = project();
  y.git('branch', 'yard');
  await passes(y, () => y.git('branch', '-D', 'yard'), /a ref or a lock is in the way/);
});

test('a program that git needs for files and cannot find holds up attempts', async () => {
  const y = project({ files: { 'a.bin': 'x\n', '.gitattributes': '*.bin filter=lfs\n' } });
  y.git('config', 'filter.lfs.process', 'git-lfs filter-process');
  y.git('config', 'filter.lfs.required', 'true');
  await passes(y, () => y.git('config', '--remove-section', 'filter.lfs'), /a program is missing/);
});

test('a deleted target that stays away ends the run with exit 3, and the next run finishes the work', async () => {
  const y = project();
  const tip = y.tip();
  y.git('checkout', '-q', '--detach');
  const script = tasks.map((id) => [
    id,
    [[write(`${id}.txt`, `${id}\n`), ...(id === 'a' ? [touch('begun'), waitFor('gone')] : [])]],
  ]);
  y.writeScript(Object.fromEntries(script));
  const run = y.start('run', y.plan, '--target', 'main', '--jobs', '1');
  await y.seen('begun');
  y.git('update-ref', '-d', 'refs/heads/main');
  y.signal('gone');
  const ended = await run.end();
  expect(ended.code).toBe(3);
  expect(ended.stdout).toMatch(/no branch "main" to land on/);
  expect((await y.status()).counts.quarantined).toBeUndefined();
  y.git('update-ref', 'refs/heads/main', tip);
  expect(await y.ym('resume')).toMatchObject({ code: 0 });
  await expectNoCost(y);
}, 240_000);
