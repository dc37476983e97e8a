// Runs a corpus with the built program and says what it took.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type TestProject, testProject, until } from '../../rig.ts';
import type { Corpus } from './branches.ts';
import { expectNoHalfDoneMerge } from './half-done.ts';
import { gateCommand, projectFiles } from './project.ts';

export interface GateRuns {
  readonly branch: number;
  readonly candidate: number;
  readonly target: number;
  readonly total: number;
  readonly perLanded?: number;
  readonly abandoned: number;
}

export interface Measured {
  readonly landed: readonly string[];
  readonly gateRuns: GateRuns;
  /** Landed tasks for each gate of a candidate. */
  readonly yield: number;
  /** How often the suite really ran. */
  readonly ran: number;
  readonly seconds: number;
}

export interface Settings {
  readonly gate?: Readonly<Record<string, unknown>>;
  readonly train?: Readonly<Record<string, unknown>>;
  /** How long the suite takes beyond its tests. */
  readonly gateMs?: number;
  readonly config?: Readonly<Record<string, unknown>>;
  /** Whether every value that the target had is judged again; it is unless this says no. */
  readonly rejudge?: boolean;
}

export function tell(what: string, measured: Measured): void {
  const { landed, gateRuns, yield: rate, ran, seconds } = measured;
  const { branch, candidate, target, abandoned } = gateRuns;
  console.log(
    `${what}: ${landed.length} landed; gates: ${candidate} of candidates, ${branch} of branches, ` +
      `${target} of the target, ${abandoned} abandoned; the suite ran ${ran} times; ` +
      `${rate.toFixed(2)} landed for each gate of a candidate; ${seconds} s`,
  );
}

export const corpusProject = (
  { tasks, script, families }: Corpus,
  settings: Settings,
): TestProject =>
  testProject({
    files: projectFiles(families),
    tasks,
    script,
    leaves: ['branches'],
    config: {
      gate: { commands: [gateCommand], reruns: 0, ...settings.gate },
      jobs: 16,
      train: settings.train,
      ...settings.config,
    },
  });

/** The environment in which the suite notes its runs. */
export const noted = (y: TestProject, gateMs = 0): Readonly<Record<string, string>> => ({
  STAGE: y.stage,
  CHECKOUT: y.root,
  GATE_MS: String(gateMs),
});

/** How often the suite really ran, as it noted itself. */
export function runsOf(y: TestProject): number {
  const file = join(y.stage, 'gate-runs');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

/** The most runs of the suite that went on at one time, as they noted themselves. */
export function mostAtOnce(y: TestProject): number {
  const notes = readFileSync(join(y.stage, 'gates-at-once'), 'utf8').trimEnd().split('\n');
  let [now, most] = [0, 0];
  for (const note of notes) {
    now += note === 'begins' ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
}

export async function gateRunsOf(y: TestProject): Promise<GateRuns> {
  return JSON.parse((await y.ym('summary', '--json')).stdout).gateRuns;
}

/** A whole corpus on a machine that has other things to do as well. */
const runMs = 240_000;

/** Plays a corpus to its end and holds it against all that must be true of any. */
export async function play(corpus: Corpus, settings: Settings): Promise<Measured> {
  const y = corpusProject(corpus, settings);
  const began = performance.now();
  const child = y.startWith({ env: noted(y, settings.gateMs) }, 'run', y.plan);
  await until(() => child.isOver(), child.stdout, runMs);
  const run = await child.end();
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  expect(run).toMatchObject({ code: corpus.hopeless.length === 0 ? 0 : 1, stderr: '' });
  const landed = y.landed();
  await expectAccounted(y, corpus, landed);
  if (settings.rejudge !== false) expect(y.reflogGreen('main', gateCommand).red).toEqual([]);
  expectNoHalfDoneMerge(y);
  const gateRuns = await gateRunsOf(y);
  const ran = runsOf(y);
  return { landed, gateRuns, yield: landed.length / gateRuns.candidate, ran, seconds };
}

/** Everything landed once but for those that nobody fixes, and those say why. */
async function expectAccounted(
  y: TestProject,
  corpus: Corpus,
  landed: readonly string[],
): Promise<void> {
  const { tasks } = await y.status();
  const stuck = tasks.filter(({ state }) => state !== 'landed');
  expect(new Set(landed).size, 'nothing lands twice').toBe(landed.length);
  expect(landed.length + stuck.length).toBe(corpus.tasks.length);
  for (const { id, state, failure } of stuck) {
    expect({ id, state, kind: failure?.kind }).toMatchObject({
      state: 'blocked',
      kind: 'returned-too-often',
    });
  }
  const missing = corpus.hopeless.map((set) => set.filter((id) => !landed.includes(id)));
  expect(missing.map(({ length }) => length)).toEqual(corpus.hopeless.map(() => 1));
  expect(stuck.map(({ id }) => id).sort()).toEqual(missing.flat().sort());
}
