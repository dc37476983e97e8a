import { setUp } from './setup.mjs';
import { show } from './steps.mjs';

process.exitCode = (await setUp()) || (await show('bench/main.mjs', process.argv.slice(2)));
