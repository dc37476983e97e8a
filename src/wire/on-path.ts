import { type HarnessName, harnessNames } from '../config/profile.ts';
import { which } from '../process/which.ts';

export const isOnPath = (program: string): boolean => which(program, process.env.PATH, '/').ok;

/** Installed coding agents, in order of preference. */
export function harnessesOnPath(path: string | undefined): readonly HarnessName[] {
  return harnessNames.filter((name) => which(name, path, '/').ok);
}
