import { unreachable } from '../model/failure.ts';
import { type Finding, severities } from '../model/review.ts';
import type { Breach, Trespass } from '../model/violation.ts';
import { place, words } from './explanation.ts';
import { shortCommit } from './time.ts';

/** A rule that the work breaks, and what has to be done about it, in one sentence. */
export function breachSays(breach: Breach): string {
  switch (breach.kind) {
    case 'protected-path':
      return `${breach.file} is protected (${breach.pattern}): leave it as it is, or let a person approve the change.`;
    case 'gate-changed':
      return `${breach.file} decides what the gate runs (${words(breach.what)}): leave that as it is, or let a person approve the change.`;
    case 'out-of-scope':
      return `${breach.file} is outside of the task's paths (${words(breach.allowed.join(', '))}): take the change back.`;
    case 'too-large':
      return `It changes ${breach.value} ${breach.what}, and ${breach.limit} is the limit: make it smaller, or split the task.`;
    case 'test-deleted':
      return `${breach.file} is a test and was deleted: bring it back.`;
    case 'test-emptied':
      return `${breach.file} holds no test any more: bring its tests back.`;
    case 'test-skipped':
      return `${breach.file} skips a test (${words(breach.line)}): let it run.`;
    case 'test-weakened':
      return `${breach.file} lost a check (${words(breach.line)}): bring it back.`;
    case 'nested-repository':
      return `${breach.file} is a repository of its own, and its files would not land: take its .git away.`;
    case 'lines-dropped': {
      const [first = '', ...further] = breach.lines;
      const more = further.length === 0 ? '' : ` and ${further.length} more`;
      return `${breach.file} lost lines that the target had gained (${words(first)}${more}): bring them back, or say why they go.`;
    }
    default:
      return unreachable(breach);
  }
}

/** Something outside of its worktree that changed while the agent worked, in one sentence. */
export function trespassSays(trespass: Trespass): string {
  switch (trespass.kind) {
    case 'git-hook':
      return `The git hook ${trespass.name} was planted, changed or taken away.`;
    case 'git-settings':
      return `The repository's own settings were changed: ${trespass.file}.`;
    case 'ref-moved':
      return `${trespass.ref} ${moveOf(trespass)}.`;
    case 'checkout-changed':
      return `Files in the checkout ${trespass.dir} were changed: ${words(trespass.files.join(', '))}.`;
    case 'worktree-changed':
      return `The worktree of ${trespass.task} was changed: ${trespass.dir}.`;
    case 'verdict-forged':
      return `A verdict on the tree ${shortCommit(trespass.tree)} appeared that no gate gave.`;
    default:
      return unreachable(trespass);
  }
}

function moveOf({ from, to }: Extract<Trespass, { kind: 'ref-moved' }>): string {
  if (to === undefined) return from === undefined ? 'was moved' : 'was deleted';
  if (from === undefined) return `was made at ${shortCommit(to)}`;
  return `was moved from ${shortCommit(from)} to ${shortCommit(to)}`;
}

/** `F1 blocker src/a.ts:7: It drops errors` */
export function findingSays({ id, severity, file, line, text }: Finding): string {
  const where = file === undefined ? '' : ` ${place(file, line)}`;
  return `${id} ${severity}${where}: ${words(text)}`;
}

/** The gravest first; of one severity in the order in which they came. */
export function byGravity(findings: readonly Finding[]): readonly Finding[] {
  const rank = ({ severity }: Finding): number => {
    const at = severities.indexOf(severity);
    return at < 0 ? severities.length : at;
  };
  return findings.toSorted((a, b) => rank(a) - rank(b));
}
