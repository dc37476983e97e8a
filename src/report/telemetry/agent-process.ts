import type { CallRecord, TurnRecord } from '../../model/history.ts';
import type { Usage } from '../../model/turn.ts';

/** Name of the provider behind an agent profile. */
export type ProviderOf = (agent: string) => string;

/** Attributes of an agent process by the names of the semantic conventions for generative AI. */
export function genAiAttributes({ agent, model, end }: TurnRecord | CallRecord, of: ProviderOf) {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': of(agent),
    'gen_ai.agent.name': agent,
    'gen_ai.request.model': model,
    'gen_ai.response.model': end?.model,
  };
}

/** Input tokens by the conventions, which count cached ones too. */
export function inputTokens({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite;
}
