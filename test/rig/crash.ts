// Yards in which `ym` is killed, again and again, and what must be true in the end all the same.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Ended, TestProject, type TestProjectOptions } from '../rig.ts';

/** How often a run is taken up again before something is wrong. */
const resumesMax = 4;
export const retries = 2;

/**
 * An agent in a few lines of shell, so that hundreds of runs stay quick. It notes its start and, when its work is done,
 * its effect, both outside of the worktree, where nothing that git does can hide one. By default it adds a line to a
 * file named after its task and leaves the commit to the engine; a file `act-<task>-<turn>` on the stage says otherwise.
 */
const agentScript = `stage=$HOME/../stage
me="$YARD_TASK $YARD_ATTEMPT $YARD_TURN"
echo "$me" >> "$stage/starts"
if [ -e "$stage/act-$YARD_TASK-$YARD_TURN" ]; then . "$stage/act-$YARD_TASK-$YARD_TURN"
else echo "$YARD_TASK" >> "$YARD_TASK.txt"
fi
echo "$me" >> "$stage/effects"
`;

export interface CrashPlan {
  readonly tasks: readonly string[];
  /** Shell for the agent of a task and turn, by `<task>-<turn>`. */
  readonly acts?: Readonly<Record<string, string>>;
  readonly options?: TestProjectOptions;
}

/** A project that the caller has to end, with the shell agent as its agent. */
export function crashProject({ tasks, acts = {}, options = {} }: CrashPlan): TestProject {
  const project = new TestProject({
    ...options,
    tasks: tasks.map((id) => ({ id })),
    files: { 'agent.sh': agentScript, ...options.files },
    config: {
      agent: 'shell',
      agents: { shell: { use: 'command', command: ['sh', 'agent.sh'] } },
      jobs: 2,
      retries,
      ...options.config,
    },
  });
  for (const [name, shell] of Object.entries(acts)) {
    writeFileSync(join(project.stage, `act-${name}`), shell);
  }
  return project;
}

/** What the agents noted: one line for each start, and one for each that came to its end. */
export function notesOf(project: TestProject, file: 'starts' | 'effects'): readonly string[] {
  const path = join(project.stage, file);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

export const crashAt = (step: number): Record<string, string> => ({
  YARDMASTER_CRASH_AT: String(step),
});

export const wasKilled = ({ signal }: Ended): boolean => signal === 'SIGKILL';

/**
 * Does what the documentation says after a crash, and nothing else: `ym resume`, and `ym run` where no run had come to
 * be. The steps say where the first tries are killed in turn. Returns the end of the last one.
 */
export async function recover(
  project: TestProject,
  crashes: readonly number[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  for (let tries = 0; tries < resumesMax; tries += 1) {
    const step = crashes[tries];
    const call = { env: step === undefined ? env : { ...env, ...crashAt(step) } };
    const resumed = await project.ymWith(call, 'resume');
    if (wasKilled(resumed)) continue;
    if (resumed.code === 0 || !resumed.stderr.includes('no run')) return resumed;
    const again = await project.ymWith(call, 'run', project.plan);
    if (!wasKilled(again)) return again;
  }
  throw new Error(`The run did not end in ${resumesMax} tries`);
}

/**
 * What holds after any crash: each task landed once in git and once in the log, no agent's work was done twice, every
 * value of the branch is green, the person's checkout is clean, the tables are what the log says.
 */
export async function expectWhole(project: TestProject, tasks: readonly string[]): Promise<void> {
  const once = Object.fromEntries(tasks.map((id) => [id, 1]));
  expect(project.landings(), 'landing commits').toEqual(once);
  const landed = (await project.events()).flatMap((event) =>
    event.type === 'landed' ? event.entries.map((entry) => entry.id) : [],
  );
  expect([...landed].sort(), 'landed events').toEqual([...tasks].sort());
  await expectSound(project, tasks.length);
}

/** The same for one task with this many variants: one of them landed, and the task with it. */
export async function expectOneVariant(
  project: TestProject,
  id: string,
  count: number,
): Promise<void> {
  const landed = (await project.events()).flatMap((event) =>
    event.type === 'landed' ? event.entries : [],
  );
  expect(landed, 'landed events').toHaveLength(1);
  const variant = landed[0]?.id ?? '';
  expect(variant).toMatch(new RegExp(`^${id}\\.v\\d$`));
  expect(project.landings(), 'landing commits').toEqual({ [`${variant},${id}`]: 1 });
  await expectSound(project, count);
}

async function expectSound(project: TestProject, workers: number): Promise<void> {
  const starts = notesOf(project, 'starts');
  expect(new Set(starts).size, `no turn is started twice: ${starts}`).toBe(starts.length);
  expect(starts.length, 'agent starts').toBeLessThanOrEqual(workers * (1 + retries));
  expect(project.reflogGreen().red, 'values of main that are red').toEqual([]);
  expect(project.git('status', '--porcelain'), 'the checkout').toBe('');
  const differences = await project.readStore((store) => store.audit());
  expect(differences, 'records that differ from the log').toEqual([]);
}

/** A run with more steps than this is another run than the one that is meant here. */
const stepsMax = 150;
interface Cycle {
  readonly plan: CrashPlan | (() => Promise<CrashPlan>);
  readonly step: number;
  /** Steps of the recovery at which it is killed as well. */
  readonly again?: readonly number[];
  readonly starts?: number;
  /** Variants of the only task of the plan; an ordinary task if absent. */
  readonly variants?: number;
}

/** One whole life: killed at the step, recovered, looked at. False where the run ended before it came to the step. */
async function isKilledAndWhole({
  plan: planned,
  step,
  again = [],
  starts,
  variants,
}: Cycle): Promise<boolean> {
  const plan = typeof planned === 'function' ? await planned() : planned;
  const project = crashProject(plan);
  const where = `killed at step ${step}${again.map((other) => `, then at ${other}`).join('')}`;
  try {
    const run = await project.ymWith({ env: crashAt(step) }, 'run', project.plan);
    const killed = wasKilled(run);
    const end = killed ? await recover(project, again) : run;
    expect(end, where).toMatchObject({ code: 0, stderr: '' });
    if (variants === undefined) await expectWhole(project, plan.tasks);
    else await expectOneVariant(project, plan.tasks[0] ?? '', variants);
    if (starts !== undefined) expect(notesOf(project, 'starts')).toHaveLength(starts);
    expect(await project.dispose(), where).toEqual([]);
    return killed;
  } catch (error) {
    await project.dispose();
    throw new Error(`${where}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** Every `stride`th step from `first` on, until a run has no such step; returns how many runs were killed. */
export async function everyStep(
  first: number,
  stride: number,
  cycle: Omit<Cycle, 'step'> & { readonly againAt?: (step: number) => readonly number[] },
): Promise<number> {
  let kills = 0;
  for (let step = first; ; step += stride) {
    if (step > stepsMax) throw new Error(`A run with more than ${stepsMax} steps`);
    const again = cycle.againAt?.(step) ?? [];
    if (!(await isKilledAndWhole({ ...cycle, step, again }))) return kills;
    kills += 1;
  }
}

export const oneTask: CrashPlan = { tasks: ['a'] };
