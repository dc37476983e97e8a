import type { ProviderFailure } from '../model/failure.ts';
import type { Json } from './harness.ts';
import { jsonOf, listAt, numberAt, objectAt, textAt } from './stream.ts';
import { moment, type Wait, waitIn, withWait } from './wait.ts';

/** An error as the agent reported it. Text about the task is never part of it. */
export interface ReportedError {
  /** Error text. A JSON body inside it is parsed. */
  readonly message: string;
  readonly status?: number | undefined;
  /** Error class names, the most specific first. */
  readonly codes?: readonly (string | undefined)[];
  /** Response headers with lower-case names. */
  readonly headers?: Json | undefined;
  /** Time of the next try, if the stream has it as data. */
  readonly wait?: Wait | undefined;
  readonly model?: string | undefined;
  /** Environment variable of the API key, if the agent uses one. */
  readonly variable?: string | undefined;
}

/** Failures that the error of a service can mean. */
type Kind = Exclude<
  ProviderFailure['kind'],
  'permission-denied' | 'agent-limit' | 'session-lost' | 'stream-broken' | 'agent-error'
>;

/** Error names with one meaning in all APIs, agents and operating systems, in lower case. */
const kindOfCode = kindsByName({
  'provider-auth': `
    authentication_failed authentication_error invalid_api_key incorrect_api_key
    api_key_invalid oauth_org_not_allowed permission_error unauthorized unauthenticated
    permission_denied providerautherror`,
  'provider-billing': 'billing_error billing_not_active payment_required',
  'quota-exhausted': `
    usage_limit_reached usage_limit_exceeded quota_exceeded quota_exhausted
    terminalquotaerror`,
  'model-unknown': 'model_not_found modelnotfounderror providermodelnotfounderror',
  'context-overflow': `
    context_length_exceeded contextoverflowerror prompt_too_long request_too_large`,
  'provider-unreachable': `
    econnrefused econnreset enotfound etimedout eai_again epipe connectionrefused`,
});

/** Error names that say less than the text or the status. */
const kindOfVagueCode = kindsByName({
  'provider-rate-limit': `
    rate_limit rate_limit_error rate_limit_exceeded resource_exhausted too_many_requests
    retryablequotaerror`,
  'model-unknown': 'not_found_error not_found',
  'provider-refused': 'invalid_request invalid_request_error invalid_argument',
  'provider-server': `
    api_error server_error internal_server_error internal unavailable overloaded
    overloaded_error server_overloaded`,
});

function kindsByName(names: Partial<Readonly<Record<Kind, string>>>): ReadonlyMap<string, Kind> {
  const entries = Object.entries(names) as [Kind, string][];
  return new Map(
    entries.flatMap(([kind, list]) =>
      list
        .trim()
        .split(/\s+/)
        .map((name) => [name, kind] as const),
    ),
  );
}

const overflow =
  /prompt is too long|context[ _-]?(?:length|window)|maximum context|too many (?:input )?tokens(?!,? please wait)|token count .{0,40}exceeds|exceeds? .{0,40}(?:context|token limit)/i;
const billing =
  /credit balance|\bbilling\b|payment required|purchase (?:more )?credits|insufficient (?:funds|credits?|balance)|out of credits/i;
/** Limits that only a person can raise. */
const spendingLimit =
  /spend(?:ing)? (?:limit|cap)|shared budget|out of (?:extra )?usage|requires usage credits|doesn.t include (?:extra )?usage|allocation has been disabled|usage limit is set to \$0|org.s monthly usage limit|specified API usage limits/i;
const quota =
  /usage limit|\bquota\b|(?:hit|reached) your [^.·|]{0,40}\blimit|limit reached.{0,40}reset|\bresets? (?:at|in|on)\b|(?:weekly|daily|monthly|5-hour) limit/i;
