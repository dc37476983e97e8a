import type { Config } from '../config/config.ts';
import { type Redactor, redactor, secretsOf } from '../process/redact.ts';
import { withoutTokens } from '../protocol/token.ts';

export type { RedactedPieces, Redactor } from '../process/redact.ts';

/** The values that no record may show: what is configured for agents, and what the environment calls secret. */
export function secretsIn(
  { agents }: Pick<Config, 'agents'>,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const configured = Object.values(agents).map((profile) => profile.env);
  return secretsOf(env, configured);
}

/** Takes the same values out of text that is shown to a person, and out of a whole one the tokens of agents too. */
export function redactorFor(
  config: Pick<Config, 'agents'>,
  env: Readonly<Record<string, string | undefined>>,
): Redactor {
  const known = redactor(secretsIn(config, env));
  return { ...known, whole: (text) => withoutTokens(known.whole(text)) };
}
