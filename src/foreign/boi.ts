import { z } from 'zod';
import type {
  ForeignOutcome,
  ForeignProblem,
  ForeignRun,
  ForeignTask,
  ForeignTurn,
} from '../model/foreign-run.ts';
import { parseJson } from '../model/shape.ts';
import type { Usage } from '../model/turn.ts';
import { count, firstLine, optional, outcomeOf, text, time } from './record.ts';

/*
 * Runs of boi: one for each spec of its database. The first generation keeps `specs`, `tasks`, `phase_runs` and
 * `iterations`; the second one `spec_runtime`, `task_runtime`, `task_deps` and `phase_runs`. Columns were added over
 * time, so every one but the keys may be absent.
 */

type Row = Readonly<Record<string, unknown>>;

/** Rows of the tables that a run is made of; a table that the database does not have is empty. */
export interface BoiTables {
  readonly specs: readonly Row[];
  readonly spec_runtime: readonly Row[];
  readonly tasks: readonly Row[];
  readonly task_runtime: readonly Row[];
  readonly task_deps: readonly Row[];
  readonly phase_runs: readonly Row[];
  readonly iterations: readonly Row[];
}

export const boiTables = [
  'specs',
  'spec_runtime',
  'tasks',
  'task_runtime',
  'task_deps',
  'phase_runs',
  'iterations',
] as const satisfies readonly (keyof BoiTables)[];

const amount = z.number({ error: 'a number' }).min(0, { error: 'a number from 0' });

const specRow = z.object({
  id: text,
  title: optional(text),
  status: optional(text),
  queued_at: optional(time),
  started_at: optional(time),
  completed_at: optional(time),
  worker_id: optional(text),
  error: optional(text),
  failure_reason: optional(text),
  cancellation_reason: optional(text),
});
type Spec = z.output<typeof specRow>;

const taskRow = z.object({
  id: text,
  title: optional(text),
  status: text,
  depends: optional(text),
  error: optional(text),
});

const phaseRow = z.object({
  task_id: optional(text),
  phase: text,
  outcome: optional(text),
  verdict: optional(text),
  duration_ms: optional(amount),
  cost_usd: optional(amount),
  input_tokens: optional(count),
  output_tokens: optional(count),
  cache_read_tokens: optional(count),
  cache_creation_tokens: optional(count),
  tokens_in: optional(count),
  tokens_out: optional(count),
  model: optional(text),
  runtime: optional(text),
  provider: optional(text),
  worker_id: optional(text),
  synopsis: optional(text),
  started_at: time,
  completed_at: optional(time),
});
type Phase = z.output<typeof phaseRow>;

const iterationRow = z.object({
  iteration: count,
  phase: optional(text),
  worker_id: optional(text),
  started_at: optional(time),
  ended_at: optional(time),
  exit_code: optional(z.int({ error: 'a whole number' })),
});

const outcomes: Readonly<Record<string, ForeignOutcome>> = {
  passed: 'done',
  passing: 'done',
  pass: 'done',
  proceed: 'done',
  success: 'done',
  approve: 'done',
  approved: 'done',
  completed: 'done',
  done: 'done',
  ok: 'done',
  redo: 'rejected',
  requeue: 'rejected',
  retry: 'rejected',
  rejected: 'rejected',
  'merge-conflict': 'not-merged',
  blocked: 'error',
  fail: 'error',
  failed: 'error',
  failure: 'error',
  error: 'error',
  timeout: 'error',
  'timed-out': 'error',
  crashed: 'error',
  cancelled: 'canceled',
  canceled: 'canceled',
  running: 'incomplete',
};

const endedStates = ['completed', 'failed', 'cancelled', 'canceled'];

/** Names of the specs in the database, in the order of its rows. */
export function boiSpecs({ specs, spec_runtime }: BoiTables): readonly string[] {
  const ids = [...specs.map(({ id }) => id), ...spec_runtime.map(({ spec_id }) => spec_id)];
  return [...new Set(ids.filter((id) => typeof id === 'string'))];
}

/** Reads the rows of one spec. `file` is the name of the database in messages. */
export function boiRun(file: string, id: string, tables: BoiTables): ForeignRun {
  const problems: ForeignProblem[] = [];
  const rows = <S extends z.ZodType>(table: keyof BoiTables, schema: S) => {
    const own = tables[table].filter((row) => (row.spec_id ?? row.id) === id);
    return own.flatMap((row, at): z.output<S>[] => {
      const read = schema.safeParse(row);
      if (read.success) return [read.data];
      problems.push({ file, problem: rowProblem(table, at, read.error) });
      return [];
    });
  };
  const runtime = { ...tables.spec_runtime.find(({ spec_id }) => spec_id === id), id };
  const merged = { ...tables.specs.find((row) => row.id === id), ...runtime };
  const read = specRow.safeParse(merged);
  if (!read.success) problems.push({ file, problem: rowProblem('specs', 0, read.error) });
  const spec: Spec = read.success ? read.data : { id };
  const tasks = [...rows('tasks', taskRow).map(taskOf), ...newTasks(id, tables)];
  const phases = rows('phase_runs', phaseRow);
  const turns =
    phases.length > 0
      ? phases.map((phase, at) => phaseTurn(phase, at + 1, spec))
      : rows('iterations', iterationRow).map((one) => iterationTurn(one, spec));
  turns.sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
  const hasEnded = endedStates.includes(spec.status ?? '');
  const reason = spec.error ?? spec.failure_reason ?? spec.cancellation_reason;
  return {
    tool: 'boi',
    id,
    title: spec.title,
    startedAt: spec.started_at ?? turns[0]?.startedAt ?? spec.queued_at,
    endedAt: hasEnded ? spec.completed_at : undefined,
    stop: hasEnded ? spec.status : undefined,
    stopNote: reasonText(reason),
    lanes: [...new Set(turns.map(({ lane }) => lane))].map((lane) => ({ id: lane })),
    turns,
    tasks,
    notes: [],
    problems,
  };
}

