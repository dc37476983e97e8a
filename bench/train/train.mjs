// Policies of merging compared on the same corpora, ours being the product's own decisions.
import { join } from 'node:path';
import { bundled } from '../bundled.mjs';

/** The figures, and what shows them. */
export async function measureTrainSim(scratch, runs) {
  const { measureTrain, trainTables } = await bundled(join(scratch, 'train'), 'train/tables.ts');
  return [measureTrain(runs), trainTables];
}
