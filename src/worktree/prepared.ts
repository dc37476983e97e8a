/**
 * Keeps what set-up commands produced, such as `node_modules`, so that a set-up whose outcome is known is not run again.
 * Nothing here is ever a failure: what cannot be kept or brought is set up by its commands.
 */
export interface Prepared {
  /** Patterns of what was brought into a worktree, for `Git.exactly` to keep. */
  kept(dir: string): Promise<readonly string[]>;
  /**
   * Puts what a set-up with this key produced into a worktree, exactly as it was. True if it is there; then the set-up
   * need not run. What another set-up had produced there is gone in any case.
   */
  bring(dir: string, key: string): Promise<boolean>;
  /**
   * Notes what a set-up with this key has just produced in a worktree. With `share` it is copied for other worktrees:
   * then nothing else may have been in the worktree that the set-up could have used.
   */
  note(dir: string, key: string, produced: Produced): Promise<void>;
  /** Called before a worktree is removed: what was brought into it goes to the next one that is made. */
  release(dir: string): Promise<void>;
  /** Removes sets that were not used for long, or that are too large together. */
  expire(): Promise<void>;
  /** Runs the first set-up of a key alone, so that others can have a copy of what it produces. */
  first<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export interface Produced {
  /** Paths in the worktree; of a folder that is new as a whole, the folder. */
  readonly paths: readonly string[];
  readonly share: boolean;
}

/** Keeps nothing: every set-up runs. */
export const nothingPrepared: Prepared = {
  kept: async () => [],
  bring: async () => false,
  note: async () => {},
  release: async () => {},
  expire: async () => {},
  first: (_key, work) => work(),
};

/**
 * Folders that hold what a package manager installed. Whatever else a set-up leaves, such as a build, may come from the
 * sources, so it is made again for every commit.
 */
const folders = new Set([
  ...['node_modules', 'bower_components', '.yarn', '.pnpm-store', '.husky', '_'],
  ...['.venv', 'venv', '.bundle', 'vendor', 'deps', 'Pods', '.dart_tool', 'elm-stuff'],
]);

/** True if everything that a set-up produced is what a package manager installed. */
export function isInstalled(paths: readonly string[]): boolean {
  return paths.length > 0 && paths.every((path) => isDependency(path));
}

function isDependency(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (folders.has(name)) return name !== '_' || path.endsWith('.husky/_');
  return name.endsWith('.egg-info') || name === '.pnp.cjs' || name === '.pnp.loader.mjs';
}

/** A path as a pattern that means nothing else. */
export const asPattern = (path: string): string => `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}`;
