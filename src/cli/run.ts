import { editNotices, notices } from '../app/notices.ts';
import type { Project } from '../app/ports.ts';
import { withoutSandbox } from '../app/sandbox.ts';
import {
  type CheckedRun,
  checkRequest,
  type RunRequest,
  readRequest,
  startRun,
} from '../app/start.ts';
import { dryRun } from '../report/run/dry-run.ts';
import { openProject } from '../wire/project.ts';
import { drive, isAttended } from './drive.ts';
import { gateModels } from './model-probe.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { gatePlan } from './plan-gate.ts';
import { runScope } from './scope.ts';
import { complain, confirm, print, warn } from './screen.ts';
import { readStdin } from './stdin.ts';
import { daemonFor, handOver, runWords } from './submit.ts';
import { importWarnings } from './tasks.ts';

export async function run(call: Call): Promise<number> {
  const project = await openProject(folderOf(call));
  if (!project.ok) return complain([project.failure]);
  const daemon = await daemonFor(call);
  if (!daemon.ok) return complain([daemon.failure]);
  let input: string | undefined;
  const from = {
    cwd: folderOf(call),
    async readStdin() {
      input = await readStdin();
      return input;
    },
  };
  const prepared = await prepare(call, project.value, from);
  if (typeof prepared === 'number') return prepared;
  const { ready, incoming, plan } = prepared;
  const pruneRemoved = call.options.flag('prune-removed');
  const onStart = (): void => warn(importWarnings(plan, { pruneRemoved }));
  if (daemon.value !== undefined) {
    const words = runWords(call, ready.settings.scope);
    return handOver(call, daemon.value, { ready, words, onStart, input });
  }
  const silent = await gateModels(call, ready);
  if (silent !== undefined) return silent;
  const share = call.options.flag('share');
  const started = await startRun(ready, {
    share,
    incoming,
    pruneRemoved,
    attended: isAttended(call),
  });
  const isImported = started.ok || started.failure[0]?.kind === 'nothing-to-do';
  if (isImported) onStart();
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
  const scope = await runScope(call, known, incoming.tasks);
  if (!scope.ok) return complain([scope.failure]);
  if (scope.value === 'none') {
    await project.git.close();
    confirm(call, ['No tasks were chosen, so nothing was started.']);
    return 0;
  }
  const checked = await checkRequest(request.value, scope.value);
  if (!checked.ok) return complain(checked.failure);
  const { ready, ignored } = checked.value;
  warn(
    ignored.map(
      ({ agent, reasoning }) =>
        `${agent} has no setting for the reasoning effort; "${reasoning}" is not passed to it.`,
    ),
  );
  warn(withoutSandbox(ready.sandbox));
  if (!call.global.quiet) warn(await editNotices(project, ready.settings));
  if (!call.options.flag('dry-run')) {
    const refusal = await gatePlan(call, request.value, ready.settings.forecast?.times);
    return refusal ?? { ready, incoming, plan };
  }
  await project.git.close();
  const pruneRemoved = call.options.flag('prune-removed');
  const { commands, lines } = dryRun(
    ready.settings,
    known,
    incoming.tasks,
    ready.check.preflight,
    ready.config.run.before,
  );
  warn(importWarnings({ landed: [], removed: plan.removed }, { dryRun: true, pruneRemoved }));
  print(call, { commands }, () => lines);
  return 0;
}

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
    probe_models: options.flag('probe-models') || undefined,
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
  const agents = options.list('agents');
  return {
    ...sharedFlags(call),
    jobs: options.number('jobs'),
    agent: options.text('agent'),
    target: options.text('target'),
    retries: options.number('retries'),
    'attempts.best_of':
      options.number('best-of') ?? (agents.length > 0 ? agents.length : undefined),
    'attempts.agents': agents.length > 0 ? agents : undefined,
    'model.default': options.text('model'),
    mode: options.text('mode'),
    'fallback.agent': options.text('fallback'),
    'gate.slots': options.number('gate-slots'),
    'delivery.how': options.text('deliver'),
    'planner.enabled': options.flag('no-planner') ? false : undefined,
    'planner.agent': options.text('planner-agent'),
    'planner.budget_tokens': options.text('planner-budget'),
  };
}
