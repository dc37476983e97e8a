// Conformance suite for the guard port.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tamperings } from '../../src/guard/tampering-list.ts';
import { type HomeEffect, homeEffects, type Tampering } from '../../src/model/violation.ts';
import type { Guard } from '../../src/port/guard.ts';

/** A repository with the branches `main`, `other`, `yard/r/a-1` and `yard/r/b-1` and the tag `v1`. */
export interface GuardHarness {
  readonly guard: Guard;
  plantHook(name: string): void;
  removeHook(name: string): void;
  /** Changes one of the files with the repository's settings. */
  changeSettings(file: string): void;
  /** Moves a ref to a commit that it was not at; `undefined` deletes it. */
  moveRef(ref: string, to: 'elsewhere' | undefined): void;
  editCheckout(file: string): void;
  switchCheckout(branch: string): void;
  /** Changes a file of the user's home that has this effect. */
  changeHome(effect: HomeEffect): void;
  dispose(): Promise<void>;
}

const OWN = 'refs/heads/yard/r/a-1';

export function guardConformance(name: string, make: () => Promise<GuardHarness>): void {
  describe(`${name} as guard`, () => {
    let at: GuardHarness;
    beforeEach(async () => {
      at = await make();
    });
    afterEach(() => at.dispose());
    const seen = async (deed: () => void, expected: readonly string[] = []) => {
      const before = await at.guard.snapshot();
      deed();
      return tamperings(before, await at.guard.snapshot(), [OWN], expected);
    };
    describe('what it sees', () => watched(() => at, seen));
    describe('what it leaves to others', () => unwatched(() => at, seen));
  });
}

type Seen = (deed: () => void, expected?: readonly string[]) => Promise<readonly Tampering[]>;

function watched(at: () => GuardHarness, seen: Seen): void {
  it('nothing, where nothing was done', async () => {
    expect(await seen(() => {})).toEqual([]);
    expect(await at().guard.snapshot()).toEqual(await at().guard.snapshot());
  });

  it('a hook that was planted, changed or taken away', async () => {
    const { plantHook, removeHook } = at();
    const hook = [{ kind: 'git-hook', name: 'pre-commit' }];
    expect(await seen(() => plantHook('pre-commit'))).toEqual(hook);
    expect(await seen(() => plantHook('pre-commit'))).toEqual(hook);
    expect(await seen(() => removeHook('pre-commit'))).toEqual(hook);
  });

  it('settings of the repository', async () => {
    const { changeSettings } = at();
    for (const file of ['config', 'config.worktree', 'info/attributes', 'info/exclude']) {
      expect(await seen(() => changeSettings(file))).toEqual([{ kind: 'git-settings', file }]);
    }
  });

  it('a branch that was moved, with both its ends', async () => {
    const found = await seen(() => at().moveRef('refs/heads/other', 'elsewhere'));
    expect(found).toEqual([
      {
        kind: 'ref-moved',
        ref: 'refs/heads/other',
        from: expect.any(String),
        to: expect.any(String),
      },
    ]);
  });

  it('the branch of another attempt that was moved', async () => {
    const found = await seen(() => at().moveRef('refs/heads/yard/r/b-1', 'elsewhere'));
    expect(found).toMatchObject([{ kind: 'ref-moved', ref: 'refs/heads/yard/r/b-1' }]);
  });

  it('a tag that was deleted, a branch that was made, and objects that stand for others', async () => {
    const { moveRef } = at();
    const found = await seen(() => {
      moveRef('refs/tags/v1', undefined);
      moveRef('refs/heads/new', 'elsewhere');
      moveRef('refs/replace/0123456789012345678901234567890123456789', 'elsewhere');
    });
    expect(
      found.map(
        (one) =>
          one.kind === 'ref-moved' && [one.ref, one.from !== undefined, one.to !== undefined],
      ),
    ).toEqual([
      ['refs/heads/new', false, true],
      ['refs/replace/0123456789012345678901234567890123456789', false, true],
      ['refs/tags/v1', true, false],
    ]);
  });

  it('files in the checkout, also one that was changed before', async () => {
    const { editCheckout, switchCheckout } = at();
    const found = await seen(() => {
      editCheckout('b.txt');
      editCheckout('a.txt');
    });
    expect(found).toMatchObject([{ kind: 'checkout-changed', files: ['a.txt', 'b.txt'] }]);
    expect(await seen(() => editCheckout('a.txt'))).toMatchObject([{ files: ['a.txt'] }]);
    expect(await seen(() => switchCheckout('other'))).toMatchObject([{ files: ['HEAD'] }]);
  });

  it('files of the home that git, the gate, a login or a later session obeys', async () => {
    for (const effect of homeEffects) {
      const once = { kind: 'home-changed', effect, file: expect.stringMatching(/^~\//) };
      expect(await seen(() => at().changeHome(effect))).toEqual([once]);
      expect(await seen(() => at().changeHome(effect))).toEqual([once]);
    }
  });

  it('everything at once, always in one order', async () => {
    const found = await seen(() => {
      at().editCheckout('a.txt');
      at().moveRef('refs/tags/v1', undefined);
      at().changeSettings('config');
      at().plantHook('post-commit');
    });
    expect(found.map(({ kind }) => kind)).toEqual([
      'git-hook',
      'git-settings',
      'ref-moved',
      'checkout-changed',
    ]);
  });
}

function unwatched(at: () => GuardHarness, seen: Seen): void {
  it("the attempt's own branch", async () => {
    expect(await seen(() => at().moveRef(OWN, 'elsewhere'))).toEqual([]);
    expect(await seen(() => at().moveRef(OWN, undefined))).toEqual([]);
  });

  it('refs that others are expected to move, by name or by folder', async () => {
    const landing = () => at().moveRef('refs/heads/other', 'elsewhere');
    expect(await seen(landing, ['refs/heads/other'])).toEqual([]);
    const folder = () => at().moveRef('refs/heads/yard/r/b-1', 'elsewhere');
    expect(await seen(folder, ['refs/heads/yard/'])).toEqual([]);
  });

  it('refs of ours that hold work, and what was seen of remotes', async () => {
    const found = await seen(() => {
      at().moveRef('refs/yard/keep/r/a-1', 'elsewhere');
      at().moveRef('refs/remotes/origin/main', 'elsewhere');
      at().moveRef('refs/stash', 'elsewhere');
    });
    expect(found).toEqual([]);
  });
}
