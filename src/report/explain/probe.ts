import type { Failure } from '../../model/failure.ts';
import { span, utcMinute } from '../format/time.ts';
import { inline, type Sentences } from './explanation.ts';
import { signIn } from './provider.ts';

type ProbeFailure = Extract<Failure, { kind: 'probe-failed' }>;

/** Explains why a model did not answer a probe. `inner` explains the cause as if it had ended a turn. */
export function probeSentences({ agent, model, last }: ProbeFailure, inner: Sentences): Sentences {
  const name = inline(model === undefined ? agent : `${agent}:${model}`);
  const what =
    last.kind === 'limit-crossed' && last.limit === 'wall'
      ? `It did not answer within ${span(last.value)}.`
      : inner.what;
  return {
    what: `The model probe of ${name} failed. ${what}`,
    why: inner.why,
    do: `${remedyOf(inline(agent), last, inner)} \`ym doctor --models\` asks again.`,
    exit: 3,
  };
}

function remedyOf(agent: string, cause: Failure, inner: Sentences): string {
  switch (cause.kind) {
    case 'agent-missing':
    case 'agent-unknown':
      return inner.do;
    case 'provider-auth':
      return `${signIn(cause)}.`;
    case 'provider-billing':
      return `Add credit at the service, or ${another}.`;
    case 'model-unknown':
      return `Change it where it is set: \`model.default\`, \`model.by_type\`, \`model.by_priority\`, \`agents.${agent}.model\`, or a label or the text of a task.`;
    case 'quota-exhausted': {
      const { resetAt } = cause;
      return `Wait${resetAt === undefined ? '' : ` until ${utcMinute(resetAt)}`}, or ${another}.`;
    }
    case 'provider-rate-limit':
      return `Wait a little, or ${another}.`;
    default:
      return `Start the program of ${agent} by hand and ask it something.`;
  }
}

const another = 'let another agent work: `ym config set agent NAME`';
