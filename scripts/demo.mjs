import { setUp } from './setup.mjs';
import { show } from './steps.mjs';

process.exitCode =
  (await setUp()) || (await show('dist/main.js', ['demo', ...process.argv.slice(2)]));
