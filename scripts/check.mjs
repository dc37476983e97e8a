// The fast line before a commit: format, lint, types, tidy, unit tests.
import { checkText, show, VITEST } from './steps.mjs';

process.exitCode =
  (await checkText()) || (await show(VITEST, ['run', '--project', 'tidy', '--project', 'unit']));
