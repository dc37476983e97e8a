import { outcomeOf } from '../../src/model/trouble.ts';
// A run as the ledger sees it: events, and a repository in memory in which the same things happened.

import { account } from '../../src/ledger/account.ts';
import { branchOf, keepRef } from '../../src/model/branch.ts';
import type { Event, EventBody } from '../../src/model/event.ts';
import type { Failure, Result } from '../../src/model/failure.ts';
import type { LedgerEntry } from '../../src/model/ledger-entry.ts';
import type { RunSettings } from '../../src/model/run.ts';
import { MemoryGit } from '../memory/git.ts';
import { recordsOf } from '../report/records-of.ts';
import { crash, owner, settings } from '../story.ts';

export type Style = 'merge' | 'squash' | 'rebase';

export class Tale {
  readonly git = new MemoryGit({ files: { README: 'x' } });
  readonly events: Event[] = [];
  readonly run: string;
  #made = 0;

  constructor(run = 'r1') {
    this.run = run;
  }

  tell(...bodies: readonly EventBody[]): this {
    for (const body of bodies) {
      const seq = this.events.length + 1;
      this.events.push({ seq, at: 1_000 + seq, version: 1, ...body });
    }
    return this;
  }

  start(more: Partial<RunSettings> = {}, run = this.run): this {
    const told = settings(more);
    return this.tell({ type: 'run-started', run, owner, settings: told, base: 'base' });
  }

  begins(id: string, attempt = 1, run = this.run): this {
    const branch = branchOf(run, id, attempt);
    const of = { run, id, attempt, slot: 1, fence: attempt, agent: 'scripted', branch };
    return this.tell({ type: 'attempt-started', ...of });
  }

  /** The agent commits on its branch, on top of what was there, and the commit is taken over. */
  async captures(id: string, attempt = 1, run = this.run): Promise<string> {
    const branch = branchOf(run, id, attempt);
    const at = await this.at(`refs/heads/${branch}`);
    const commit = await this.commit(at ?? (await this.tip()), `${id}-${attempt}`);
    await this.move(`refs/heads/${branch}`, commit);
    await this.move(keepRef(run, id, attempt), commit);
    const tree = `tree of ${commit}`;
    this.tell({ type: 'work-captured', run, id, attempt, commit, tree, by: 'agent' });
    return commit;
  }

  /** Any commit on another one, on no branch yet. */
  async commit(on: string, name: string): Promise<string> {
    this.#made += 1;
    const dir = `/made-${this.#made}`;
    await this.git.addWorktree(dir, on);
    this.git.write(dir, `${name}-${this.#made}`, 'x');
    const made = await this.git.commitAll(dir, name);
    await outcomeOf(this.git.removeWorktree(dir));
    return made;
  }

  /** A candidate of the target and one commit, in one of the styles. */
  async builds(
    id: string,
    attempt: number,
    entry: string,
    style: Style = 'merge',
  ): Promise<string> {
    const parent = await this.tip();
    const merged = await this.git.merge(parent, entry);
    if (merged.id !== 'clean') throw new Error(merged.id);
    const parents = style === 'merge' ? [parent, entry] : [parent];
    const message = `landing of ${id}-${attempt}`;
    const commit = await this.git.commitTree(merged.tree, parents, message);
    const { run } = this;
    const entries = [{ id, attempt, commit: entry }];
    const built = {
      run,
      candidate: `c-${id}-${attempt}`,
      parent,
      commit,
      tree: merged.tree,
      entries,
    };
    this.tell({ type: 'candidate-built', ...built });
    return commit;
  }

  /** The target moves to a candidate, and what had held the work is taken away. */
  async moves(id: string, attempt: number, commit: string, run = this.run): Promise<void> {
    await this.move('refs/heads/main', commit);
    await this.drop(`refs/heads/${branchOf(run, id, attempt)}`);
    await this.drop(keepRef(run, id, attempt));
  }

  async lands(id: string, attempt: number, entry: string, style: Style = 'merge'): Promise<string> {
    const from = await this.tip();
    const commit = await this.builds(id, attempt, entry, style);
    await this.moves(id, attempt, commit);
    const entries = [{ id, attempt, commit: entry }];
    const { run } = this;
    this.tell({ type: 'landed', run, candidate: `c-${id}-${attempt}`, commit, from, entries });
    return commit;
  }

  /** The attempt is given up, its work stays on its branch. */
  async fails(id: string, attempt = 1, failure: Failure = crash, run = this.run): Promise<void> {
    await this.drop(keepRef(run, id, attempt));
    const kept = branchOf(run, id, attempt);
    this.tell({ type: 'attempt-failed', run, id, attempt, failure, kept });
  }

  async account(fallback = 'main'): Promise<Result<readonly LedgerEntry[]>> {
    const records = recordsOf(this.events);
    const targets = new Map([...records.runs].map(([id, { settings: of }]) => [id, of]));
    return account([...records.attempts.values()], targets, this.git, fallback);
  }

  async tip(): Promise<string> {
    return (await this.at('refs/heads/main')) ?? '';
  }

  async at(ref: string): Promise<string | undefined> {
    return await this.git.resolve(ref);
  }

  async move(ref: string, to: string): Promise<void> {
    await this.git.moveRefs([{ ref, to }]);
  }

  async drop(ref: string): Promise<void> {
    await this.git.moveRefs([{ ref }]);
  }
}
