import { factsIn } from '../gate/checks.ts';
import { type Answer, findCulprit, type Landing } from '../gate/culprit.ts';
import { fixTask } from '../gate/fix-task.ts';
import { wordsOf } from '../gate/verify-command.ts';
import type { CommandOf } from '../model/command.ts';
import type { EventBody } from '../model/event.ts';
import type { Evidence } from '../model/evidence.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { isCurrent, type Note, type NoteOrigin } from '../model/note.ts';
import { settled } from '../model/trouble.ts';
import type { VerifyOutcome, VerifyPolicy } from '../model/verdict.ts';
import { type HowEnded, runToCompletion } from '../port/processes.ts';
import { gateEnv } from '../worktree/slot-files.ts';
import type { Ports, RunContext } from './context.ts';
import { readyTree } from './gate-tree.ts';

export interface VerifyInput {
  readonly commit: string;
  /** Split at white space and run without a shell. If absent, verification is skipped for `reason`. */
  readonly command?: string;
  readonly reason?: string;
  /** Time for all runs of the command together; the set-up has its own limit. */
  readonly budgetMs: number;
  /** Folder of the run, for `verify.log` and a subfolder with the outputs of each run of the command. */
  readonly dir: string;
  readonly policy: VerifyPolicy;
  /** Landings of this run, oldest first. */
  readonly landings: readonly Landing[];
  /** A worktree that nothing else uses at that time. */
  readonly worktree: string;
  /** Prefix of its file names, so that a later verification does not reuse an earlier result. */
  readonly again?: string;
  /** Gate slot of the worktree, for its port numbers. */
  readonly slot?: number;
}

type VerifyPorts = Pick<Ports, 'git' | 'processes' | 'copyFiles' | 'prepared'>;
type VerifyContext = Pick<RunContext, 'run' | 'env' | 'setup' | 'cache' | 'limits'>;

type Failed = Extract<VerifyOutcome, { kind: 'failed' }>;

/**
 * Verifies the target with its full test command. Never reverts anything. Returns undefined if interrupted; called
 * again it continues, because the result of every run is stored under a name of its own.
 */
export async function verify(
  ports: VerifyPorts,
  context: VerifyContext,
  input: VerifyInput,
): Promise<Result<VerifyOutcome | undefined>> {
  const command = input.command?.trim() ?? '';
  if (command === '') {
    return ok({ kind: 'skipped', reason: input.reason ?? 'there is no command to run' });
  }
  const verification = new TargetVerification(ports, context, input, command);
  const seen = await verification.at(input.commit);
  if (!seen.ok) return seen;
  if (seen.value === undefined) return ok(undefined);
  await verification.writeLog(seen.value);
  const { how, ms, tail } = seen.value;
  if (isGreen(how)) return ok({ kind: 'passed', command, ms });
  if (isTimeUp(how)) return ok({ kind: 'timed-out', command, budgetMs: input.budgetMs });
  const exit = how.id === 'exited' ? how.code : -1;
  const evidence = await verification.evidenceOf(seen.value);
  const failed: Failed = { kind: 'failed', command, exit, ms, tail, ...evidence };
  if (input.policy !== 'bisect') return ok(failed);
  const { commit: tip, landings } = input;
  const isGood = (commit: string) => verification.isGood(commit);
  const culprit = await findCulprit({ git: ports.git, tip, landings, isGood });
  if (!culprit.ok) return culprit;
  if (culprit.value === 'interrupted') return ok(undefined);
  if (culprit.value === undefined) return ok(failed);
  const { commit, tasks } = culprit.value;
  return ok({ ...failed, culprit: { commit, tasks } });
}

const isGreen = (how: HowEnded): boolean => how.id === 'exited' && how.code === 0;
const isTimeUp = (how: HowEnded): boolean => how.id === 'limit' && how.limit === 'wall';

interface Observed {
  readonly how: HowEnded;
  readonly ms: number;
  /** End of its output, or why it could not be run. */
  readonly tail: string;
  /** Location of its output; absent if it was not run. */
  readonly output?: { readonly dir: string; readonly name: string };
}

