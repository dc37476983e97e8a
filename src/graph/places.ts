/**
 * A set of files and folders, in which a folder (with a slash at its end) stands for everything below it. Asking costs
 * as much as the path is deep, however many are inside.
 */
export class Places {
  readonly #names = new Set<string>();
  readonly #above = new Set<string>();

  add(names: Iterable<string>): void {
    for (const name of names) {
      this.#names.add(name);
      for (const folder of foldersAbove(name)) this.#above.add(folder);
    }
  }

  /** True if the file, or the folder or a part of it, is inside. */
  has(name: string): boolean {
    if (this.#names.has(name) || this.#above.has(name)) return true;
    return foldersAbove(name).some((folder) => this.#names.has(folder));
  }
}

/** Folders that contain a file or folder, each with a slash at its end. */
export function foldersAbove(name: string): readonly string[] {
  const found: string[] = [];
  for (let end = name.indexOf('/'); end !== -1; end = name.indexOf('/', end + 1)) {
    const folder = name.slice(0, end + 1);
    if (folder !== name) found.push(folder);
  }
  return found;
}
