import type { AttemptRecord } from '../../model/history.ts';
import type { GatedWork, GateRun, QueueStep } from '../../model/queue-history.ts';
import type { RunRecord } from '../../model/run-record.ts';
import { attemptKey, runKey, type SpanPart } from './span-part.ts';

/** A gate of a branch belongs to its attempt, any other to the run. That of a candidate links to the attempts in it. */
export function gateParts(
  run: RunRecord,
  attempts: readonly AttemptRecord[],
  queue: readonly QueueStep[],
): readonly SpanPart[] {
  const inCandidate = new Map<string, AttemptRecord[]>();
  for (const attempt of attempts) {
    for (const prefix of attempt.prefixes) {
      if (prefix.run !== run.id) continue;
      const known = inCandidate.get(prefix.candidate) ?? [];
      inCandidate.set(prefix.candidate, known);
      known.push(attempt);
    }
  }
  return queue.flatMap(({ at, what }) => {
    if (what.type !== 'gated') return [];
    const { work, since, verdict, cached } = what.run;
    const part = {
      // The same piece of work is judged again at another time.
      key: `gate ${at} ${workKey(work)}`,
      name: 'gate',
      from: since,
      to: at,
      error: errorOf(verdict),
      attributes: {
        'yardmaster.gate.of': work.id,
        'yardmaster.gate.verdict': verdict,
        'yardmaster.gate.cached': cached,
        ...attributesOfWork(work),
      },
    };
    if (work.id === 'branch') {
      return [{ ...part, parent: attemptKey({ task: work.task, number: work.attempt }) }];
    }
    const own = work.id === 'candidate' ? (inCandidate.get(work.candidate) ?? []) : [];
    const links = own.filter(({ task }) => work.id === 'candidate' && work.tasks.includes(task));
    return [{ ...part, parent: runKey(run), links: links.map(attemptKey) }];
  });
}

function workKey(work: GatedWork): string {
  switch (work.id) {
    case 'branch':
      return attemptKey({ task: work.task, number: work.attempt });
    case 'candidate':
      return `${work.candidate} ${work.tasks.join(' ')}`;
    case 'target':
      return work.commit;
  }
}

/** An abandoned gate has no verdict, and nothing failed. */
function errorOf(verdict: GateRun['verdict']): string | undefined {
  switch (verdict) {
    case 'failed':
      return 'gate-red';
    case 'not-run':
      return 'gate-not-run';
    case 'passed':
    case 'abandoned':
      return undefined;
  }
}

function attributesOfWork(work: GatedWork): SpanPart['attributes'] {
  switch (work.id) {
    case 'branch':
      return { 'yardmaster.task.id': work.task, 'yardmaster.attempt.number': work.attempt };
    case 'candidate':
      return {
        'yardmaster.candidate.id': work.candidate,
        'yardmaster.candidate.branches': work.tasks.length,
      };
    case 'target':
      return { 'yardmaster.target.commit': work.commit };
  }
}
