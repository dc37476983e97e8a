// Loaded into the program that is measured: at its end it notes the most memory it ever had resident, in kilobytes.
import { readFileSync, writeFileSync } from 'node:fs';

process.on('exit', () => {
  const status = readFileSync('/proc/self/status', 'utf8');
  writeFileSync(process.env.BENCH_PEAK, /VmHWM:\s+(\d+)/.exec(status)[1]);
});
