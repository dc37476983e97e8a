import { describe, expect, it } from 'vitest';
import { aRun, endedPhase } from '../../test/report/fixtures.ts';
import { ok } from '../model/failure.ts';
import type { LeasedRun } from '../model/run-record.ts';
import type { Choose } from '../port/store.ts';
import { self } from '../process/identity.ts';
import { here } from '../wire/place.ts';
import type { QuickProject } from './ports.ts';
import { shortStatus } from './status.ts';

const seen = { cleared: [], checksBegun: 0, tip: 'last' };
const ended = aRun({ id: 'r1', base: 'first', target: seen, phase: endedPhase(9) });

interface World {
  readonly run?: LeasedRun;
  /** Commit in the file of the branch. */
  readonly tip: string | undefined;
  readonly isOnTop?: boolean;
  readonly dropped?: number;
}

/** Says whether the short status was enough, and what git was asked. */
async function statusIn({ run = ended, tip, isOnTop = false, dropped = 0 }: World) {
  const asked: string[][] = [];
  const project = {
    ...here,
    store: {
      status: async (choose: Choose) => {
        const blocked = dropped === 0 ? [] : [['landing-dropped', dropped]];
        const none = { counts: {}, outside: 0, active: [], troubled: [], lastSeq: 1 };
        return ok({ ...none, blocked, run: choose([run], []) });
      },
    },
    tipOf: () => tip,
    isAncestor: async (...commits: string[]) => {
      asked.push(commits);
      return isOnTop;
    },
  } as unknown as QuickProject;
  const status = await shortStatus(project);
  return { isEnough: status.ok && status.value !== undefined, asked };
}

describe('the short status', () => {
  it.each(['last', 'by-user'])(
    'asks git nothing while the target is at a commit that its run has seen: %s',
    async (tip) => {
      const run = { ...ended, target: { ...seen, externalTip: 'by-user' } };
      expect(await statusIn({ run, tip })).toEqual({ isEnough: true, asked: [] });
    },
  );

  it('is enough if the user has built on that commit, and not if it is gone', async () => {
    const asked = [['last', 'other']];
    expect(await statusIn({ tip: 'other', isOnTop: true })).toEqual({ isEnough: true, asked });
    expect(await statusIn({ tip: 'other' })).toEqual({ isEnough: false, asked });
  });

  it('leaves it to git to find a branch that has no file', async () => {
    const asked = [['last', 'refs/heads/main']];
    expect(await statusIn({ tip: undefined })).toEqual({ isEnough: false, asked });
  });

  it('is not enough while a landing counts as dropped: it may be back', async () => {
    expect(await statusIn({ tip: 'last', dropped: 1 })).toEqual({ isEnough: false, asked: [] });
  });

  it('leaves the target to a run that is under way', async () => {
    const run = aRun({ id: 'r1', target: seen, owner: self() });
    expect(await statusIn({ run, tip: 'other' })).toEqual({ isEnough: true, asked: [] });
  });
});
