import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { parseJson } from '../model/shape.ts';
import type { SourceChange, SourceState } from '../model/source-change.ts';
import type { Written } from '../port/task-tracker.ts';
import { runTool } from '../process/tool.ts';
import type { ToolPlace } from './tracker.ts';

const program = 'bd';

/** Status in Beads for each state. */
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
  // An issue that a person closed or put aside meanwhile is not opened again.
  if (to === 'open') {
    const now = await statusOf(place, id);
    if (!now.ok) return { ok: false, note: now.failure };
    if (now.value !== statuses[from]) return { ok: true };
  }
  const done = await runBeads(place, argsOf(change));
  if (done.ok) return { ok: true };
  // After a crash the issue may have the state already, which `bd` may refuse.
  const now = await statusOf(place, id);
  return now.ok && now.value === statuses[to] ? { ok: true } : { ok: false, note: done.failure };
}

function argsOf({ id, from, to, reason }: SourceChange): readonly string[] {
  if (to === 'closed') return ['close', id, '--reason', reason, '--json'];
  if (to === 'open' && from === 'closed') return ['reopen', id, '--json'];
  return ['update', id, '--status', statuses[to], '--json'];
}

/** Status of an issue; `bd show` prints an issue or a list of them. */
async function statusOf(place: ToolPlace, id: string): Promise<Result<string, string>> {
  const shown = await runBeads(place, ['show', id, '--json']);
  if (!shown.ok) return shown;
  const printed = parseJson(shown.value);
  const issue: unknown = Array.isArray(printed) ? printed[0] : printed;
  const status =
    typeof issue === 'object' && issue !== null && 'status' in issue ? issue.status : undefined;
  return typeof status === 'string' ? ok(status) : fail(`bd show ${id} printed no status`);
}
