// Asking the server as an agent would, one request of each API, with plain fetch.
import type { ModelApi } from './api.ts';
import type { Json } from './json.ts';
import type { ModelServer } from './server.ts';

/** What was said so far: people's prompts, and `tool` for a call and its result. */
export type Said = readonly ('tool' | { readonly prompt: string })[];

export interface Question {
  readonly said: Said;
  readonly stream?: boolean;
  /** No tools: a side request. */
  readonly bare?: boolean;
  readonly scenario?: string;
  readonly key?: string;
}

const shell = {
  type: 'object',
  properties: { command: { type: 'string' } },
  required: ['command'],
};
const writer = (path: string): Json => ({
  type: 'object',
  properties: { [path]: { type: 'string' }, content: { type: 'string' } },
  required: [path, 'content'],
});

interface Way {
  readonly path: (stream: boolean) => string;
  readonly body: (question: Question) => Json;
}

export const ways: Readonly<Record<ModelApi['name'], Way>> = {
  messages: {
    path: () => '/v1/messages',
    body: ({ said, stream, bare }) => ({
      model: 'model-1',
      stream,
      messages: said.flatMap((turn): Json[] =>
        turn === 'tool'
          ? [
              {
                role: 'assistant',
                content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }],
              },
              {
                role: 'user',
                content: [{ type: 'tool_result', tool_use_id: 't', content: 'it ran' }],
              },
            ]
          : [
              {
                role: 'user',
                content: [
                  { type: 'text', text: '<system-reminder>be good</system-reminder>' },
                  { type: 'text', text: turn.prompt },
                ],
              },
            ],
      ),
      tools: bare
        ? []
        : [
            { name: 'Bash', input_schema: shell },
            { name: 'Write', input_schema: writer('file_path') },
          ],
    }),
  },
  responses: {
    path: () => '/v1/responses',
    body: ({ said, stream, bare }) => ({
      model: 'model-1',
      stream,
      reasoning: { effort: 'high' },
      input: [
        { role: 'user', content: [{ text: '<environment_context>here</environment_context>' }] },
        ...said.flatMap((turn): Json[] =>
          turn === 'tool'
            ? [
                { type: 'function_call', name: 'exec_command', call_id: 'c' },
                { type: 'function_call_output', call_id: 'c', output: 'it ran' },
              ]
            : [{ role: 'user', content: [{ type: 'input_text', text: turn.prompt }] }],
        ),
      ],
      tools: bare
        ? []
        : [
            {
              type: 'namespace',
              name: 'unix',
              tools: [
                {
                  type: 'function',
                  name: 'exec_command',
                  parameters: {
                    properties: { cmd: { type: 'string' }, quick: { type: 'boolean' } },
                    required: ['cmd', 'quick'],
                  },
                },
              ],
            },
          ],
    }),
  },
  chat: {
    path: () => '/v1/chat/completions',
    body: ({ said, stream, bare }) => ({
      model: 'model-1',
      stream,
      messages: said.flatMap((turn): Json[] =>
        turn === 'tool'
          ? [
              { role: 'assistant', content: null },
              { role: 'tool', tool_call_id: 'c', content: 'it ran' },
            ]
          : [{ role: 'user', content: turn.prompt }],
      ),
      tools: bare
        ? []
        : [
            { type: 'function', function: { name: 'bash', parameters: shell } },
            { type: 'function', function: { name: 'write', parameters: writer('filePath') } },
          ],
    }),
  },
  gemini: {
    path: (stream) =>
      `/v1beta/models/model-1:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: ({ said, bare }) => ({
      contents: said.flatMap((turn): Json[] =>
        turn === 'tool'
          ? [
              { role: 'model', parts: [{ functionCall: { name: 'run_shell_command' } }] },
              { role: 'user', parts: [{ functionResponse: { response: { output: 'it ran' } } }] },
            ]
          : [
              {
                role: 'user',
                parts: [{ text: '<session_context>here</session_context>' }, { text: turn.prompt }],
              },
            ],
      ),
      tools: bare
        ? []
        : [
            {
              functionDeclarations: [
                { name: 'run_shell_command', parametersJsonSchema: shell },
                { name: 'write_file', parametersJsonSchema: writer('file_path') },
              ],
            },
          ],
    }),
  },
};

export function ask(
  server: ModelServer,
  api: ModelApi['name'],
  { scenario = 'play', key = 'k', stream = true, ...rest }: Question,
  signal?: AbortSignal,
): Promise<Response> {
  const way = ways[api];
  return fetch(`${server.base(scenario, key)}${way.path(stream)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(way.body({ stream, ...rest })),
    signal,
  });
}

/** The data of every frame of a stream, in order. */
export async function framesOf(response: Response): Promise<readonly Json[]> {
  return (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)));
}
