import { failureFrom } from '../model/failure.ts';
import type { RunRecord } from '../plan/record.ts';
import { isObject, type Stored, upgradeFailure } from './upgrade.ts';

/** The record of a run as it was stored, by whatever version; see `upgrade.ts`. */
export function upgradeRun(id: string, stored: Stored): RunRecord {
  const { candidate, candidates, stop, pausedAccounts, trouble, ...rest } = stored;
  const base = {
    id,
    owner: { pid: 0, startedAt: '', host: '' },
    base: '',
    startedAt: 0,
    starts: 0,
    landed: 0,
    candidatesBuilt: 0,
    runningGates: [],
    recentOutcomes: [],
    outcomesByKind: {},
    gateRuns: { branch: 0, candidate: 0, target: 0 },
    clearedCommits: [],
    targetChecksBegun: 0,
    slotErrors: [],
    ...rest,
    candidates: candidatesOf(candidates, candidate),
    settings: upgradeSettings(stored.settings),
    ...(trouble === undefined ? {} : { trouble: failureFrom(trouble) }),
    ...(isObject(pausedAccounts) ? { pausedAccounts: upgradePauses(pausedAccounts) } : {}),
  };
  const upgraded = isObject(stop) ? { ...base, stop: upgradeFailure(stop, []) } : base;
  return upgraded as unknown as RunRecord;
}

/** Older versions had one candidate at most, of which they knew only whether all of it was green. */
function candidatesOf(candidates: unknown, candidate: unknown): readonly Stored[] {
  if (Array.isArray(candidates)) return candidates.filter(isObject).map(upgradeCandidate);
  return isObject(candidate) ? [upgradeCandidate(candidate)] : [];
}

function upgradeCandidate(stored: Stored): Stored {
  const state = isObject(stored.state)
    ? upgradeFailure(stored.state, ['waiting'])
    : { id: 'built' };
  const entries = Array.isArray(stored.entries) ? stored.entries : [];
  const { commit, tree, red } = stored;
  return {
    // A link for each branch would need commits that were never made: all branches arrive with the last one.
    prefixes: entries.map(() => ({ commit, tree })),
    landed: 0,
    green: state.id === 'built' ? 0 : entries.length,
    ...stored,
    entries,
    state,
    ...(isObject(red) ? { red: { ...red, failure: failureFrom(red.failure) } } : {}),
  };
}

function upgradePauses(stored: Stored): Stored {
  const base = { since: 0, times: 1 };
  const pauses = Object.entries(stored).map(([account, pause]) => {
    if (!isObject(pause)) return [account, { ...base, failure: failureFrom(pause) }];
    return [account, { ...base, ...pause, failure: failureFrom(pause.failure) }];
  });
  return Object.fromEntries(pauses) as Stored;
}

function upgradeSettings(stored: unknown): Stored {
  const base = {
    target: '',
    jobs: 1,
    agent: '',
    scope: { kind: 'ready' },
    retries: 0,
    quarantineAfter: 1,
    slotErrors: 1,
    pool: 1,
    gate: '',
  };
  return isObject(stored) ? { ...base, ...stored } : base;
}
