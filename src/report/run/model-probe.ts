import type { TurnFacts } from '../../model/turn.ts';
import type { AgentModel } from '../../plan/agent-pool.ts';
import { usageText } from '../event/turn.ts';
import { span } from '../format/time.ts';

/** `codex:gpt-5`, or the agent alone if it uses its own default. */
export function modelName({ agent, model }: AgentModel): string {
  return model === undefined ? agent : `${agent}:${model}`;
}

/** `codex:gpt-5 answered in 2 s (1,204 tokens, $0.01)` */
export function answerText(
  probed: AgentModel & Pick<TurnFacts, 'usage'> & { readonly ms: number },
): string {
  const { usage } = probed;
  const used = usage === undefined ? ' (it reports no usage)' : usageText({ usage });
  return `${modelName(probed)} answered in ${span(probed.ms)}${used}`;
}
