// Limits of time and memory. Machines differ and are busy, so it is processor time that is measured, all threads and
// children together; short commands are compared with the start of Node itself, in turns, and the least of several
// counts: noise only ever adds.

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { byHand, Landings, largeRepository, type Taken } from '../../../bench/landing.ts';
import { program } from '../../rig/child.ts';
import { tempFolder } from '../../rig/temp-folder.ts';
import {
  type PlanTask,
  planText,
  type TestProject,
  testProject,
  touch,
  waitFor,
  write,
} from '../../rig.ts';

const many = 10_000;
const timesNode = 2.8;
/** The view of a run under way needs more code than the counts alone. */
const timesNodeInRun = 4.6;
const timesNodeToFrame = 3.5;
const runsEach = 9;
const roundsMax = 10;
/** 1.2 s on a machine where Node starts in 16 ms. */
const timesNodeToPlan = 75;
const memoryKb = 150 * 1024;
const landingFiles = 10_000;
const timesMerge = 0.5;

/** Layers of a hundred; each task waits for two of the layer before. */
function layered(count: number): readonly PlanTask[] {
  const width = 100;
  return Array.from({ length: count }, (_, n) => {
    const above = n - width;
    const beside = above - (n % width) + ((n * 7) % width);
    const after = n < width ? [] : [...new Set([`task-${above}`, `task-${beside}`])];
    return { id: `task-${n}`, title: `Do number ${n}`, body: `What ${n} is about.`, after };
  });
}

const plan = planText(layered(many));

/** A project whose store holds the many tasks. */
async function fullProject(options: Parameters<typeof testProject>[0] = {}): Promise<TestProject> {
  const y = testProject(options);
  writeFileSync(y.plan, plan);
  expect(await y.ym('import', y.plan, '--quiet')).toMatchObject({ code: 0, stderr: '' });
  return y;
}

/** Processor time of a program until its end, in milliseconds, as the shell's own `time` has it. */
function msOf(args: readonly string[], cwd: string): number {
  const script = 'TIMEFORMAT="%3U %3S"; exec 3>&2; time "$@" >/dev/null 2>&3';
  const done = spawnSync('bash', ['-c', script, 'time', process.execPath, ...args], {
    cwd,
    encoding: 'utf8',
  });
  if (done.status !== 0) throw new Error(`${args.join(' ')}: ${done.stderr}`);
  const [user = Number.NaN, system = Number.NaN] = done.stderr.trim().split(' ').map(Number);
  return (user + system) * 1000;
}

/**
 * How many times as much as `node -e 0` a command takes. Where a round was disturbed, more rounds are taken into account;
 * the least of all tends to what either needs when it is alone.
 */
function ratioToNode(
  args: readonly string[],
  cwd: string,
  bound = timesNode,
  nodeOptions: readonly string[] = [],
): number {
  let node = Number.POSITIVE_INFINITY;
  let ym = Number.POSITIVE_INFINITY;
  for (let round = 0; round < roundsMax; round += 1) {
    for (let run = 0; run < runsEach; run += 1) {
      node = Math.min(node, msOf(['-e', '0'], cwd));
      ym = Math.min(ym, msOf([...nodeOptions, program, ...args], cwd));
    }
    console.log(`ym ${args.join(' ')}: ${ym.toFixed(0)} ms, node ${node.toFixed(0)} ms`);
    if (ym / node <= bound) break;
  }
  return ym / node;
}

beforeAll(() => {
  // The first start reads the files from the disk; it is nobody's.
  spawnSync(process.execPath, [program, '--version']);
});

test(`help is there within ${timesNode} times the start of Node`, () => {
  const y = testProject();
  expect(ratioToNode(['--help'], y.root)).toBeLessThanOrEqual(timesNode);
});

test(`the status of ${many} tasks is there within ${timesNode} times the start of Node`, async () => {
  const y = await fullProject();
  expect((await y.ym('status')).stdout).toContain('9900 open');
  expect(ratioToNode(['status'], y.root)).toBeLessThanOrEqual(timesNode);
});

