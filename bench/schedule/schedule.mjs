// The order of work compared with simpler ones on the same corpora, ours being the product's own decisions.
import { join } from 'node:path';
import { bundled } from '../bundled.mjs';

/** The figures, and what shows them. */
export async function measureScheduleSim(scratch, runs) {
  const folder = join(scratch, 'schedule');
  const { measureSchedule, scheduleTables } = await bundled(folder, 'schedule/tables.ts');
  return [measureSchedule(runs), scheduleTables];
}
