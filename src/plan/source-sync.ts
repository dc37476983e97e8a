import type { Attempt } from '../model/attempt.ts';
import type { Command } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import { limits } from '../model/limits.ts';
import type { Records } from '../model/records.ts';
import type { RunRecord } from '../model/run-record.ts';
import type { SourceChange } from '../model/source-change.ts';
import type { TaskRecord } from '../model/task-record.ts';
import { backoffMs } from './accounts.ts';
import { sourceStateOf } from './source-state.ts';
import type { State } from './state.ts';

interface SyncCommands {
  readonly commands: readonly Command[];
  /** Time of the next try after trouble. */
  readonly wakeAt?: number;
}

/** Writes the states of tasks to their sources, several at once. A failed write delays only the tasks of that source. */
export function syncSources(state: State, run: RunRecord, now: number): SyncCommands {
  const sources = run.settings.writeBack ?? [];
  if (sources.length === 0) return { commands: [] };
  const changes: SourceChange[] = [];
  const times: number[] = [];
  for (const id of state.unsynced) {
    const record = state.task(id);
    const source = record?.task.source;
    if (record === undefined || source === undefined || !sources.includes(source)) continue;
    const until = run.syncTrouble?.[id]?.until ?? 0;
    if (until > now) times.push(until);
    else if (changes.length < limits.syncedAtOnce) changes.push(changeOf(record, source));
  }
  if (changes.length > 0) return { commands: [{ type: 'sync-sources', changes }] };
  return times.length === 0 ? { commands: [] } : { commands: [], wakeAt: Math.min(...times) };
}

function changeOf(record: TaskRecord, source: string): SourceChange {
  const { task, status, attempt, writtenState: from = 'open' } = record;
  const to = sourceStateOf(record);
  const of = { id: task.id, source, from, to, worked: attempt && workedIn(attempt) };
  if (status.id === 'skipped') return { ...of, reason: status.reason };
  if (status.id === 'done') return { ...of, reason: 'all of its tasks are done' };
  if (status.id !== 'landed') return { ...of, reason: '' };
  const { commit, at } = status;
  const reviewRounds = attempt?.reviews.length ?? 0;
  const landed = { by: attempt?.agent ?? '', at, reviewRounds, commit };
  return { ...of, reason: `landed as ${commit}`, landed };
}

function workedIn({ startedAt: since, state }: Attempt): SourceChange['worked'] {
  return { since, until: state.id === 'failed' ? state.at : undefined };
}

type SyncEvent = Extract<EventBody, { type: 'source-synced' | 'source-sync-failed' }>;

export function foldSync(records: Records, run: RunRecord, event: SyncEvent, at: number): void {
  const { [event.id]: before, ...others } = run.syncTrouble ?? {};
  if (event.type === 'source-sync-failed') {
    const times = (before?.times ?? 0) + 1;
    const until = at + backoffMs(limits.syncRetryMs, limits.syncRetryMaxMs, times);
    const trouble = { note: event.note, times, until };
    return records.putRun({ ...run, syncTrouble: { ...others, [event.id]: trouble } });
  }
  if (before !== undefined) {
    const { syncTrouble: _trouble, ...rest } = run;
    const left = Object.keys(others).length === 0 ? undefined : others;
    records.putRun({ ...rest, syncTrouble: left });
  }
  const record = records.task(event.id);
  if (record !== undefined) records.putTask({ ...record, writtenState: event.state });
}
