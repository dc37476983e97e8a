// OpenAI Chat Completions: what opencode speaks to a provider it has no package for, and many others speak too.
import { randomUUID } from 'node:crypto';
import type { Answer, Asked, ModelApi, Reply } from './api.ts';
import { frame, type Json, list, text, textOf, words } from './json.ts';
import { openaiRefusal, openaiTools } from './openai.ts';
import type { Tokens } from './script.ts';

export const chat: ModelApi = {
  name: 'chat',
  takes: (path) => path.endsWith('/chat/completions'),
  read,
  reported: (tokens) => ({ ...tokens, cacheWrite: 0 }),
  reply,
  refuse: openaiRefusal,
  streamError: (message) => frame({ error: { message, type: 'server_error', code: null } }),
};

function read(body: Json): Asked {
  const prompts: string[] = [];
  let toolResults = 0;
  let lastResult = '';
  for (const message of list(body.messages)) {
    if (message.role === 'tool') {
      toolResults += 1;
      lastResult = textOf(message.content);
    } else if (message.role === 'user') {
      prompts.push(textOf(message.content));
      toolResults = 0;
    }
  }
  const effort = text(body.reasoning_effort);
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
  const head = {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1000),
    model,
  };
  const chunk = (delta: Json, finish: string | null = null): string =>
    frame({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
  const tool_calls =
    call === undefined
      ? []
      : [
          {
            index: 0,
            id: `call_${randomUUID()}`,
            type: 'function',
            function: { name: call.name, arguments: JSON.stringify(call.args) },
          },
        ];
  const finish = call === undefined ? 'stop' : 'tool_calls';
  const usage = usageOf(tokens);
  const message = {
    role: 'assistant',
    content: say ?? null,
    ...(call === undefined ? {} : { tool_calls }),
  };
  return {
    frames: [
      chunk({ role: 'assistant', content: '' }),
      ...words(say ?? '').map((content) => chunk({ content })),
      ...(call === undefined ? [] : [chunk({ tool_calls })]),
      chunk({}, finish),
      frame({ ...head, choices: [], usage }),
      'data: [DONE]\n\n',
    ],
    whole: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finish }],
      usage,
    },
  };
}

function usageOf({ input, cacheRead, output, reasoning }: Tokens): Json {
  return {
    prompt_tokens: input + cacheRead,
    completion_tokens: output,
    total_tokens: input + cacheRead + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
