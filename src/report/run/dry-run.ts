import type { Command } from '../../model/command.ts';
import type { RunSettings } from '../../model/run.ts';
import type { Task } from '../../model/task.ts';
import type { TaskRecord } from '../../model/task-record.ts';
import { waitText } from '../../model/wait.ts';
import { decide } from '../../plan/decide.ts';
import { fold } from '../../plan/fold.ts';
import { State } from '../../plan/state.ts';
import { inScope } from '../../task/scope.ts';
import { beforeGate, beforeText } from '../view/check.ts';

const owner = { pid: 0, startedAt: '', host: '' };

/** The first commands of a run, decided by the engine's own code on a copy of the state. */
export function dryRun(
  settings: RunSettings,
  known: readonly TaskRecord[],
  incoming: readonly Task[],
  preflight?: string,
  before: readonly string[] = [],
): { readonly commands: readonly Command[]; readonly lines: readonly string[] } {
  const state: State = new State(inScope(settings.scope, (id) => state.task(id)?.task));
  for (const record of known) {
    const again = record.status.id === 'failed';
    state.putTask(again ? { ...record, status: { id: 'open' } } : record);
  }
  const run = 'dry-run';
  let seq = Math.max(0, ...known.map((record) => record.order));
  for (const task of incoming) {
    seq += 1;
    fold(state, { seq, at: seq, version: 1, type: 'task-added', task });
  }
  fold(state, {
    seq: seq + 1,
    at: seq + 1,
    version: 1,
    type: 'run-started',
    run,
    owner,
    settings,
    base: preflight ?? '',
    preflight,
  });
  const { commands } = decide(state, run, seq + 2);
  const waiting = state.ready.size - commands.filter(({ type }) => type === 'claim').length;
  const lines = commands.map((command) => lineOf(command, state, settings, before));
  if (waiting > 0) lines.push(`then ${waiting} more ready tasks`);
  return { commands, lines };
}

function lineOf(
  command: Command,
  state: State,
  settings: RunSettings,
  before: readonly string[],
): string {
  if (command.type === 'end-run') return `end-run  ${command.stop.reason}`;
  if (command.type === 'judge-target') return checkLine(settings, before);
  if (command.type === 'check-waits') {
    return `check    ${command.waits.map(({ id, wait }) => `${waitText(wait)} for ${id}`).join(', ')}`;
  }
  if (command.type !== 'claim') return command.type;
  const title = state.task(command.id)?.task.title ?? '';
  return `claim    slot ${command.slot}  ${command.id}  ${title}  (${command.agent})`;
}

/** `check    main, before the first agent starts: sh ready.sh, then the gate` */
function checkLine({ target, gate }: RunSettings, before: readonly string[]): string {
  const check = `check    ${target}, before the first agent starts`;
  return before.length === 0 ? check : `${check}${beforeText(beforeGate(before, { gate }))}`;
}
