// What both APIs of OpenAI share: tools and refusals.
import type { Refusal, Tool } from './api.ts';
import { type Refused, retryAfter, statusOf } from './fault.ts';
import { list, record, text } from './json.ts';

/** Tools stand in a list, in groups of one level, or wrapped as functions. */
export function openaiTools(tools: unknown): readonly Tool[] {
  return list(tools).flatMap((tool) => {
    if (tool.type === 'namespace') {
      const group = text(tool.name);
      return openaiTools(tool.tools).map((inner) => ({ ...inner, group }));
    }
    const body = tool.function === undefined ? tool : record(tool.function);
    const name = text(body.name) || text(tool.type);
    return [{ name, schema: record(body.parameters) }];
  });
}

/** Type, code and words of each refusal. */
const said: Readonly<Record<Refused['id'], readonly [string, string | null, message: string]>> = {
  auth: ['invalid_request_error', 'invalid_api_key', 'Incorrect API key provided: scripted-key.'],
  forbidden: ['permission_error', null, 'You have insufficient permissions for this operation.'],
  model: [
    'invalid_request_error',
    'model_not_found',
    'The model `no-such-model` does not exist or you do not have access to it.',
  ],
  'bad-request': ['invalid_request_error', null, "Missing required parameter: 'input'."],
  'too-long': [
    'invalid_request_error',
    'context_length_exceeded',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
  ],
  credit: [
    'insufficient_quota',
    'insufficient_quota',
    'You exceeded your current quota, please check your plan and billing details.',
  ],
  'rate-limit': [
    'tokens',
    'rate_limit_exceeded',
    'Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.',
  ],
  quota: ['tokens', 'rate_limit_exceeded', 'The usage limit has been reached'],
  server: ['server_error', null, 'The server had an error while processing your request.'],
  unavailable: ['server_error', null, 'The engine is currently overloaded, please try again later'],
  overloaded: ['server_error', null, 'The engine is currently overloaded, please try again later'],
};

export function openaiRefusal(fault: Refused, nowMs: number): Refusal {
  const [type, code, message] = said[fault.id];
  return {
    // Here the lack of credit is told like a rate limit.
    status: fault.id === 'credit' ? 429 : statusOf[fault.id],
    headers: retryAfter(fault, nowMs),
    body: { error: { message, type, param: null, code } },
  };
}
