import { existsSync } from 'node:fs';
import type { Opened } from '../app/ports.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import { openWithStore } from '../wire/project.ts';

/** Projects that the daemon works with, each opened once. What it stores is signed as the daemon's. */
export class Projects {
  readonly #open = new Map<string, Opened>();

  /** Fails if the folder is gone or no longer a repository. */
  async at(root: string): Promise<Result<Opened>> {
    if (!existsSync(root)) {
      await this.#close(root);
      return usage(`the project folder ${root} is gone`, 'Put it back, or stop its run there.');
    }
    const known = this.#open.get(root);
    if (known !== undefined) return ok(known);
    const opened = await openWithStore(root, 'write', 'daemon');
    if (opened.ok) this.#open.set(root, opened.value);
    return opened;
  }

  /** Closes the projects that are not named. */
  async keepOnly(roots: ReadonlySet<string>): Promise<void> {
    for (const root of this.#open.keys()) if (!roots.has(root)) await this.#close(root);
  }

  async #close(root: string): Promise<void> {
    const opened = this.#open.get(root);
    if (opened === undefined) return;
    this.#open.delete(root);
    await opened.store.close();
    await opened.git.close();
  }
}