test.each([
  { scope: ['--only', 'task-0'], others: '9999 other open tasks' },
  { scope: ['--except', 'task-99'], others: '1 other open task' },
])(
  `the status of a run with $scope among ${many} is there within ${timesNodeInRun} times the start of Node`,
  async ({ scope, others }) => {
    const work = [touch('working'), waitFor('go'), write('a.txt', 'a\n')];
    const y = await fullProject({ script: { 'task-0': [work] } });
    const run = y.start('run', ...scope, '--jobs', '1', '--quiet');
    await y.seen('working');
    expect((await y.ym('status')).stdout).toContain(others);
    expect(ratioToNode(['status'], y.root, timesNodeInRun)).toBeLessThanOrEqual(timesNodeInRun);
    expect((await y.ym('stop')).code).toBe(0);
    y.signal('go');
    await run.end();
    expect(y.landings()).toEqual({ 'task-0': 1 });
  },
);

/** Loaded into the program: standard input and output look like a terminal, and the first frame ends it. */
const frameHook = `const { stdin, stdout, env } = process;
env.TERM = 'xterm';
Object.assign(stdin, { isTTY: true, setRawMode: () => stdin });
Object.assign(stdout, { isTTY: true, columns: 160, rows: 50 });
const write = stdout.write.bind(stdout);
stdout.write = (text) => (String(text).includes('SLOTS 1 of') ? process.reallyExit(0) : write(text));
setTimeout(() => process.reallyExit(9), 30_000);
`;

test(`the first frame of ym watch is there within ${timesNodeToFrame} times the start of Node`, async () => {
  const work = [touch('working'), waitFor('go'), write('a.txt', 'a\n')];
  const y = testProject({ tasks: [{ id: 'a' }], script: { a: [work] } });
  const run = y.start('run', y.plan, '--quiet');
  await y.seen('working');
  const hook = join(y.stage, 'frame.cjs');
  writeFileSync(hook, frameHook);
  const ratio = ratioToNode(['watch'], y.root, timesNodeToFrame, ['--require', hook]);
  expect(ratio).toBeLessThanOrEqual(timesNodeToFrame);
  y.signal('go');
  expect(await run.end()).toMatchObject({ code: 0 });
});

/** Loaded into the program: at its end it notes the modules of Node that were loaded. */
const modulesHook = `process.on('exit', () => {
  require('node:fs').writeFileSync(process.env.MODULES_FILE, process.moduleLoadList.join('\\n'));
});
`;

test('help and status load no module of Node that takes longer than they do', async () => {
  const y = testProject();
  const hook = join(y.stage, 'modules.cjs');
  const file = join(y.stage, 'modules');
  writeFileSync(hook, modulesHook);
  const env = { NODE_OPTIONS: `--require=${hook}`, MODULES_FILE: file };
  for (const command of ['--help', 'status']) {
    expect(await y.ymWith({ env }, command)).toMatchObject({ code: 0, stderr: '' });
    const loaded = readFileSync(file, 'utf8').split('\n');
    expect(loaded).toContain('NativeModule fs');
    for (const slow of ['crypto', 'child_process', 'fs/promises', 'http', 'worker_threads']) {
      expect(loaded).not.toContain(`NativeModule ${slow}`);
    }
  }
});

test(`${many} tasks are imported and planned within ${timesNodeToPlan} times the start of Node`, async () => {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 6 && least > timesNodeToPlan; round += 1) {
    const y = testProject();
    writeFileSync(y.plan, plan);
    const node = Math.min(...Array.from({ length: 3 }, () => msOf(['-e', '0'], y.root)));
    const took = msOf([program, 'import', y.plan], y.root) + msOf([program, 'plan'], y.root);
    console.log(`import and plan: ${took.toFixed(0)} ms, Node: ${node.toFixed(0)} ms`);
    expect((await y.ym('plan')).stdout).toContain('task-9999');
    least = Math.min(least, took / node);
  }
  expect(least).toBeLessThanOrEqual(timesNodeToPlan);
});

