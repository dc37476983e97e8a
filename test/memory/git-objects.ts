import { createHash } from 'node:crypto';
import type { TreeEntry } from '../../src/port/git.ts';
import type { Commit } from './git-history.ts';
import { order, type Tree } from './git-trees.ts';

/** Object store. Equal contents have equal ids; blobs have git's ids. */
export class MemoryObjects {
  readonly commits = new Map<string, Commit>();
  readonly #trees = new Map<string, Tree>();
  readonly #treeIds = new WeakMap<Tree, string>();
  readonly #blobs = new Map<string, string>();

  /** The files of a commit, and none of anything else. */
  filesOf(commit: string): Tree {
    return this.commits.get(commit)?.files ?? new Map();
  }

  tree(id: string): Tree | undefined {
    return this.#trees.get(id);
  }

  store(files: Tree, parents: readonly string[], message: string): string {
    const tree = this.treeId(files);
    const commit = hash(JSON.stringify(['commit', tree, ...parents, message]));
    if (this.commits.has(commit)) return commit;
    const below = parents.map((parent) => this.commits.get(parent)?.generation ?? 0);
    const generation = Math.max(0, ...below) + 1;
    this.commits.set(commit, { commit, tree, parents, files, message, generation });
    return commit;
  }

  treeId(files: Tree): string {
    const known = this.#treeIds.get(files);
    if (known !== undefined) return known;
    const id = hash(JSON.stringify([...files].sort(([a], [b]) => order(a, b)).flat()));
    this.#treeIds.set(files, id);
    if (!this.#trees.has(id)) this.#trees.set(id, files);
    return id;
  }

  /** Every file is a plain one. Its contents can be found by the id from now on. */
  entryOf(content: string): TreeEntry {
    const id = hash(`blob ${Buffer.byteLength(content)}\0${content}`);
    this.#blobs.set(id, content);
    return { id, mode: '100644' };
  }

  blob(id: string): string | undefined {
    return this.#blobs.get(id);
  }
}

const hash = (text: string): string => createHash('sha1').update(text).digest('hex');
