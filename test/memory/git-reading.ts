import { withoutNul } from '../../src/git/command.ts';
import { limits } from '../../src/model/limits.ts';
import { Trouble } from '../../src/model/trouble.ts';
import type { Change, CommitInfo, Merge } from '../../src/port/git.ts';
import { type Commit, mergeBase, reaches } from './git-history.ts';
import { mergeCommits, pickCommit } from './git-merge.ts';
import { MemoryObjects } from './git-objects.ts';
import { differences, type Tree } from './git-trees.ts';

/** The verbs that need nothing but commits and their files, and change no ref and no checkout. */
export abstract class MemoryReading {
  protected readonly objects = new MemoryObjects();

  /** The commit that a revision names. */
  protected abstract find(revision: string): string | undefined;

  /** The files of any commit. */
  tree(commit: string): Tree {
    return this.objects.filesOf(commit);
  }

  message(commit: string): string | undefined {
    return this.objects.commits.get(commit)?.message;
  }

  async commit(id: string): Promise<CommitInfo> {
    const found = this.objects.commits.get(this.find(id) ?? '');
    if (found === undefined) throw failed('commit', `${id} names no commit`);
    const { commit, tree, parents } = found;
    return { commit, tree, parents, message: withoutNul(found.message) };
  }

  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    const both = (newer: string, older: string) => reaches(this.objects.commits, newer, older);
    return this.#with('isAncestor', descendant, ancestor, both);
  }

  async missing(tip: string, commits: readonly string[]): Promise<readonly string[]> {
    const isGone = (newer: string) => (commit: string) =>
      !this.objects.commits.has(commit) || !reaches(this.objects.commits, newer, commit);
    return this.#with('missing', tip, tip, (newer) => commits.filter(isGone(newer)));
  }

  async merge(ours: string, theirs: string): Promise<Merge> {
    const merged = (a: string, b: string) => mergeCommits(this.objects, a, b).outcome;
    return this.#with('merge', ours, theirs, merged);
  }

  async pick(onto: string, commit: string): Promise<Merge> {
    return this.#with('pick', onto, commit, (a, b) => pickCommit(this.objects, a, b));
  }

  async diff(from: string, to: string): Promise<string> {
    const patch = (a: Tree, b: Tree) => differences(a, b).map((path) => `diff ${path}\n`);
    return this.#withFiles('diff', from, to, (a, b) => patch(a, b).join(''));
  }

  async changes(from: string, to: string): Promise<readonly Change[]> {
    return this.#withFiles('changes', from, to, (a, b) => changesBetween(this.objects, a, b));
  }

  async blob(id: string): Promise<Buffer | undefined> {
    return readable(this.objects.blob(id));
  }

  async listing(
    commit: string,
    wanted: (path: string) => boolean,
  ): Promise<readonly { readonly path: string; readonly id: string }[]> {
    const found = this.find(commit);
    if (found === undefined) throw failed('listing', `${commit} names no commit`);
    const files = [...this.tree(found)].filter(([path]) => wanted(path));
    return files.map(([path, id]) => ({ path, id }));
  }

  async file(commit: string, path: string): Promise<string | undefined> {
    const found = this.find(commit);
    if (found === undefined) throw failed('file', `${commit} names no commit`);
    return readable(this.tree(found).get(path))?.toString();
  }

  async mergeBase(a: string, b: string): Promise<string | undefined> {
    const base = (one: string, two: string) => mergeBase(this.objects.commits, one, two);
    return this.#with('mergeBase', a, b, base);
  }

  async log(from: string, to: string, lines: number, files?: readonly string[]): Promise<string> {
    return this.#with('log', from, to, (a, b) =>
      logLines(this.objects, a, b, { lines, touches: this.#touches(files) }),
    );
  }

  /** True for a commit, other than a merge, that changed one of the files; without files, for every commit. */
  #touches(files: readonly string[] | undefined): (commit: Commit) => boolean {
    return ({ commit, parents }) => {
      if (files === undefined) return true;
      const [parent] = parents;
      const before: Tree = parent === undefined ? new Map() : this.tree(parent);
      const changed = differences(before, this.tree(commit));
      return parents.length < 2 && changed.some((path) => files.includes(path));
    };
  }

  async changedTogether(tip: string, most: number): Promise<readonly (readonly string[])[]> {
    return this.#with('changedTogether', tip, tip, (newest) => {
      const found: (readonly string[])[] = [];
      const ahead = [newest];
      const seen = new Set<string>();
      for (let id = ahead.shift(); id !== undefined && found.length < most; id = ahead.shift()) {
        const { parents = [] } = this.objects.commits.get(id) ?? {};
        if (seen.has(id)) continue;
        seen.add(id);
        ahead.push(...parents);
        const [parent] = parents;
        const before: Tree = parent === undefined ? new Map() : this.tree(parent);
        if (parents.length < 2) found.push(differences(before, this.tree(id)));
      }
      return found;
    });
  }

  async stat(from: string, to: string): Promise<string> {
    return this.#withFiles('stat', from, to, statLines);
  }

  #with<T>(verb: string, a: string, b: string, answer: (a: string, b: string) => T): T {
    const [one, two] = [this.find(a), this.find(b)];
    if (one === undefined || two === undefined) throw failed(verb, 'no such commit');
    return answer(one, two);
  }

  #withFiles<T>(verb: string, a: string, b: string, answer: (a: Tree, b: Tree) => T): T {
    return this.#with(verb, a, b, (one, two) => answer(this.tree(one), this.tree(two)));
  }
}

export const failed = (verb: string, stderr: string) =>
  new Trouble({ kind: 'git-failed', args: [verb], exit: 1, stderr });

function changesBetween(objects: MemoryObjects, from: Tree, to: Tree): Change[] {
  return differences(from, to).map((path) => {
    const [was, is] = [from.get(path), to.get(path)];
    return {
      path,
      ...(was === undefined ? {} : { before: objects.entryOf(was) }),
      ...(is === undefined ? {} : { after: objects.entryOf(is) }),
    };
  });
}

/** Bytes of a file, unless it is larger than anybody may read. */
function readable(content: string | undefined): Buffer | undefined {
  const bytes = content === undefined ? undefined : Buffer.from(content);
  return bytes === undefined || bytes.length > limits.blobBytes ? undefined : bytes;
}

function logLines(
  { commits }: MemoryObjects,
  from: string,
  to: string,
  { lines, touches }: { lines: number; touches: (commit: Commit) => boolean },
): string {
  const found = [...commits.values()]
    .filter(({ commit }) => reaches(commits, to, commit) && !reaches(commits, from, commit))
    .filter(touches)
    .sort((a, b) => b.generation - a.generation)
    .slice(0, Math.max(0, lines));
  const line = ({ commit, message }: { commit: string; message: string }): string =>
    `${commit.slice(0, 7)} ${message.split('\n')[0]}`.slice(0, limits.logLineChars);
  return found.map((commit) => `${line(commit)}\n`).join('');
}

function statLines(from: Tree, to: Tree): string {
  const changed = differences(from, to);
  if (changed.length === 0) return '';
  const shown = changed.slice(0, limits.statFiles).map((path) => ` ${path} | differs\n`);
  const sum = changed.length === 1 ? '1 file changed' : `${changed.length} files changed`;
  return `${shown.join('')} ${sum}\n`;
}
