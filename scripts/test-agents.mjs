// Installs the real agents that are pinned in test/clis, and runs one smoke of each.
import { installClis } from './clis.mjs';
import { setUp } from './setup.mjs';
import { projects, show, VITEST } from './steps.mjs';

process.exitCode =
  (await setUp()) ||
  (await installClis()) ||
  (await show(VITEST, ['run', ...projects(['agents']), ...process.argv.slice(2)]));