/** Loaded into the program: at its end it notes the most memory that it ever had resident. */
const peakHook = `import { readFileSync, writeFileSync } from 'node:fs';
const file = process.env.PEAK_FILE;
delete process.env.PEAK_FILE;
delete process.env.NODE_OPTIONS;
process.on('exit', () => {
  writeFileSync(file, /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
});
`;

test(`the engine of a run among ${many} tasks stays below ${memoryKb / 1024} MB`, async () => {
  const y = await fullProject({
    config: {
      agent: 'shell',
      agents: {
        shell: {
          use: 'command',
          command: ['sh', '-c', 'echo > "$YARD_TASK"; yes | head -c 5000000'],
        },
      },
    },
  });
  const hook = join(y.stage, 'peak.mjs');
  const file = join(y.stage, 'peak');
  writeFileSync(hook, peakHook);
  const env = { NODE_OPTIONS: `--import=${hook}`, PEAK_FILE: file };
  const only = Array.from({ length: 8 }, (_, n) => ['--only', `task-${n}`]).flat();
  const run = await y.ymWith({ env }, 'run', ...only, '--jobs', '4', '--quiet');
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(y.landed()).toHaveLength(8);
  const peak = Number(readFileSync(file, 'utf8'));
  console.log(`peak of the engine: ${(peak / 1024).toFixed(0)} MB`);
  expect(peak).toBeLessThanOrEqual(memoryKb);
});

const scratch: string[] = [];
afterEach(() => {
  for (const dir of scratch.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** Of steps this short only the sum of their processor time means anything. */
const sumOf = (times: readonly Taken[]): number =>
  times.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / times.length;

test(`a queued branch lands, but for its gate, within ${timesMerge} of a merge by hand in ${landingFiles} files, however many wait`, async () => {
  const base = tempFolder();
  scratch.push(base);
  const [hand, dir] = [join(base, 'hand'), join(base, 'ours')];
  await largeRepository(hand, landingFiles);
  const files = await largeRepository(dir, landingFiles);
  spawnSync('git', ['branch', 'elsewhere'], { cwd: dir });
  const merge = await byHand(hand, files);
  await merge();
  for (const queue of [1, 30]) {
    const wish = { dir, scratch: join(base, 'yard'), files, queue, target: 'elsewhere' };
    const landings = await Landings.open(wish);
    await landings.next();
    const [ours, theirs]: [Taken[], Taken[]] = [[], []];
    for (let round = 0; round < 3; round += 1) {
      for (let run = 0; run < 6; run += 1) {
        theirs.push(await merge());
        ours.push(await landings.next());
      }
      if (sumOf(ours) <= sumOf(theirs) * timesMerge) break;
    }
    await landings.close();
    const told = `${sumOf(ours).toFixed(1)} ms, merge ${sumOf(theirs).toFixed(1)} ms`;
    console.log(`landing with ${queue} waiting: ${told}`);
    expect(sumOf(ours) / sumOf(theirs)).toBeLessThanOrEqual(timesMerge);
  }
});

const watchShare = 0.03;
const watchMb = 90;

/** Result of the benchmark of `ym watch`; `bench/` has no types. */
interface Watched {
  readonly cpuShare: number;
  readonly peakMb: number;
}

test(`ym watch takes ${watchShare * 100} % of a core and ${watchMb} MB at most while sixteen agents print`, async () => {
  const base = tempFolder();
  scratch.push(base);
  const bench = (file: string): string => new URL(`../../../bench/${file}`, import.meta.url).href;
  const { makeRepository } = await import(bench('yard.mjs'));
  const { measureWatch } = await import(bench('watch.mjs'));
  const repository: string = makeRepository(join(base, 'repository'), 100);
  let [share, mb] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 4 && (share > watchShare || mb > watchMb); round += 1) {
    const [row]: readonly Watched[] = await measureWatch(base, repository, 0);
    share = Math.min(share, row?.cpuShare ?? share);
    mb = Math.min(mb, row?.peakMb ?? mb);
    console.log(`ym watch: ${(share * 100).toFixed(1)} % of a core, ${mb.toFixed(0)} MB`);
  }
  expect(share).toBeLessThanOrEqual(watchShare);
  expect(mb).toBeLessThanOrEqual(watchMb);
});
