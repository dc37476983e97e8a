import { main } from './cli/main.ts';

// Stays if the process ends before the command, because nothing is left to wait for. That is a bug.
process.exitCode = 70;
void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
