import { appendFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { connectionCause } from '../model/connection-cause.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { either, Misfit, number, object, optional, parseJson, read, text } from '../model/shape.ts';
import { visibleLine } from '../model/visible.ts';
import type { TelemetrySink } from '../port/telemetry.ts';

type Sent = Result<string | undefined, string>;

/** Appends each request to a file as one line, as collectors write and read them. */
export function fileSink(file: string): TelemetrySink {
  return {
    name: file,
    async send(_, json) {
      try {
        await appendFile(file, `${json}\n`, { mode: 0o600 });
        return ok(undefined);
      } catch (error) {
        return fail(connectionCause(error));
      }
    },
  };
}

interface HttpSinkOptions {
  readonly endpoint: string;
  /** As in `OTEL_EXPORTER_OTLP_HEADERS`: `name=value`, with commas between them. */
  readonly headers: string;
  /** Time limit of one request. */
  readonly ms?: number;
}

/** Posts each request to an OTLP/HTTP endpoint; one that may succeed later is sent a second time. */
export function httpSink({
  endpoint,
  headers,
  ms = limits.telemetryMs,
}: HttpSinkOptions): TelemetrySink {
  const given = headersIn(headers);
  return {
    name: endpoint,
    async send(signal, json, until) {
      if (!given.ok) return given;
      const url = `${endpoint.replace(/\/+$/, '')}/v1/${signal}`;
      const first = await post(url, given.value, json, { ms, until });
      if (first.sent.ok || !first.again || until.aborted) return first.sent;
      await pause(limits.telemetryPauseMs);
      return (await post(url, given.value, json, { ms, until })).sent;
    },
  };
}

interface Posted {
  readonly sent: Sent;
  /** True if the same request may succeed later. */
  readonly again: boolean;
}

/** Statuses that the protocol lets a client retry. */
const passing: readonly number[] = [429, 502, 503, 504];

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { ms, until }: { readonly ms: number; readonly until: AbortSignal },
): Promise<Posted> {
  const late = AbortSignal.timeout(ms);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      // The headers would go along to the other address.
      redirect: 'error',
      signal: AbortSignal.any([late, until]),
    });
    if (response.ok) return { sent: ok(refusedIn(await startOf(response))), again: false };
    await response.body?.cancel();
    const sent = fail(`it answered with status ${response.status}`);
    return { sent, again: passing.includes(response.status) };
  } catch (error) {
    const isLate = late.aborted || until.aborted;
    return {
      sent: fail(isLate ? 'it did not answer in time' : connectionCause(error)),
      again: true,
    };
  }
}

async function startOf({ body }: Response): Promise<string> {
  let start = '';
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    start += decoder.decode(chunk, { stream: true });
    if (start.length > limits.tailBytes) break;
  }
  return start;
}

const Refusal = object({
  errorMessage: optional(text),
  rejectedSpans: optional(either(text, number)),
  rejectedDataPoints: optional(either(text, number)),
});
const Answer = object({ partialSuccess: optional(Refusal) });

/** Says what a collector refused although it took the request; undefined if it took everything. */
function refusedIn(body: string): string | undefined {
  const answer = read(Answer, parseJson(body));
  if (answer instanceof Misfit || answer.partialSuccess === undefined) return undefined;
  const { errorMessage = '', rejectedSpans, rejectedDataPoints } = answer.partialSuccess;
  const count = Number(rejectedSpans ?? rejectedDataPoints ?? 0);
  if (!(count > 0)) return undefined;
  const noun = rejectedSpans === undefined ? 'data point' : 'span';
  const what = `${count} ${noun}${count === 1 ? '' : 's'}`;
  const why = visibleLine(errorMessage).slice(0, messageChars);
  return `it refused ${what}${why === '' ? '' : `: ${why}`}`;
}

/** Characters of a collector's message that are shown. */
const messageChars = 200;

/** Headers as a record. A failure does not show their values: they are secrets. */
function headersIn(given: string): Result<Readonly<Record<string, string>>, string> {
  const pairs = given.split(',').filter((pair) => pair.trim() !== '');
  const headers = new Headers();
  try {
    for (const pair of pairs) {
      const at = pair.indexOf('=');
      // Without "=" the name is empty, which no header may be.
      headers.set(
        pair.slice(0, Math.max(0, at)).trim(),
        decodeURIComponent(pair.slice(at + 1).trim()),
      );
    }
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof URIError)) throw error;
    return fail('the variable of telemetry.headers_env does not hold name=value,name=value');
  }
  return ok(Object.fromEntries(headers));
}
