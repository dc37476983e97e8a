import { int, names, number, optional, text } from './shape.ts';

const ofProvider = {
  /** Agent profile. */
  agent: text,
  /** Error text of the agent or its provider, shortened, without secrets. */
  message: text,
  /** HTTP status, if reported. */
  status: optional(int),
};

/**
 * The provider of an agent, or the agent program, ended a turn. Classified by the agent's structured output; free
 * text counts only if there is none.
 */
export const providerFailures = {
  /** Not signed in, invalid key, or account not allowed. */
  'provider-auth': { ...ofProvider, variable: optional(text) },
  /** Out of credit. */
  'provider-billing': ofProvider,
  /** Too many requests. */
  'provider-rate-limit': { ...ofProvider, retryAfterMs: optional(number) },
  /** The account's quota is used up, until `resetAt` if known (milliseconds since 1970). */
  'quota-exhausted': { ...ofProvider, resetAt: optional(number) },
  /** Provider error or overload. */
  'provider-server': ofProvider,
  'provider-unreachable': ofProvider,
  'model-unknown': { ...ofProvider, model: optional(text) },
  /** The provider rejected the request. */
  'provider-refused': ofProvider,
  'context-overflow': ofProvider,
  /** The agent needed tools that it may not use. */
  'permission-denied': { ...ofProvider, tools: names },
  /** A limit of the agent program, such as its number of steps. */
  'agent-limit': { ...ofProvider, limit: text },
  'session-lost': { ...ofProvider, session: text },
  /** The output stream ended without a valid result. */
  'stream-broken': ofProvider,
  /** The agent reported an error of unknown class. */
  'agent-error': ofProvider,
};
