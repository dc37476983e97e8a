import { main } from './cli/main.ts';

// Remains the exit status if the process ends before the command because no work is pending. That is a bug.
process.exitCode = 70;
void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