/** Bedrock limits tokens per minute. */
const throttled = /too many tokens,? please wait|throttling/i;
const rate = /rate.?limit|too many requests|\(429\)/i;
const login =
  /not logged in|please (?:log|sign) ?in|\/login\b|invalid (?:x-)?api.?key|api key not valid|incorrect api key|(?:invalid|expired|missing) (?:bearer |access |auth\w* )?(?:token|credentials?)|unauthori[sz]ed|authentication (?:failed|error|required)|api key (?:is )?(?:missing|required)|no (?:api key|credentials)/i;
const model =
  /\bmodel\b.{0,120}(?:not found|does(?: not|n't) exist|not supported|not available|unknown|may not exist)|(?:unknown|invalid|unsupported|no such) model|model not found/i;
const server =
  /overloaded|internal (?:server )?error|high demand|at capacity|service (?:is )?(?:temporarily )?unavailable|bad gateway|unexpected server error|malformed response|empty or malformed|not valid json|unexpected token/i;
const unreachable =
  /ECONN(?:REFUSED|RESET|ABORTED)|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|EPIPE|connection\s?(?:refused|reset|error|failed|closed|to .{0,40}was lost|lost)|(?:unable|cannot|could not|failed) (?:to )?connect|fetch failed|getaddrinfo|name resolution|dns error|timed? ?out|stream (?:disconnected|closed)|socket (?:hang up|connection was closed|closed)|network (?:error|is unreachable)|error sending request|premature close|^terminated\b/i;

/** Services answer 400 to very different errors; the text tells them apart. */
const kindOfStatusAndText: readonly (readonly [
  statuses: readonly number[],
  words: RegExp,
  kind: Kind,
])[] = [
  [[400, 413, 422], overflow, 'context-overflow'],
  [[400, 403, 422], billing, 'provider-billing'],
  [[400], throttled, 'provider-rate-limit'],
  [[400], login, 'provider-auth'],
  [[400, 422], model, 'model-unknown'],
  [[429], quota, 'quota-exhausted'],
  [[403], quota, 'quota-exhausted'],
];

const kindOfText: readonly (readonly [words: RegExp, kind: Kind])[] = [
  [overflow, 'context-overflow'],
  [quota, 'quota-exhausted'],
  [billing, 'provider-billing'],
  [rate, 'provider-rate-limit'],
  [throttled, 'provider-rate-limit'],
  [login, 'provider-auth'],
  [model, 'model-unknown'],
  [server, 'provider-server'],
  [unreachable, 'provider-unreachable'],
];

/**
 * Classifies the error of a service; undefined if nothing in it is known. Checks in this order: error name, status
 * (with text if ambiguous), status inside the text, text.
 */
export function recognized(agent: string, trouble: ReportedError): ProviderFailure | undefined {
  const whole = withBody(trouble);
  const { message } = whole;
  const codes = (whole.codes ?? []).flatMap((code) => code?.toLowerCase() ?? []);
  const status = whole.status ?? statusIn(message);
  const wait = whole.wait ?? waitIn(message, whole.headers ?? {});
  const kind =
    kindOfCodes(codes, wait) ??
    kindOfSpendingLimit(status, message, wait) ??
    (status === undefined ? undefined : kindOfStatus(status, message)) ??
    kindOfText.find(([words]) => words.test(message))?.[1] ??
    codes.map((code) => kindOfVagueCode.get(code)).find((found) => found !== undefined);
  if (kind === undefined) return undefined;
  const facts = { agent, message: oneLine(message), status };
  switch (kind) {
    case 'provider-auth':
      return { kind, ...facts, variable: whole.variable };
    case 'model-unknown':
      return { kind, ...facts, model: whole.model };
    case 'provider-rate-limit':
    case 'quota-exhausted':
      return withWait({ kind, ...facts }, wait);
    default:
      return { kind, ...facts };
  }
}

/** Classifies an error that certainly ended the turn. An unknown error is the agent's own. */
export function classify(agent: string, trouble: ReportedError): ProviderFailure {
  return recognized(agent, trouble) ?? agentError(agent, trouble.message);
}

export function agentError(agent: string, message: string): ProviderFailure {
  return { kind: 'agent-error', agent, message: oneLine(message) };
}

export function agentLimit(agent: string, limit: string, message: string): ProviderFailure {
  return { kind: 'agent-limit', agent, limit, message: oneLine(message) };
}

export function streamBroken(agent: string, message: string): ProviderFailure {
  return { kind: 'stream-broken', agent, message: oneLine(message) };
}

function kindOfCodes(codes: readonly string[], wait: Wait | undefined): Kind | undefined {
  const known = codes.map((code) => kindOfCode.get(code)).find((kind) => kind !== undefined);
  if (known !== undefined) return known;
  // Some services mean "no credit" by it, others "wait until tomorrow". Only the latter give a time.
  if (!codes.includes('insufficient_quota')) return undefined;
  return wait === undefined ? 'provider-billing' : 'quota-exhausted';
}

/** With a reset time it is a quota; without one, only a person can raise the limit. */
function kindOfSpendingLimit(
  status: number | undefined,
  message: string,
  wait: Wait | undefined,
): Kind | undefined {
  const mayBe = status === undefined || [400, 403, 422, 429].includes(status);
  if (!mayBe || !spendingLimit.test(message)) return undefined;
  return wait === undefined ? 'provider-billing' : 'quota-exhausted';
}

function kindOfStatus(status: number, message: string): Kind | undefined {
  const found = kindOfStatusAndText.find(
    ([statuses, words]) => statuses.includes(status) && words.test(message),
  );
  if (found !== undefined) return found[2];
  if (status === 401 || status === 403) return 'provider-auth';
  if (status === 402) return 'provider-billing';
  if (status === 404) return 'model-unknown';
  if (status === 408) return 'provider-unreachable';
  if (status === 413) return 'context-overflow';
  if (status === 429) return 'provider-rate-limit';
  if (status >= 500) return 'provider-server';
  return status >= 400 ? 'provider-refused' : undefined;
}

const statusPattern =
  /\b(?:status(?: code)?|HTTP(?:\/[\d.]+)?|API error|error code)\b\W{0,4}([45]\d\d)\b/i;

function statusIn(message: string): number | undefined {
  const found = statusPattern.exec(message)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Adds the fields of a JSON body inside the message. */
function withBody(trouble: ReportedError): ReportedError {
  const body = bodyIn(trouble.message);
  if (body === undefined) return trouble;
  const error = objectAt(body, 'error') ?? body;
  const { codes = [], status = statusIn(trouble.message) } = trouble;
  return {
    ...trouble,
    message: textAt(error, 'message') ?? trouble.message,
    codes: [...codes, textAt(error, 'type'), textAt(error, 'code'), textAt(error, 'status')],
    status: status ?? statusOf(error),
    wait: trouble.wait ?? waitOf(error),
  };
}

/** Some services put a number into `code`, others a name. */
function statusOf(error: Json): number | undefined {
  const code = numberAt(error, 'code') ?? numberAt(error, 'status');
  return code !== undefined && code >= 400 && code < 600 ? code : undefined;
}

function waitOf(error: Json): Wait | undefined {
  const at = moment(numberAt(error, 'resets_at'));
  if (at !== undefined) return at;
  const seconds = numberAt(error, 'resets_in_seconds') ?? numberAt(error, 'retry_after');
  if (seconds !== undefined) return { afterMs: seconds * 1000 };
  const delay = listAt(error, 'details').flatMap((detail) => textAt(detail, 'retryDelay') ?? [])[0];
  return delay === undefined ? undefined : waitIn(`retry in ${delay}`, {});
}

function bodyIn(text: string): Json | undefined {
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}');
  return from === -1 || to < from ? undefined : jsonOf(text.slice(from, to + 1));
}

const messageChars = 300;

/** One line, short enough for a table. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= messageChars ? line : `${line.slice(0, messageChars - 1)}…`;
}