function rowProblem(table: string, at: number, { issues }: z.ZodError): string {
  const [issue] = issues;
  const column = issue?.path.map(String).join('.') ?? '';
  return `row ${at + 1} of the table ${table} cannot be read: "${column}" is not ${issue?.message ?? 'valid'}`;
}

function laneOf(worker: string | undefined, spec: Spec): string {
  return worker ?? spec.worker_id ?? 'boi';
}

function phaseTurn(phase: Phase, number: number, spec: Spec): ForeignTurn {
  const { task_id, started_at, completed_at, duration_ms } = phase;
  const word = phase.outcome ?? verdictWord(phase.verdict);
  const isOpen = completed_at === undefined && (word === undefined || word === 'running');
  const isCanceled = /^cancell?ed$/.test(spec.status ?? '');
  const took = completed_at === undefined ? undefined : Math.max(0, completed_at - started_at);
  return {
    lane: laneOf(phase.worker_id, spec),
    number,
    phase: phase.phase,
    coClaims: [],
    startedAt: started_at,
    outcome: isOpen
      ? isCanceled
        ? 'canceled'
        : 'incomplete'
      : word === undefined
        ? 'unknown'
        : outcomeOf(outcomes, word),
    task: task_id,
    endedAt: completed_at,
    ms: duration_ms === undefined ? took : Math.round(duration_ms),
    word,
    note: isOpen ? 'no end recorded' : firstLine(phase.synopsis),
    agent: phase.runtime ?? phase.provider,
    model: phase.model,
    usage: usageOf(phase),
  };
}

function usageOf(phase: Phase): Usage | undefined {
  const [input, output] = [
    phase.input_tokens ?? phase.tokens_in,
    phase.output_tokens ?? phase.tokens_out,
  ];
  if (input === undefined && output === undefined) return undefined;
  return {
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: phase.cache_read_tokens ?? 0,
    cacheWrite: phase.cache_creation_tokens ?? 0,
    costUsd: phase.cost_usd,
  };
}

function iterationTurn(one: z.output<typeof iterationRow>, spec: Spec): ForeignTurn {
  const { iteration, phase, worker_id, started_at, ended_at, exit_code } = one;
  const ms = started_at === undefined || ended_at === undefined ? undefined : ended_at - started_at;
  const outcome = ended_at === undefined ? 'incomplete' : exit_code === 0 ? 'done' : 'error';
  return {
    lane: laneOf(worker_id, spec),
    number: iteration,
    coClaims: [],
    outcome: ended_at !== undefined && exit_code === undefined ? 'unknown' : outcome,
    phase,
    startedAt: started_at,
    endedAt: ended_at,
    ms: ms === undefined ? undefined : Math.max(0, ms),
    word: exit_code === undefined ? undefined : `exit ${exit_code}`,
  };
}

function taskOf({ id, title, status, depends, error }: z.output<typeof taskRow>): ForeignTask {
  const after = jsonOf(depends);
  return {
    id,
    state: status,
    after: Array.isArray(after) ? after.filter((one) => typeof one === 'string') : [],
    title,
    note: reasonText(error),
  };
}

/** Tasks of the second generation, whose dependencies are in a table of their own. */
function newTasks(spec: string, { task_runtime, task_deps }: BoiTables): readonly ForeignTask[] {
  return task_runtime.flatMap((row): ForeignTask[] => {
    const { task_id: id, state, blocked_reason } = row;
    if (row.spec_id !== spec || typeof id !== 'string' || typeof state !== 'string') return [];
    const after = task_deps.flatMap(({ task_id, depends_on, depends_on_task_id }) => {
      const on = depends_on ?? depends_on_task_id;
      return task_id === id && typeof on === 'string' ? [on] : [];
    });
    const note = typeof blocked_reason === 'string' ? reasonText(blocked_reason) : undefined;
    return [{ id, state, after, note }];
  });
}

/** The outcome in a stored verdict: a word, or the name of the only key of a map. */
function verdictWord(verdict: string | undefined): string | undefined {
  const outcome = fieldOf(jsonOf(verdict), 'outcome');
  if (typeof outcome === 'string') return outcome;
  const type = fieldOf(outcome, 'type');
  if (typeof type === 'string') return type;
  return typeof outcome === 'object' && outcome !== null ? Object.keys(outcome)[0] : undefined;
}

/** A stored reason in one line: older databases hold a plain text, newer ones a map with a kind and its facts. */
function reasonText(stored: string | undefined): string | undefined {
  const value = jsonOf(stored);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return firstLine(stored);
  const [[name, inner] = ['', null]] = Object.entries(value);
  const facts = typeof inner === 'object' && inner !== null ? inner : value;
  const kind = facts === value ? (fieldOf(value, 'kind') ?? fieldOf(value, 'type') ?? '') : name;
  const shown = Object.entries(facts).flatMap(([key, fact]) =>
    key === 'kind' || key === 'type' || fact === null || typeof fact === 'object'
      ? []
      : [`${key} ${String(fact)}`],
  );
  return firstLine([String(kind), shown.join(', ')].filter((part) => part !== '').join(': '));
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}

function jsonOf(stored: string | undefined): unknown {
  return stored === undefined ? undefined : parseJson(stored);
}
