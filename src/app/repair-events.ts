import type { ToldByFiles } from '../files/read-files.ts';
import type { AttemptFile, RunFile } from '../files/run-file.ts';
import { isLive } from '../model/attempt-state.ts';
import type { LandingCommit } from '../model/commit-message.ts';
import type { EventBody } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { hasEnded, type RunRecord } from '../model/run-record.ts';
import { newTask, type Task, type TaskId } from '../model/task.ts';
import { stateOf, type TaskRecord } from '../model/task-record.ts';

/** Facts that are known without the lost store. */
export interface Facts {
  readonly told: ToldByFiles;
  /** Oldest first. */
  readonly landings: readonly LandingCommit[];
  readonly branches: ReadonlySet<string>;
}

/** Records of the store that took the place of the lost one. */
export interface Known {
  readonly tasks: ReadonlyMap<TaskId, TaskRecord>;
  readonly runs: ReadonlyMap<string, RunRecord>;
}

export interface Moment {
  readonly at: number;
  readonly events: readonly EventBody[];
}

/** The failure of attempts whose end is in no record. */
const lost: Failure = { kind: 'interrupted', by: 'the loss of the records' };

/**
 * Events that add the facts from git and run files to the known records: tasks, runs, attempts and landings. Every attempt
 * and every run is over afterwards, so that no work is continued from an outdated state or done twice.
 */
export function eventsFrom(facts: Facts, known: Known, now: number): readonly Moment[] {
  return [
    { at: now, events: tasksFrom(facts, known) },
    ...facts.told.runs.filter(({ id }) => !known.runs.has(id)).map(runStart),
    ...facts.told.attempts.flatMap((attempt) => attemptFrom(attempt, facts, known)),
    ...facts.landings.flatMap((landing) => landingFrom(landing, facts, known, now)),
    { at: now, events: [...liveEnds(facts, known), ...runEnds(facts, known)] },
  ].filter(({ events }) => events.length > 0);
}

function tasksFrom({ told, landings }: Facts, { tasks }: Known): readonly EventBody[] {
  const added = new Map([...told.tasks].filter(([id]) => !tasks.has(id)));
  const groups = variantsIn(added, tasks);
  for (const { original, variants } of groups) {
    if (original !== undefined) added.set(original.id, original);
    for (const { id } of variants) added.delete(id);
  }
  const found = new Set(groups.flatMap(({ variants }) => variants.map(({ id }) => id)));
  // Of such a task only the commit message is left.
  for (const { tasks: ids, title } of landings) {
    for (const id of ids.filter((one) => !(added.has(one) || found.has(one) || tasks.has(one)))) {
      added.set(id, newTask({ id, title }));
    }
  }
  return [
    ...[...added.values()].map((task): EventBody => ({ type: 'task-added', task })),
    ...groups.map(({ variants }) => variantsAdded(variants, told)),
  ];
}

interface VariantGroup {
  /** The task of the variants, if it is not known. */
  readonly original: Task | undefined;
  readonly variants: readonly Task[];
}

/** Variants with their task. No agent worked on the task itself, so only the text of its variants may be left of it. */
function variantsIn(
  added: ReadonlyMap<TaskId, Task>,
  known: Known['tasks'],
): readonly VariantGroup[] {
  const groups = new Map<TaskId, Task[]>();
  for (const task of added.values()) {
    const { variantOf } = task;
    const record = known.get(variantOf ?? '');
    // Variants are made of a ready task only.
    if (variantOf === undefined || (record !== undefined && stateOf(record) !== 'ready')) continue;
    groups.set(variantOf, [...(groups.get(variantOf) ?? []), task]);
  }
  return [...groups].map(([id, variants]) => {
    const [first] = variants;
    if (known.has(id) || first === undefined) return { original: undefined, variants };
    const { variantOf: _variantOf, agent: _agent, ...text } = added.get(id) ?? first;
    // What it waited for had landed before its variants were made.
    return { original: { ...text, id, after: [] }, variants };
  });
}

/** The terms of the choice are lost, so a person chooses. */
function variantsAdded(variants: readonly Task[], { attempts, runs }: ToldByFiles): EventBody {
  const ids = variants.map(({ id }) => id);
  const [first] = attempts.filter(({ task }) => ids.includes(task));
  const run = first?.run ?? '';
  const base = first?.base ?? runs.find((one) => one.id === run)?.base ?? '';
  const id = variants[0]?.variantOf ?? '';
  return { type: 'variants-added', run, id, base, variants, choose: 'person' };
}

