import { type HarnessName, harnessNames } from '../config/profile.ts';
import { which } from '../process/which.ts';

export const isOnPath = (program: string): boolean => which(program, process.env.PATH, '/').ok;

/** The coding agents that are installed here, in the order they would be chosen. Each is called by its own name. */
export function harnessesOnPath(path: string | undefined): readonly HarnessName[] {
  return harnessNames.filter((name) => which(name, path, '/').ok);
}
