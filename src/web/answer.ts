import type { Failure, Result } from '../model/failure.ts';
import { explain } from '../report/explain/explain.ts';
import { sentencesOf } from '../report/explain/sentences.ts';
import { answerHeaders, type Refusal } from './access.ts';
import { jsonText } from './view-text.ts';

/** The HTTP status of a failure: 4xx if the request can be put right. */
export function statusOf(failure: Failure | readonly Failure[]): Refusal['status'] {
  const first = 'kind' in failure ? failure : failure[0];
  if (first === undefined) return 500;
  if (first.kind === 'unknown-task' || first.kind === 'unknown-run') return 404;
  if (first.kind === 'task-busy') return 409;
  const { exit } = explain(first);
  if (exit === 2) return 422;
  return exit === 70 ? 500 : 503;
}

export function json(text: string, status = 200): Response {
  return new Response(text, {
    status,
    headers: { ...answerHeaders, 'content-type': 'application/json; charset=utf-8' },
  });
}

export function refused({ status, ...error }: Refusal, headers = {}): Response {
  const answer = json(jsonText({ error }), status);
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, String(value));
  return answer;
}

/** The value as JSON, or why there is none. */
export function answered(result: Result<unknown, Failure | readonly Failure[]>): Response {
  if (result.ok) return json(jsonText(result.value));
  return refused({ status: statusOf(result.failure), ...sentencesOf(result.failure) });
}
