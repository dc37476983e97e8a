import type { Here } from '../app/ports.ts';
import { hostHere, isAlive, self } from '../process/identity.ts';
import { systemClock } from '../process/system-clock.ts';

/** This process and this machine. */
export const here: Here = {
  env: process.env,
  clock: systemClock(),
  host: hostHere(),
  self,
  isAlive,
  writeFile: async (file, text) => (await import('./files.ts')).writeFile(file, text),
};
