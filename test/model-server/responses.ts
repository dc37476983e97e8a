// OpenAI Responses: what codex speaks.
import { randomUUID } from 'node:crypto';
import type { Answer, Asked, ModelApi, Refusal, Reply } from './api.ts';
import type { Refused } from './fault.ts';
import { frame, type Json, list, record, text, textOf, words } from './json.ts';
import { openaiRefusal, openaiTools } from './openai.ts';
import type { Tokens } from './script.ts';

export const responses: ModelApi = {
  name: 'responses',
  takes: (path) => path.endsWith('/responses'),
  read,
  reported: (tokens) => ({ ...tokens, cacheWrite: 0 }),
  reply,
  refuse,
  streamError: (message) => {
    const error = { code: 'server_error', message };
    const response = { id: id('resp'), object: 'response', status: 'failed', error };
    return frame({ type: 'response.failed', sequence_number: 1, response }, 'response.failed');
  },
};

/** What the agent puts before the prompt by itself. */
const FRAMING =
  /^\s*(?:<(?:environment_context|user_instructions|permissions|INSTRUCTIONS)|# AGENTS\.md)/;

function read(body: Json): Asked {
  const items =
    typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : list(body.input);
  const prompts: string[] = [];
  let toolResults = 0;
  let lastResult = '';
  for (const item of items as readonly Json[]) {
    if (text(item.type).endsWith('_call_output')) {
      toolResults += 1;
      lastResult = typeof item.output === 'string' ? item.output : textOf(item.output);
    } else if (item.role === 'user' && !FRAMING.test(textOf(item.content))) {
      prompts.push(textOf(item.content));
      toolResults = 0;
    }
  }
  const effort = text(record(body.reasoning).effort);
  return {
    model: text(body.model),
    stream: body.stream === true,
    tools: openaiTools(body.tools),
    prompts,
    toolResults,
    lastResult,
    ...(effort === '' ? {} : { reasoning: effort }),
  };
}

function reply({ say, call }: Answer, model: string, tokens: Tokens): Reply {
  const sequence = new Sequence();
  const whole = {
    id: id('resp'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model,
    status: 'in_progress',
    output: [],
  };
  const output: Json[] = [];
  const frames = [sequence.event('response.created', { response: whole })];
  if (say !== undefined) {
    const part = { type: 'output_text', text: say, annotations: [] };
    const item = { type: 'message', id: id('msg'), role: 'assistant', content: [part] };
    frames.push(...messageFrames(sequence, output.length, item, say));
    output.push({ ...item, status: 'completed' });
  }
  if (call !== undefined) {
    const item = {
      type: 'function_call',
      id: id('fc'),
      call_id: id('call'),
      name: call.name,
      namespace: call.group,
      arguments: JSON.stringify(call.args),
    };
    frames.push(...callFrames(sequence, output.length, item));
    output.push({ ...item, status: 'completed' });
  }
  const completed = { ...whole, status: 'completed', output, usage: usageOf(tokens) };
  frames.push(sequence.event('response.completed', { response: completed }));
  return { frames, whole: completed };
}

function messageFrames(sequence: Sequence, index: number, item: Json, say: string): string[] {
  const at = { output_index: index, item_id: item.id, content_index: 0 };
  const part = { type: 'output_text', text: '', annotations: [] };
  const added = { ...item, status: 'in_progress', content: [] };
  return [
    sequence.event('response.output_item.added', { output_index: index, item: added }),
    sequence.event('response.content_part.added', { ...at, part }),
    ...words(say).map((delta) => sequence.event('response.output_text.delta', { ...at, delta })),
    sequence.event('response.output_text.done', { ...at, text: say }),
    sequence.event('response.output_item.done', {
      output_index: index,
      item: { ...item, status: 'completed' },
    }),
  ];
}

function callFrames(sequence: Sequence, index: number, item: Json): string[] {
  const at = { output_index: index, item_id: item.id };
  const added = { ...item, status: 'in_progress', arguments: '' };
  const delta = item.arguments;
  return [
    sequence.event('response.output_item.added', { output_index: index, item: added }),
    sequence.event('response.function_call_arguments.delta', { ...at, delta }),
    sequence.event('response.function_call_arguments.done', { ...at, arguments: delta }),
    sequence.event('response.output_item.done', {
      output_index: index,
      item: { ...item, status: 'completed' },
    }),
  ];
}

function usageOf({ input, cacheRead, output, reasoning }: Tokens): Json {
  return {
    input_tokens: input + cacheRead,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + cacheRead + output,
  };
}

/** A plan of ChatGPT tells its reset inside of the error. */
function refuse(fault: Refused, nowMs: number): Refusal {
  const refusal = openaiRefusal(fault, nowMs);
  if (fault.id !== 'quota') return refusal;
  const error = {
    ...record(refusal.body.error),
    type: 'usage_limit_reached',
    code: null,
    plan_type: 'pro',
    resets_at: fault.resetAt,
    resets_in_seconds: Number(refusal.headers['retry-after']),
  };
  return { ...refusal, headers: {}, body: { error } };
}

/** Every event of a stream has its number. */
class Sequence {
  #next = 0;

  event(type: string, data: Json): string {
    const sequence_number = this.#next;
    this.#next += 1;
    return frame({ type, sequence_number, ...data }, type);
  }
}

function id(kind: string): string {
  return `${kind}_${randomUUID().replaceAll('-', '')}`;
}
