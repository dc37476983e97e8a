import { connectionCause } from '../../model/connection-cause.ts';
import type { Usage } from '../../model/turn.ts';
import type { Json } from '../harness.ts';
import { countAt, jsonOf, listAt, numberAt, objectAt, textAt } from '../stream.ts';

/** Variable in which the client gets the key, so that no command line shows it. */
export const chatKeyVariable = 'YARD_CHAT_KEY';

/** Time limit of one question, and size limit of its answer. */
const questionMs = 60_000;
const answerBytes = 4 * 1024 * 1024;

/** One question to a chat-completions endpoint. */
interface ChatRequest {
  readonly url: string;
  readonly model: string;
  readonly key?: string | undefined;
  readonly prompt: string;
}

type ChatAnswer =
  | { readonly ok: true; readonly text: string; readonly usage?: Usage }
  | { readonly ok: false; readonly problem: string };

/** Asks once and waits at most `ms`. Never rejects. A redirect is refused, because the key would go along. */
export async function askChat(
  { url, model, key, prompt }: ChatRequest,
  ms: number = questionMs,
): Promise<ChatAnswer> {
  // The error of a header that is not allowed would show the key.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    return problem('the key has a space, a line break or a character that no header can have');
  }
  const signal = AbortSignal.timeout(ms);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }], stream: false }),
      redirect: 'error',
      signal,
    });
    const body = await boundedText(response);
    if (body === undefined) return problem('the answer is too long');
    return response.ok ? answerIn(body) : problem(refusalIn(response.status, body));
  } catch (error) {
    if (signal.aborted) return problem(`there was no answer within ${Math.round(ms / 1000)} s`);
    return problem(`the service cannot be reached: ${connectionCause(error)}`);
  }
}

const problem = (text: string): ChatAnswer => ({ ok: false, problem: text });

async function boundedText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > answerBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answerIn(body: string): ChatAnswer {
  const json = jsonOf(body);
  const [first] = listAt(json, 'choices');
  const text = textAt(objectAt(first, 'message'), 'content');
  if (json === undefined || text === undefined) {
    return problem('the answer is not a chat completion');
  }
  const usage = usageIn(json);
  return { ok: true, text, usage };
}

function refusalIn(status: number, body: string): string {
  const json = jsonOf(body);
  const message =
    textAt(objectAt(json, 'error'), 'message') ?? textAt(json, 'error') ?? body.slice(0, 200);
  return `the service answered with status ${status}: ${message.replace(/\s+/g, ' ').trim() || 'no text'}`;
}

function usageIn(json: Json): Usage | undefined {
  const usage = objectAt(json, 'usage');
  if (usage === undefined) return undefined;
  const costUsd = numberAt(usage, 'cost');
  return {
    input: countAt(usage, 'prompt_tokens'),
    cacheRead: 0,
    cacheWrite: 0,
    output: countAt(usage, 'completion_tokens'),
    ...(costUsd === undefined ? {} : { costUsd: Math.max(0, costUsd) }),
  };
}
