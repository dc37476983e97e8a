// Compares the order of work with simpler orders on the same random graphs.
import { join } from 'node:path';
import { bundled } from '../bundled.mjs';

/** Returns the figures, and the function that formats them. */
export async function measureScheduleSim(scratch, runs) {
  const folder = join(scratch, 'schedule');
  const { measureSchedule, scheduleTables } = await bundled(folder, 'schedule/tables.ts');
  return [await measureSchedule(runs, folder), scheduleTables];
}
