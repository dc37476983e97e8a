// Everything: set-up, the agents that tests drive, format, lint, types, then all tests (tidy and unit first).
// With arguments: set-up, then vitest with these arguments.
import { installClis } from './clis.mjs';
import { setUp } from './setup.mjs';
import { checkText, show, VITEST } from './steps.mjs';

const args = process.argv.slice(2);

process.exitCode =
  (await setUp()) ||
  (args.length === 0 ? (await installClis()) || (await checkText()) : 0) ||
  (await show(VITEST, ['run', ...args]));
