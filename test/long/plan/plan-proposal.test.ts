// A planner proposes tasks for a goal: what is stored, what goes back to it, and what is only shown.

import { expect, test } from 'vitest';
import { answers, index, project, stored } from '../../rig/plan-proposal.ts';

test('a blocking concern refuses a proposal, also with --yes', async () => {
  const critic = { use: 'command', command: ['sh', '-c', 'echo "CONCERN block: too vague"'] };
  const y = project({ critic: 'critic' }, { critic });
  answers(y, 'answer', index);
  const refused = await y.ym('plan', '--goal', 'Add search', '--yes');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stdout).toContain('block: too vague');
  expect(refused.stderr).toContain('The plan was refused, and nothing was stored: too vague');
  expect(await stored(y)).toEqual([]);
});
