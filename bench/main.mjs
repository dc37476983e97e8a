// The benchmark: `npm run bench`. Every figure is compared with a baseline that ran in the same rounds.
//
//   BENCH_ROUNDS=2   fewer rounds than five
//   BENCH_ONLY=tasks,steps,makespan,commands,memory,watch,turns,sandbox,set-up,claims,scale,train-sim,schedule
//   BENCH_CORPORA=50   fewer corpora than 400 for the simulated train, and than 100 for the simulated order
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureClaims } from './claims.mjs';
import { measureCommands, measureMemory } from './commands.mjs';
import { measureLanding } from './landing.mjs';
import { measureMakespan } from './makespan.mjs';
import { measureSandbox } from './sandbox.mjs';
import { measureScale } from './scale.mjs';
import { measureScheduleSim } from './schedule/schedule.mjs';
import { measureSetUp } from './set-up.mjs';
import { measureSteps } from './steps.mjs';
import {
  claimTable,
  commandTable,
  landingTable,
  makespanTable,
  memoryTable,
  sandboxTable,
  scaleTable,
  setUpTable,
  stepTable,
  taskTable,
  turnTable,
  watchTable,
} from './tables.mjs';
import { measureTasks } from './tasks.mjs';
import { measureTrainSim } from './train/train.mjs';
import { measureTurns } from './turns.mjs';
import { measureWatch } from './watch.mjs';
import { git, makeRepository } from './yard.mjs';

const count = Number(process.env.BENCH_ROUNDS ?? 5);
const corpora = Number(process.env.BENCH_CORPORA ?? 400);
const only = process.env.BENCH_ONLY?.split(',');
if (process.argv.length > 2) {
  console.error('The benchmark takes no arguments. BENCH_ONLY names what it measures.');
  process.exit(2);
}
const results = fileURLToPath(new URL('results/', import.meta.url));

/** Disks differ and are shared; memory is the same everywhere. */
const memory = '/dev/shm';
const scratch = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'ym-bench-'));

const machine = {
  cores: availableParallelism(),
  node: process.version,
  git: git(scratch, 'version').replace('git version ', ''),
  rounds: count,
};

try {
  // A person's own settings of git would change what is measured.
  process.env.GIT_CONFIG_GLOBAL = '/dev/null';
  process.env.GIT_CONFIG_NOSYSTEM = '1';
  const small = { files: 100, tasks: 24, dir: makeRepository(join(scratch, 'small'), 100) };
  const large = { files: 10_000, tasks: 12, dir: makeRepository(join(scratch, 'large'), 10_000) };
  const parts = {
    tasks: () => [measureTasks(scratch, [small, large], count), taskTable],
    steps: () => [measureSteps(scratch, [small, large], count), stepTable],
    landing: async () => [await measureLanding(scratch, count), landingTable],
    makespan: () => [measureMakespan(scratch, small.dir, Math.min(count, 3)), makespanTable],
    commands: () => [measureCommands(scratch, small.dir, count), commandTable],
    memory: () => [measureMemory(scratch, small.dir, count), memoryTable],
    watch: async () => [await measureWatch(scratch, small.dir, count), watchTable],
    turns: async () => [await measureTurns(scratch, count), turnTable],
    sandbox: async () => [await measureSandbox(scratch, count), sandboxTable],
    'set-up': async () => [await measureSetUp(Math.min(count, 3)), setUpTable],
    claims: async () => [await measureClaims(scratch, Math.min(count, 3)), claimTable],
    scale: async () => [await measureScale(scratch, small.dir), scaleTable],
    'train-sim': () => measureTrainSim(scratch, corpora),
    schedule: () => measureScheduleSim(scratch, Math.min(corpora, 100)),
  };
  const figures = { machine };
  console.log(
    `${machine.cores} cores, Node ${machine.node}, git ${machine.git}, ${count} rounds\n`,
  );
  for (const [name, measure] of Object.entries(parts)) {
    if (only !== undefined && !only.includes(name)) continue;
    const [rows, show] = await measure();
    figures[name] = rows;
    console.log(show(rows));
  }
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, 'latest.json'), `${JSON.stringify(figures, null, 2)}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
