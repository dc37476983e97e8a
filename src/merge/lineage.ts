import { limits } from '../model/limits.ts';
import type { Git } from '../port/git.ts';

/**
 * Whether a commit stands on another in a straight line, as the work of an attempt does on its base. Costs no process;
 * a long or crooked line is called no, and git must be asked.
 */
export async function isStraightOn(git: Git, commit: string, base: string): Promise<boolean> {
  let at = commit;
  for (let steps = 0; steps < limits.ancestrySteps; steps += 1) {
    const info = await git.commit(at);
    if (!info.ok) return false;
    const [parent, ...others] = info.value.parents;
    if (parent === undefined || others.length > 0) return false;
    if (parent === base) return true;
    at = parent;
  }
  return false;
}
