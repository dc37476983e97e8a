/**
 * Stores what setup commands produced, such as `node_modules`, so that a setup with a known result need not run again.
 * Never fails: whatever cannot be stored or restored is set up by its commands.
 */
export interface Prepared {
  /** Patterns of the restored paths in a worktree, for `Git.exactly` to keep. */
  kept(dir: string): Promise<readonly string[]>;
  /**
   * Restores the result of the setup with this key. True if it is in place and the setup need not run. Results of any
   * other setup are removed in any case.
   */
  bring(dir: string, key: string): Promise<boolean>;
  /**
   * Records what a setup with this key has just produced. With `share` it is copied for other worktrees; then the
   * worktree must have held nothing else that the setup could have used.
   */
  note(dir: string, key: string, produced: Produced): Promise<void>;
  /** Called before a worktree is removed: passes its prepared files on to the next worktree. */
  release(dir: string): Promise<void>;
  /** Removes sets that are unused for long or exceed the size limit together. */
  expire(): Promise<void>;
  /** Runs the first setup of a key alone, so that the others can copy its result. */
  first<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export interface Produced {
  /** Paths in the worktree; a new folder is one entry. */
  readonly paths: readonly string[];
  readonly share: boolean;
}

/** Stores nothing: every setup runs. */
export const nothingPrepared: Prepared = {
  kept: async () => [],
  bring: async () => false,
  note: async () => {},
  release: async () => {},
  expire: async () => {},
  first: (_key, work) => work(),
};

/**
 * Folders that package managers install into. Other setup results, such as builds, may depend on sources and are made
 * for every commit.
 */
const folders = new Set([
  ...['node_modules', 'bower_components', '.yarn', '.pnpm-store', '.husky', '_'],
  ...['.venv', 'venv', '.bundle', 'vendor', 'deps', 'Pods', '.dart_tool', 'elm-stuff'],
]);

/** True if everything the setup produced was installed by a package manager. */
export function isInstalled(paths: readonly string[]): boolean {
  return paths.length > 0 && paths.every((path) => isDependency(path));
}

function isDependency(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (folders.has(name)) return name !== '_' || path.endsWith('.husky/_');
  return name.endsWith('.egg-info') || name === '.pnp.cjs' || name === '.pnp.loader.mjs';
}

/** Escapes a path as a literal `.gitignore` pattern. */
export const asPattern = (path: string): string => `/${path.replace(/[\\*?[\]!# ]/g, '\\$&')}`;
