import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { isObject, parseJson } from '../model/shape.ts';
import type { SourceChange, SourceState } from '../model/source-change.ts';
import type { Written } from '../port/task-tracker.ts';
import { runTool } from '../process/tool.ts';
import type { ToolPlace } from './tracker.ts';

const program = 'bd';

const statuses: Readonly<Record<SourceState, string>> = {
  open: 'open',
  claimed: 'in_progress',
  closed: 'closed',
};

/** Runs `bd` and returns its output, or a sentence about the failure. */
export async function runBeads(
  { dir, env }: ToolPlace,
  args: readonly string[],
): Promise<Result<string, string>> {
  const done = await runTool({ program, args, dir, env, wallMs: limits.trackerWallMs });
  switch (done.id) {
    case 'not-started':
      return fail(`bd could not be started: ${done.cause}`);
    case 'slow':
      return fail(`bd did not answer within ${done.ms / 1000} s`);
    case 'large':
      return fail(`bd printed more than ${done.bytes} bytes`);
    case 'ended': {
      if (done.exit === 0) return ok(done.stdout);
      const output = (done.stderr.trim() || done.stdout.trim()).slice(0, limits.tailBytes);
      return fail(`bd ${args[0]} failed with exit status ${done.exit}: ${output}`);
    }
  }
}

/** Writes the state of an issue with `bd`, which keeps its own database and export. */
export async function writeBeads(place: ToolPlace, change: SourceChange): Promise<Written> {
  const { id, from, to } = change;
  let status = statuses[from];
  if (to === 'open') {
    const now = await issueNow(place, id);
    if (!now.ok) return { ok: false, note: now.failure };
    // An issue that a person closed or put aside is not opened again.
    if (now.value.status !== status && !isClosedByAgent(now.value, change)) return { ok: true };
    status = now.value.status;
  }
  const done = await runBeads(place, argsOf(change, status));
  if (done.ok) return { ok: true };
  // After a crash the issue may have the state already, which `bd` may refuse.
  const now = await issueNow(place, id);
  const isThere = now.ok && now.value.status === statuses[to];
  return isThere ? { ok: true } : { ok: false, note: done.failure };
}

/**
 * True if the issue was closed while the attempt worked. Beads does not say by whom: the agent counts as the one who did
 * it, because a closed issue whose work was given up would be forgotten.
 */
function isClosedByAgent({ status, closedAt }: Issue, { from, worked }: SourceChange): boolean {
  if (status !== statuses.closed || from !== 'claimed') return false;
  if (closedAt === undefined || worked === undefined) return false;
  // Beads may round to seconds.
  const { since, until = Number.POSITIVE_INFINITY } = worked;
  return closedAt >= since - 1000 && closedAt <= until;
}

function argsOf({ id, to, reason }: SourceChange, status: string): readonly string[] {
  if (to === 'closed') return ['close', id, '--reason', reason, '--json'];
  if (to === 'open' && status === statuses.closed) return ['reopen', id, '--json'];
  return ['update', id, '--status', statuses[to], '--json'];
}

interface Issue {
  readonly status: string;
  readonly closedAt?: number;
}

/** The issue as it is; `bd show` prints an issue or a list of them. */
async function issueNow(place: ToolPlace, id: string): Promise<Result<Issue, string>> {
  const shown = await runBeads(place, ['show', id, '--json']);
  if (!shown.ok) return shown;
  const printed = parseJson(shown.value);
  const issue: unknown = Array.isArray(printed) ? printed[0] : printed;
  const { status, closed_at: at } = isObject(issue) ? issue : {};
  if (typeof status !== 'string') return fail(`bd show ${id} printed no status`);
  const closedAt = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  return ok({ status, ...(Number.isNaN(closedAt) ? {} : { closedAt }) });
}
