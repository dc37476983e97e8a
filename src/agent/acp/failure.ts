import type { Failure } from '../../model/failure.ts';
import {
  agentError,
  agentLimit,
  classify,
  oneLine,
  recognized,
  streamBroken,
} from '../classify.ts';
import type { Json } from '../harness.ts';
import { numberAt, objectAt, textAt } from '../stream.ts';

export interface FailureContext {
  readonly agent: string;
  readonly binary: string;
  readonly session?: string | undefined;
  readonly model?: string | undefined;
}

/** Failure for an `error` line of the client. */
export function failureOf(error: Json, about: FailureContext): Failure {
  const message = textAt(error, 'message') ?? '';
  const { agent, binary, session } = about;
  switch (textAt(error, 'reason')) {
    case 'not-started':
      return { kind: 'agent-not-started', binary, cause: message };
    case 'not-resumable':
      return { kind: 'session-lost', agent, message, session: session ?? '' };
    case 'broken':
      return streamBroken(agent, message);
    case 'answer':
      return answerFailure(error, about);
    default:
      return agentError(agent, message);
  }
}

const resuming = new Set(['session/load', 'session/resume']);
const choosingModel = new Set(['session/set_model', 'session/set_config_option']);

/** Error code of the protocol. */
const authRequired = -32_000;

/**
 * Failure for an error response. The protocol hardly defines errors: some agents send the HTTP status as the code, some
 * a name in the data, some only text.
 */
function answerFailure(error: Json, about: FailureContext): Failure {
  const { agent, session = '', model } = about;
  const code = numberAt(error, 'code');
  const method = textAt(error, 'method') ?? '';
  const words = textOf(error);
  const message = words === '' ? (textAt(error, 'message') ?? '') : words;
  if (code === authRequired) {
    return { kind: 'provider-auth', agent, message: oneLine(message) };
  }
  // "Internal error" alone is a phrase of the protocol, not of a service.
  const reported = { message: words, codes: namesIn(error), model };
  const status = statusOf(error);
  // Agents also send 500 for unknown errors; then the text may say more.
  const known =
    (status === undefined || status === 500 ? recognized(agent, reported) : undefined) ??
    (status === undefined ? undefined : recognized(agent, { ...reported, status }));
  if (resuming.has(method)) {
    // A service that is down says nothing about the conversation.
    if (known !== undefined && known.kind !== 'model-unknown') return known;
    return { kind: 'session-lost', agent, message: oneLine(message), session };
  }
  if (known === undefined && choosingModel.has(method)) {
    return { kind: 'model-unknown', agent, message: oneLine(message), model };
  }
  return known === undefined
    ? agentError(agent, message)
    : { ...known, message: oneLine(known.message || message) };
}

/** Error text without the fixed phrase of its code; libraries put more into `details`. */
function textOf(error: Json): string {
  const words = (textAt(error, 'message') ?? '').replace(
    /^(?:internal error|invalid params|server error)\b[:.]?\s*/i,
    '',
  );
  const data = objectAt(error, 'data');
  const details = textAt(data, 'details') ?? textAt(data, 'message') ?? textAt(error, 'data');
  const all = [words, details].filter((part) => part !== undefined && part !== '');
  return [...new Set(all)].join(': ');
}

const nameFields = ['errorName', 'errorKind', 'codex_error_info', 'code', 'type', 'kind'];

/** Error class names, wherever an agent puts them. */
function namesIn(error: Json): string[] {
  const data = objectAt(error, 'data');
  return nameFields.flatMap((field) => {
    const name = textAt(data, field);
    if (name !== undefined) return [name];
    return Object.keys(objectAt(data, field) ?? {});
  });
}

const statusFields = ['status', 'statusCode', 'httpStatus', 'http_status_code', 'httpStatusCode'];

/** HTTP status: a number in the data, at most two levels deep, or the code itself. */
function statusOf(error: Json): number | undefined {
  const data = objectAt(error, 'data');
  const inner = objectsIn(data);
  const places = [data, ...inner, ...inner.flatMap(objectsIn)];
  const found = places.flatMap((place) => statusFields.map((field) => numberAt(place, field)));
  return [...found, numberAt(error, 'code')].find(
    (status) => status !== undefined && status >= 400 && status < 600,
  );
}

function objectsIn(json: Json | undefined): Json[] {
  const items = Object.keys(json ?? {}).map((name) => objectAt(json, name));
  return items.filter((item) => item !== undefined);
}

/** Failure for a stop reason; undefined for a normal end. */
export function stopFailure(stopReason: string, agent: string): Failure | undefined {
  switch (stopReason) {
    case 'end_turn':
      return undefined;
    case 'max_tokens':
    case 'max_turn_requests':
      return agentLimit(agent, stopReason, `The agent reached its own limit: ${stopReason}.`);
    case 'refusal':
      return { kind: 'provider-refused', agent, message: 'The model refused to continue.' };
    case 'cancelled':
      return agentError(agent, 'The agent canceled the turn by itself.');
    default:
      return classify(agent, { message: `The turn ended for an unknown reason: ${stopReason}` });
  }
}