/** The file of a run does not hold all of its settings; those that no decision needs any more get their defaults. */
function runStart({ id, startedAt, jobs, target, base, agent, scope }: RunFile): Moment {
  const settings = {
    target,
    jobs,
    agent,
    scope,
    retries: limits.retriesDefault,
    quarantineAfter: limits.quarantineAfterDefault,
    slotErrors: limits.slotErrorsDefault,
    pool: jobs,
    gate: '',
  };
  const owner = { pid: 0, startedAt: '', host: '' };
  return { at: startedAt, events: [{ type: 'run-started', run: id, owner, base, settings }] };
}

/** Start and end of an attempt that the known records do not have, or only its end. */
function attemptFrom(file: AttemptFile, facts: Facts, { tasks }: Known): readonly Moment[] {
  const { run, task: id, attempt, slot, agent, branch, startedAt, endedAt } = file;
  const record = tasks.get(id);
  const isNew = attempt > (record?.attempts ?? 0);
  const isOpen = record?.attempt?.number === attempt && isLive(record.attempt.state);
  if (!(isNew || isOpen) || !(record !== undefined || facts.told.tasks.has(id))) return [];
  const of = { run, id, attempt };
  const start: EventBody = { type: 'attempt-started', ...of, slot, fence: 0, agent, branch };
  const ends = landed(facts, file)
    ? []
    : [{ at: endedAt ?? startedAt, events: endsOf(file, facts) }];
  return [...(isNew ? [{ at: startedAt, events: [start] }] : []), ...ends];
}

function landed({ landings }: Facts, { run, task, attempt }: AttemptFile): boolean {
  return landings.some((landing) => {
    return landing.run === run && landing.attempt === attempt && landing.tasks[0] === task;
  });
}

function endsOf(file: AttemptFile, { branches }: Facts): readonly EventBody[] {
  const { run, task: id, attempt, branch, commit, failure = lost } = file;
  if (file.outcome === 'delivered' && commit !== undefined) {
    const entries = [{ id, attempt, commit }];
    return [{ type: 'delivered', run, candidate: branch, how: 'branch', entries, branch }];
  }
  const kept = branches.has(branch) ? branch : undefined;
  const end: EventBody = { type: 'attempt-failed', run, id, attempt, failure, kept };
  if (file.outcome !== 'planned') return [end];
  const decision = { kind: 'skip', reason: `attempt ${attempt} filed other tasks` } as const;
  return [end, { type: 'task-decided', id, decision }];
}

function landingFrom(
  { commit, from, run, attempt, tasks: ids }: LandingCommit,
  { told }: Facts,
  { tasks }: Known,
  now: number,
): readonly Moment[] {
  const [id = ''] = ids;
  if (tasks.get(id)?.status.id === 'landed') return [];
  const file = told.attempts.find((one) => one.task === id && one.attempt === attempt);
  // That it claimed the other tasks is in no record, so each of them is an entry of its own.
  const entries = ids.map((one) => ({ id: one, attempt, commit: file?.commit ?? commit }));
  const event = { type: 'landed', run, candidate: commit, commit, from, entries } as const;
  return [{ at: file?.endedAt ?? now, events: [event] }];
}

/** Ends of attempts that are live in the known records and have no file. */
function liveEnds({ told, landings, branches }: Facts, { tasks }: Known): readonly EventBody[] {
  return [...tasks.values()].flatMap(({ task, attempt }): EventBody[] => {
    if (attempt === undefined || !isLive(attempt.state)) return [];
    const { run, number, branch } = attempt;
    const isTold = told.attempts.some((one) => one.task === task.id && one.attempt === number);
    const isLanded = landings.some((one) => one.tasks.includes(task.id) && one.run === run);
    if (isTold || isLanded) return [];
    const kept = branches.has(branch) ? branch : undefined;
    const of = { run, id: task.id, attempt: number };
    return [{ type: 'attempt-failed', ...of, failure: lost, kept }];
  });
}

function runEnds({ told }: Facts, { runs }: Known): readonly EventBody[] {
  const open = [...runs.values()].filter((run) => !hasEnded(run)).map(({ id }) => id);
  const files = told.runs.filter(({ id }) => !runs.has(id));
  return [
    ...open.map((run): EventBody => ({ type: 'run-ended', run, stop: { reason: 'died' } })),
    ...files.map(
      ({ id: run, stop }): EventBody => ({
        type: 'run-ended',
        run,
        stop: stop ?? { reason: 'died' },
      }),
    ),
  ];
}
