// Gemini generateContent and streamGenerateContent: what gemini speaks.
import { randomUUID } from 'node:crypto';
import type { Answer, Asked, ModelApi, Refusal, Reply } from './api.ts';
import { type Refused, secondsUntil, statusOf } from './fault.ts';
import { frame, type Json, list, record, text, words } from './json.ts';
import type { Tokens } from './script.ts';

const PATH = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

export const gemini: ModelApi = {
  name: 'gemini',
  takes: (path) => PATH.test(path),
  read,
  reported: (tokens) => ({ ...tokens, cacheWrite: 0 }),
  reply,
  refuse,
  streamError: (message) => frame({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
};

function read(body: Json, path: string): Asked {
  const [, model = '', way] = PATH.exec(path) ?? [];
  const prompts: string[] = [];
  let toolResults = 0;
  let lastResult = '';
  for (const content of list(body.contents)) {
    if (content.role === 'model') continue;
    const parts = list(content.parts);
    const results = parts.filter((part) => part.functionResponse !== undefined);
    const said = parts
      .map((part) => text(part.text))
      .filter((part) => !part.startsWith('<session_context>'))
      .join('');
    if (results.length > 0) {
      toolResults += results.length;
      lastResult = JSON.stringify(record(results.at(-1)?.functionResponse).response);
    }
    if (said.trim() !== '') {
      prompts.push(said);
      toolResults = 0;
    }
  }
  const tools = list(body.tools)
    .flatMap((tool) => list(tool.functionDeclarations))
    .map((tool) => ({
      name: text(tool.name),
      schema: record(tool.parametersJsonSchema ?? tool.parameters),
    }));
  const stream = way === 'streamGenerateContent';
  return { model, stream, tools, prompts, toolResults, lastResult };
}

function reply({ say, call }: Answer, model: string, tokens: Tokens): Reply {
  const responseId = randomUUID();
  const said = (pieces: readonly string[]): readonly Json[] => [
    ...pieces.map((piece) => ({ text: piece })),
    ...(call === undefined
      ? []
      : [
          {
            functionCall: { name: call.name, args: call.args },
            thoughtSignature: Buffer.from('scripted').toString('base64'),
          },
        ]),
  ];
  const piece = (some: readonly Json[], last: boolean): Json => ({
    candidates: [
      {
        content: { role: 'model', parts: some },
        index: 0,
        ...(last ? { finishReason: 'STOP' } : {}),
      },
    ],
    modelVersion: model,
    responseId,
    ...(last ? { usageMetadata: usageOf(tokens) } : {}),
  });
  const streamed = said(words(say ?? ''));
  return {
    frames: streamed.map((part, at) => frame(piece([part], at === streamed.length - 1))),
    whole: piece(said(say === undefined ? [] : [say]), true),
  };
}

/** Thoughts stand beside the candidates here, not within them. */
function usageOf({ input, cacheRead, output, reasoning }: Tokens): Json {
  return {
    promptTokenCount: input + cacheRead,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    totalTokenCount: input + cacheRead + output,
  };
}

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

const said: Readonly<Record<Refused['id'], string>> = {
  auth: 'Request had invalid authentication credentials. Expected OAuth 2 access token.',
  forbidden: 'The caller does not have permission',
  model: 'models/no-such-model is not found for API version v1beta, or is not supported.',
  'bad-request': 'Request contains an invalid argument.',
  'too-long':
    'The input token count (1250000) exceeds the maximum number of tokens allowed (1048576).',
  credit: 'Your prepayment credits are depleted. Please go to AI Studio to manage your billing.',
  'rate-limit': 'Resource has been exhausted (e.g. check quota).',
  quota: 'You exceeded your current quota, please check your plan and billing details.',
  server: 'An internal error has occurred. Please retry.',
  unavailable: 'The model is overloaded. Please try again later.',
  overloaded: 'The model is overloaded. Please try again later.',
};

function refuse(fault: Refused, nowMs: number): Refusal {
  const code = statusOf[fault.id];
  const details = detailsOf(fault, nowMs);
  const error = {
    code,
    message: said[fault.id],
    status: statuses[code] ?? 'UNKNOWN',
    ...(details.length === 0 ? {} : { details }),
  };
  return { status: code, headers: {}, body: { error } };
}

/** Waiting times and allowances travel as details of an error, not as headers. */
function detailsOf(fault: Refused, nowMs: number): readonly Json[] {
  const kind = (name: string): string => `type.googleapis.com/google.rpc.${name}`;
  const retry = (seconds: number): Json => ({
    '@type': kind('RetryInfo'),
    retryDelay: `${seconds}s`,
  });
  if (fault.id === 'rate-limit' && fault.retryAfterS !== undefined) {
    return [retry(fault.retryAfterS)];
  }
  if (fault.id !== 'quota') return [];
  const violation = {
    quotaMetric: 'generativelanguage.googleapis.com/generate_requests_per_day',
    quotaId: 'GenerateRequestsPerDayPerProjectPerModel',
    quotaValue: '100',
  };
  return [
    { '@type': kind('QuotaFailure'), violations: [violation] },
    retry(secondsUntil(fault.resetAt, nowMs)),
  ];
}
