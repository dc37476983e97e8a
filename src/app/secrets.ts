import type { Config } from '../config/config.ts';
import { type Redactor, redactor, secretsOf } from '../model/redact.ts';
import { withoutTokens } from '../protocol/token.ts';

export type { RedactedPieces, Redactor } from '../model/redact.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Values that no record may contain: agents' configured environment, and secrets in our own environment. */
export function secretsIn({ agents }: Pick<Config, 'agents'>, env: Environment): readonly string[] {
  const configured = Object.values(agents).map((profile) => profile.env);
  return secretsOf(env, configured);
}

/** Removes those values from text for users; `whole` removes agent tokens too. */
export function redactorFor(config: Pick<Config, 'agents'>, env: Environment): Redactor {
  const known = redactor(secretsIn(config, env));
  return { ...known, whole: (text) => withoutTokens(known.whole(text)) };
}
