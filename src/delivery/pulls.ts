import { given } from '../model/given.ts';
import { parseJson } from '../model/json.ts';
import type { Pull } from '../model/run-record.ts';

/** One pull request as `gh` prints it; any field may be missing or of another type. */
type Printed = Readonly<Record<string, unknown>>;

/** Fields to request. */
export const PULL_FIELDS =
  'number,url,headRefName,state,statusCheckRollup,mergeCommit,isCrossRepository';

/** Parses the output of `gh pr list --json`; undefined if it is not a list. Invalid entries are skipped. */
export function readPulls(text: string): readonly Pull[] | undefined {
  const printed = parseJson(text);
  if (!Array.isArray(printed)) return undefined;
  return printed.filter(isRecord).flatMap(pullIn);
}

function pullIn(entry: Printed): readonly Pull[] {
  const { number, url, headRefName: branch, mergeCommit } = entry;
  const state = stateIn(entry.state);
  if (typeof number !== 'number' || typeof url !== 'string' || typeof branch !== 'string') {
    return [];
  }
  // A fork may have a branch of the same name.
  if (state === undefined || entry.isCrossRepository === true) return [];
  const merged = isRecord(mergeCommit) ? mergeCommit.oid : undefined;
  const checks = checksIn(entry.statusCheckRollup);
  const commit = typeof merged === 'string' ? merged : undefined;
  return [{ branch, number, url, state, checks, ...given({ mergeCommit: commit }) }];
}

function stateIn(state: unknown): Pull['state'] | undefined {
  switch (state) {
    case 'OPEN':
      return 'open';
    case 'MERGED':
      return 'merged';
    case 'CLOSED':
      return 'closed';
    default:
      return undefined;
  }
}

const GOOD = new Set(['SUCCESS', 'NEUTRAL', 'SKIPPED']);
const BAD = new Set([
  'FAILURE',
  'ERROR',
  'CANCELLED',
  'TIMED_OUT',
  'ACTION_REQUIRED',
  'STARTUP_FAILURE',
]);

/** An unknown state counts as pending. */
function checksIn(rollup: unknown): Pull['checks'] {
  if (!Array.isArray(rollup) || rollup.length === 0) return 'none';
  const words = rollup.map((check: unknown) => (isRecord(check) ? wordOf(check) : ''));
  if (words.some((word) => BAD.has(word))) return 'failed';
  return words.every((word) => GOOD.has(word)) ? 'passed' : 'pending';
}

/** Check runs have a status and, once completed, a conclusion; commit statuses have a state. */
function wordOf(check: Printed): string {
  const word = check.state ?? (check.status === 'COMPLETED' ? check.conclusion : check.status);
  return typeof word === 'string' ? word.toUpperCase() : '';
}

function isRecord(value: unknown): value is Printed {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const RANK = { merged: 0, open: 1, closed: 2 } as const;

/** The pull request that counts for a branch. */
export function pullOf(pulls: readonly Pull[], branch: string): Pull | undefined {
  return pulls
    .filter((pull) => pull.branch === branch)
    .sort((a, b) => RANK[a.state] - RANK[b.state] || b.number - a.number)[0];
}