type Stream = 'out' | 'err';

/** Runs one command on several commits within one time budget. */
class TargetVerification {
  readonly #ports: VerifyPorts;
  readonly #context: VerifyContext;
  readonly #input: VerifyInput;
  readonly #command: string;
  #spentMs = 0;

  constructor(ports: VerifyPorts, context: VerifyContext, input: VerifyInput, command: string) {
    this.#ports = ports;
    this.#context = context;
    this.#input = input;
    this.#command = command;
  }

  async isGood(commit: string): Promise<Result<Answer>> {
    if (this.#spentMs >= this.#input.budgetMs) return ok(undefined);
    const seen = await this.at(commit);
    if (!seen.ok) return seen;
    if (seen.value === undefined) return ok('interrupted');
    return ok(isTimeUp(seen.value.how) ? undefined : isGreen(seen.value.how));
  }

  /** Returns undefined if interrupted. */
  async at(commit: string): Promise<Result<Observed | undefined>> {
    const { processes } = this.#ports;
    const { worktree, budgetMs } = this.#input;
    const dir = `${this.#input.dir}/verify/${this.#input.again ?? ''}${commit}`;
    const env = this.#env();
    const tree = { where: 'target', worktree, commit, dir, first: 'verify', env } as const;
    const ready = await settled(readyTree(this.#ports, this.#context, tree));
    if (ready.ok && ready.value === 'interrupted') return ok(undefined);
    if (!ready.ok) {
      const { failure } = ready;
      if (failure.kind !== 'setup-failed') return ready;
      return ok({ how: { id: 'exited', code: failure.exit }, ms: 0, tail: failure.tail });
    }
    const { end, name } = await runToCompletion(processes, {
      dir,
      name: 'verify',
      argv: wordsOf(this.#command),
      cwd: worktree,
      env,
      confined: { role: 'gate' },
      limits: { ...this.#context.limits.gate, wallMs: Math.max(1, budgetMs - this.#spentMs) },
    });
    const { how, startedAt, endedAt } = end;
    if (how.id === 'interrupted') return ok(undefined);
    if (how.id === 'not-started') return ok({ how, ms: 0, tail: how.cause });
    const ms = endedAt - startedAt;
    this.#spentMs += ms;
    const err = await this.#printed(dir, name, 'err', limits.verifyTailBytes);
    const tail = err === '' ? await this.#printed(dir, name, 'out', limits.verifyTailBytes) : err;
    return ok({ how, ms, tail, output: { dir, name } });
  }

  async evidenceOf({ output }: Observed): Promise<{ readonly evidence?: Evidence }> {
    if (output === undefined) return {};
    const { evidence } = await factsIn(this.#ports.processes, {
      ...output,
      worktree: this.#input.worktree,
    });
    return evidence.failures.length === 0 ? {} : { evidence };
  }

  /** Writes `verify.log`: standard output, then standard error. */
  async writeLog({ tail, output }: Observed): Promise<void> {
    const all = async (stream: Stream): Promise<string> =>
      output === undefined
        ? ''
        : this.#printed(output.dir, output.name, stream, limits.verifyLogBytes);
    const out = await all('out');
    const err = output === undefined ? tail : await all('err');
    const sections = [`--- stdout ---\n${out.trimEnd()}`, `--- stderr ---\n${err.trimEnd()}`];
    const text = [`$ ${this.#command}`, ...sections].join('\n\n');
    await this.#ports.processes.write(this.#input.dir, 'verify.log', `${text}\n`);
  }

  /**
   * Returns the end of one stream, without known secrets. The process port only offers both streams as one, so `tail`
   * is run on the file.
   */
  async #printed(dir: string, name: string, stream: Stream, bytes: number): Promise<string> {
    const { processes } = this.#ports;
    const part = `${name}-${stream}-${bytes}`;
    const { end } = await runToCompletion(processes, {
      dir,
      name: part,
      argv: ['tail', '-c', String(bytes), `${dir}/${name}.${stream}`],
      cwd: this.#input.dir,
      env: this.#context.env,
      limits: { wallMs: limits.probeMs, outputBytes: 2 * bytes },
    });
    return isGreen(end.how) ? processes.tail(dir, part, bytes) : '';
  }

  #env(): Readonly<Record<string, string>> {
    const { env, run } = this.#context;
    const { worktree, slot = 0 } = this.#input;
    return { ...env, YARD_RUN: run, YARD_WORKTREE: worktree, YARD_TASK: '', ...gateEnv(slot) };
  }
}

/** Runs the end-of-run verification, and files a fix task if the policy says so. */
export async function performVerify(
  ports: Ports,
  context: RunContext,
  { policy, slot, again }: CommandOf<'verify'>,
): Promise<Result<readonly EventBody[]>> {
  const { command, reason, budgetMs } = context.verify;
  const tip = await ports.git.resolve(`refs/heads/${context.target}`);
  if (tip === undefined) return fail({ kind: 'target-missing', branch: context.target });
  const since = ports.clock.now();
  const tree = await ports.pool.gateTree(slot);
  if (!tree.ok) return tree;
  const seen = await settled(
    verify(ports, context, {
      commit: tip,
      budgetMs,
      dir: context.dir,
      again,
      policy,
      landings: await landingsOf(ports, context),
      worktree: tree.value.dir,
      slot,
      command,
      reason,
    }),
  );
  if (!seen.ok || seen.value === undefined) return seen.ok ? ok([]) : seen;
  const outcome = seen.value;
  const verified = { type: 'run-verified', run: context.run, outcome, since } as const;
  const isBad = outcome.kind === 'failed' || outcome.kind === 'timed-out';
  // A command that fails on a full disk verified nothing; it runs again when there is room.
  const full = isBad ? await ports.space() : undefined;
  if (full !== undefined) return fail(full);
  const notes = await ports.store.notes();
  if (!notes.ok) return notes;
  const noted = statusNotes(context, outcome, notes.value);
  if (policy !== 'fix' || !isBad) return ok([verified, ...noted]);
  const task = fixTask(outcome, context.run, `${context.dir}/verify.log`);
  const known = await ports.store.task(task.id);
  if (!known.ok) return known;
  const filed = known.value === undefined ? [{ type: 'task-added', task } as const] : [];
  return ok([verified, ...noted, ...filed]);
}

/** Landings of this run, oldest first, one per branch even if several landed together. */
async function landingsOf({ store }: Ports, { run }: RunContext): Promise<readonly Landing[]> {
  const attempts = await store.attempts({ run });
  return (attempts.ok ? attempts.value : [])
    .flatMap(({ task, end }) =>
      end.id === 'landed' && end.run === run ? [{ ...end, tasks: [task, ...end.coClaims] }] : [],
    )
    .sort((a, b) => a.order - b.order)
    .map(({ commit, from, tasks }) => ({ commit, from, tasks }));
}

/** Events that add a `status` note after a failed verification, and remove it after one that passed. */
export function statusNotes(
  { run, target }: Pick<RunContext, 'run' | 'target'>,
  outcome: VerifyOutcome,
  notes: readonly Note[],
): readonly EventBody[] {
  const origin: NoteOrigin = { by: 'run', run };
  const old = notes.find((note) => note.kind === 'status' && isCurrent(note));
  if (outcome.kind === 'skipped') return [];
  if (outcome.kind === 'passed') {
    const reason = `\`${outcome.command}\` passed on ${target}`;
    return old === undefined ? [] : [{ type: 'note-removed', note: old.seq, origin, reason }];
  }
  const how =
    outcome.kind === 'failed'
      ? `failed with exit status ${outcome.exit}`
      : `did not end within ${Math.round(outcome.budgetMs / 1000)} s`;
  const text = `\`${outcome.command}\` ${how} on ${target} after run ${run}. A failure that you did not cause may be this one.`;
  const event = {
    type: 'note-added',
    kind: 'status',
    text,
    labels: [],
    paths: [],
    origin,
  } as const;
  return [old === undefined ? event : { ...event, supersedes: old.seq }];
}
