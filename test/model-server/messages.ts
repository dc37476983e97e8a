// Anthropic Messages: what claude speaks.
import { randomUUID } from 'node:crypto';
import type { Answer, Asked, ModelApi, Refusal, Reply } from './api.ts';
import { type Refused, retryAfter, statusOf } from './fault.ts';
import { frame, type Json, list, record, text, textOf, words } from './json.ts';
import type { Tokens } from './script.ts';

export const messages: ModelApi = {
  name: 'messages',
  takes: (path) => path.endsWith('/messages'),
  read,
  reported: (tokens) => ({ ...tokens, reasoning: 0 }),
  reply,
  refuse,
  streamError: (message) => event('error', { error: { type: 'overloaded_error', message } }),
};

function read(body: Json): Asked {
  const prompts: string[] = [];
  let toolResults = 0;
  let lastResult = '';
  for (const message of list(body.messages)) {
    if (message.role !== 'user') continue;
    const parts =
      typeof message.content === 'string'
        ? [{ type: 'text', text: message.content } as Json]
        : list(message.content);
    const results = parts.filter(({ type }) => type === 'tool_result');
    const said = parts.filter(isPrompt).map(({ text: part }) => text(part));
    if (results.length > 0) {
      toolResults += results.length;
      lastResult = textOf(results.at(-1)?.content);
    }
    // Where a turn was cut short after a tool, the next prompt stands in the message of the result.
    if (said.join('').trim() !== '') {
      prompts.push(said.join('\n'));
      toolResults = 0;
    }
  }
  const tools = list(body.tools).map((tool) => ({
    name: text(tool.name),
    schema: record(tool.input_schema),
  }));
  const effort = text(record(body.output_config).effort);
  return {
    model: text(body.model),
    stream: body.stream === true,
    tools,
    prompts,
    toolResults,
    lastResult,
    ...(effort === '' ? {} : { reasoning: effort }),
  };
}

/** The agent puts reminders of its own among what people say. */
function isPrompt(part: Json): boolean {
  return part.type === 'text' && !text(part.text).startsWith('<system-reminder>');
}

function reply({ say, call }: Answer, model: string, tokens: Tokens): Reply {
  const content = [
    ...(say === undefined ? [] : [{ type: 'text', text: say }]),
    ...(call === undefined
      ? []
      : [{ type: 'tool_use', id: id('toolu'), name: call.name, input: call.args }]),
  ];
  const usage = {
    input_tokens: tokens.input,
    cache_creation_input_tokens: tokens.cacheWrite,
    cache_read_input_tokens: tokens.cacheRead,
    output_tokens: tokens.output,
    service_tier: 'standard',
  };
  const whole = {
    id: id('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: call === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage,
  };
  const start = { ...whole, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const end = { stop_reason: whole.stop_reason, stop_sequence: null };
  return {
    whole,
    frames: [
      event('message_start', { message: start }),
      ...content.flatMap(blockFrames),
      event('message_delta', { delta: end, usage: { output_tokens: tokens.output } }),
      event('message_stop', {}),
    ],
  };
}

function blockFrames(block: Json, index: number): readonly string[] {
  const delta = (part: Json): string => event('content_block_delta', { index, delta: part });
  const [head, deltas] =
    block.type === 'text'
      ? [
          { type: 'text', text: '' },
          words(text(block.text)).map((word) => delta({ type: 'text_delta', text: word })),
        ]
      : [
          { ...block, input: {} },
          [delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) })],
        ];
  return [
    event('content_block_start', { index, content_block: head }),
    ...deltas,
    event('content_block_stop', { index }),
  ];
}

/** Type and words of each refusal. */
const said: Readonly<Record<Refused['id'], readonly [type: string, message: string]>> = {
  auth: ['authentication_error', 'invalid x-api-key'],
  forbidden: [
    'permission_error',
    'Your API key does not have permission to use the specified resource.',
  ],
  model: ['not_found_error', 'model: no-such-model'],
  'bad-request': ['invalid_request_error', 'max_tokens: Field required'],
  'too-long': ['invalid_request_error', 'prompt is too long: 250000 tokens > 200000 maximum'],
  credit: [
    'invalid_request_error',
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade.',
  ],
  'rate-limit': [
    'rate_limit_error',
    'This request would exceed the rate limit of your organization.',
  ],
  quota: ['rate_limit_error', "This request would exceed your account's rate limit."],
  server: ['api_error', 'Internal server error'],
  unavailable: ['overloaded_error', 'Overloaded'],
  overloaded: ['overloaded_error', 'Overloaded'],
};

function refuse(fault: Refused, nowMs: number): Refusal {
  const [type, message] = said[fault.id];
  return {
    status: statusOf[fault.id],
    headers: { ...retryAfter(fault, nowMs), ...unified(fault) },
    body: { type: 'error', error: { type, message }, request_id: 'req_scripted' },
  };
}

/** The headers by which a subscription tells of its allowance. */
function unified(fault: Refused): Readonly<Record<string, string>> {
  if (fault.id !== 'quota') return {};
  return {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': String(fault.resetAt),
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    'anthropic-ratelimit-unified-5h-status': 'rejected',
    'anthropic-ratelimit-unified-5h-reset': String(fault.resetAt),
    'anthropic-ratelimit-unified-5h-utilization': '1',
  };
}

function event(type: string, data: Json): string {
  return frame({ type, ...data }, type);
}

function id(kind: string): string {
  return `${kind}_${randomUUID().replaceAll('-', '')}`;
}
