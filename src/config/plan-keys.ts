import { batchLimits } from '../model/batch.ts';
import { key } from './key.ts';
import { agentName, boolean, choice, tokensOrNone } from './values.ts';

/** Keys of planning: who proposes, reviews and revises plans, and who chooses the next tasks. */
export const planKeys = {
  plan: {
    agent: key('plan.agent', agentName, { doc: 'Agent that proposes tasks; else the default one' }),
    critic: key('plan.critic', agentName, {
      doc: 'Agent that reviews a plan before it runs and reports concerns, for `ym plan` and `ym run SOURCE`',
    }),
    revise: key('plan.revise', choice(['off', 'propose', 'apply']), {
      default: 'off',
      doc: 'Ask `plan.agent` to revise the plan when an agent gives up: `propose` waits for `ym approve`, `apply` stores the changes at once',
    }),
  },
  planner: {
    enabled: key('planner.enabled', boolean, {
      default: true,
      doc: '`false` never asks the planner; the suggestions of agents count in any case',
    }),
    agent: key('planner.agent', agentName, {
      doc: 'Agent that chooses the tasks to start next with two or more `jobs`, when agents suggest none; without it there is no planner',
    }),
    budgetTokens: key('planner.budget_tokens', tokensOrNone, {
      default: batchLimits.plannerTokensDefault,
      doc: 'Most tokens of one planner prompt; with a larger one the planner is not asked. 0 never asks it',
    }),
  },
};
