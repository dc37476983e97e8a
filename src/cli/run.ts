import { notices } from '../app/notices.ts';
import type { Project } from '../app/ports.ts';
import { checkResume, readResume, resumeRun } from '../app/resume.ts';
import { withoutSandbox } from '../app/sandbox.ts';
import {
  type CheckedRun,
  checkRequest,
  checkScope,
  type RunRequest,
  readRequest,
  startRun,
} from '../app/start.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import type { Scope } from '../model/run.ts';
import type { Task } from '../model/task.ts';
import { dryRun } from '../report/run/dry-run.ts';
import { openProject } from '../wire/project.ts';
import { drive } from './drive.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { complain, print, warn } from './screen.ts';
import { readStdin } from './stdin.ts';
import { importWarnings } from './tasks.ts';

export async function run(call: Call): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  const from = { cwd: folderOf(call), readStdin };
  const prepared = await prepare(call, project.value, from);
  if (typeof prepared === 'number') return prepared;
  const { ready, incoming, plan } = prepared;
  const share = call.options.flag('share');
  const pruneRemoved = call.options.flag('prune-removed');
  const started = await startRun(ready, { share, incoming, pruneRemoved });
  const isImported = started.ok || started.failure[0]?.kind === 'nothing-to-do';
  if (isImported) warn(importWarnings(plan, { pruneRemoved }));
  return drive(call, ready, started);
}

/**
 * Reads and checks what to run; a number is the exit status of a call that starts nothing. The known tasks are not
 * returned: the run reads them itself, and with many tasks memory would hold them twice.
 */
async function prepare(
  call: Call,
  project: Project,
  from: Parameters<typeof readRequest>[3],
): Promise<number | (Pick<RunRequest, 'incoming' | 'plan'> & Pick<CheckedRun, 'ready'>)> {
  const request = await readRequest(project, runFlags(call), call.args, from);
  if (!request.ok) return complain(request.failure);
  const { known, incoming, plan, warnings } = request.value;
  if (!call.global.quiet) warn([...warnings, ...(await notices(project, folderOf(call)))]);
  warn(incoming.notes);
  const tasks = [...known.map(({ task }) => task), ...incoming.tasks];
  const scope = await scopeOf(call, tasks, incoming.tasks);
  if (!scope.ok) return complain([scope.failure]);
  const checked = await checkRequest(request.value, scope.value);
  if (!checked.ok) return complain(checked.failure);
  const { ready, ignored } = checked.value;
  warn(
    ignored.map(
      ({ agent, reasoning }) =>
        `${agent} has no setting for the reasoning effort; "${reasoning}" is not passed to it.`,
    ),
  );
  warn(withoutSandbox(ready.sandbox, ownSandboxes));
  if (!call.options.flag('dry-run')) return { ready, incoming, plan };
  await project.git.close();
  const pruneRemoved = call.options.flag('prune-removed');
  const { commands, lines } = dryRun(ready.settings, known, incoming.tasks, ready.check);
  warn(importWarnings({ landed: [], removed: plan.removed }, { dryRun: true, pruneRemoved }));
  print(call, { commands }, () => lines);
  return 0;
}

/** Continues a run that was stopped or killed, with its own settings; the budget starts counting again. */
export async function resume(call: Call): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  const request = await readResume(project.value, sharedFlags(call), call.args[0]);
  if (!request.ok) return complain(request.failure);
  if (!call.global.quiet) {
    warn([...request.value.warnings, ...(await notices(project.value, folderOf(call)))]);
  }
  const ready = await checkResume(request.value);
  if (!ready.ok) return complain(ready.failure);
  warn(withoutSandbox(ready.value.sandbox, ownSandboxes));
  const retry = call.options.flag('retry-failed');
  return drive(call, ready.value, await resumeRun(ready.value, request.value.record, { retry }));
}

const ownSandboxes = 'Agents use their own, if they have one.';

type Flags = Readonly<Record<string, unknown>>;

/** Flags that both `run` and `resume` have, by config key. */
export function sharedFlags(call: Call): Flags {
  const { options } = call;
  return {
    'budget.attempts': options.number('max-attempts'),
    'budget.new_tasks': options.number('max-new-tasks'),
    'budget.wall': options.text('budget-wall'),
    'budget.tokens': options.text('budget-tokens'),
    'budget.cost': options.text('budget-cost'),
    preflight: options.flag('no-preflight') ? false : undefined,
    ...verifyFlags(call),
  };
}

/** `--no-verify-tests` overrides the others; a command implies `--verify-tests`. */
function verifyFlags({ options }: Call): Flags {
  const command = options.text('verify-command');
  const isAsked = options.flag('verify-tests') || command !== undefined;
  const enabled = options.flag('no-verify-tests') ? false : isAsked || undefined;
  return { 'verify.enabled': enabled, 'verify.command': command };
}

export function runFlags(call: Call): Flags {
  const { options } = call;
  return {
    ...sharedFlags(call),
    jobs: options.number('jobs'),
    agent: options.text('agent'),
    target: options.text('target'),
    retries: options.number('retries'),
    'model.default': options.text('model'),
    'fallback.agent': options.text('fallback'),
    'gate.slots': options.number('gate-slots'),
    'delivery.how': options.text('deliver'),
  };
}

const sayIt =
  'Use `--scope ready` for every task, `--only ID`, `--scope epics --epic NAME`, or name a plan file.';

/** The tasks that a run works on. Without a terminal they must be named; nothing is guessed. */
export async function scopeOf(
  call: Call,
  tasks: readonly Task[],
  incoming: readonly Task[],
): Promise<Result<Scope>> {
  const { options } = call;
  const only = options.list('only');
  const epics = options.list('epic');
  const word = options.text('scope');
  if (word === 'ready' && (only.length > 0 || epics.length > 0)) {
    return usage('--scope ready goes with neither --only nor --epic', 'Leave one of them out.');
  }
  if (only.length > 0 && epics.length > 0) {
    return usage('--only and --epic were both given', 'Leave one of them out.');
  }
  if (only.length > 0) return checkScope({ kind: 'only', tasks: only }, tasks);
  if (word === 'epics' && epics.length === 0) {
    return usage('--scope epics names no epic', 'Add `--epic NAME`.');
  }
  if (epics.length > 0) return checkScope({ kind: 'epics', epics }, tasks);
  if (word === 'ready') return ok({ kind: 'ready' });
  if (call.args.length > 0) return ok({ kind: 'only', tasks: incoming.map((task) => task.id) });
  return ask(call);
}

async function ask(call: Call): Promise<Result<Scope>> {
  const terminal = process.stdin.isTTY === true && process.stdout.isTTY === true && !process.env.CI;
  if (!terminal) return usage('no option names the tasks of this run', sayIt);
  if (call.options.flag('yes')) return ok({ kind: 'ready' });
  const { confirm, isCancel } = await import('@clack/prompts');
  const answer = await confirm({ message: 'Work on every open task of this project?' });
  if (!isCancel(answer) && answer) return ok({ kind: 'ready' });
  return usage('no tasks were chosen', sayIt);
}
