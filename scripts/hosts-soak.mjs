// Plays many tasks and faults on several hosts of a small network, and checks the history. Needs root.
//
//   node scripts/hosts-soak.mjs [TASKS] [FAULTS] [alone]      TEST_SEED=… repeats the faults of an earlier time
import { show, VITEST } from './steps.mjs';

const [tasks = '200', faults = '50', how = 'storm'] = process.argv.slice(2);
const soak = { SOAK_TASKS: tasks, SOAK_FAULTS: faults, SOAK_HOW: how };
Object.assign(process.env, { HOSTS_SOAK: '1', ...soak });
process.exitCode = await show(VITEST, [
  'run',
  '--project',
  'long-hosts',
  'test/long/hosts/hosts-soak.test.ts',
]);
