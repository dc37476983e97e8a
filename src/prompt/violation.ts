import { unreachable } from '../model/failure.ts';
import type { Tampering, Violation } from '../model/violation.ts';
import { isForPerson } from '../model/violation.ts';
import { list, oneLine } from './wording.ts';

/** Limits of listed violations and their lines. */
const shown = 20;
const lineChars = 200;

export function violationsPrompt(violations: readonly Violation[]): string {
  const parts = [
    bounded(
      'Your work breaks rules of this project, so it was not accepted:',
      violations.map(violationLine),
    ),
    'Rules are read from the target branch; changing them in your worktree changes nothing. Fix only this, and keep the rest of your work.',
  ];
  if (violations.some(isForPerson)) {
    parts.push(
      'If the task cannot be done without such a change, keep it and say in your last message why it is needed: a person may permit it.',
    );
  } else {
    parts.push(
      'If the task itself asks for one of these, say so and why in your last message: a person may permit it.',
    );
  }
  return parts.join('\n\n');
}

function violationLine(violation: Violation): string {
  switch (violation.kind) {
    case 'protected-path':
      return `${violation.file} is protected (${violation.pattern}). Take your change of it back.`;
    case 'gate-changed':
      return `${violation.file} decides how work is judged (${violation.what}). Take your change of it back.`;
    case 'out-of-scope':
      return `${violation.file} is not among the files of this task (${violation.allowed.join(', ')}). Take your change of it back, and file what it was for as another task.`;
    case 'too-large':
      return `The change has ${violation.value} ${violation.what}; at most ${violation.limit} are allowed. Leave out what the task does not need, or do the part that fits.`;
    case 'test-deleted':
      return `${violation.file} is a test and was deleted. Bring it back.`;
    case 'test-emptied':
      return `${violation.file} is a test and has no test in it any more. Bring its tests back.`;
    case 'test-skipped':
      return `${violation.file} skips a test (${short(violation.line)}). Let it run, and fix the code instead.`;
    case 'test-weakened':
      return `${violation.file} no longer has the assertion: ${short(violation.line)}. Bring it back, and fix the code instead.`;
    case 'nested-repository':
      return `${violation.file} is a repository of its own, so its files would not land. Remove its .git, or remove it.`;
    case 'lines-dropped':
      return `${violation.file} lost lines that others had landed: ${violation.lines.slice(0, 5).map(short).join(' | ')}. Bring them back. Where one has to go, name the file in a trailer of a commit message: Yard-Dropped: ${violation.file}`;
    default:
      return unreachable(violation);
  }
}

export function tamperingsPrompt(found: readonly Tampering[]): string {
  return [
    bounded(
      'While you worked, things outside of your worktree were changed:',
      found.map(tamperingLine),
    ),
    'If that was you, undo it now as far as you can, and work only inside your worktree: what is outside is shared with others. If it was not you, go on; a person looks at it before anything lands.',
  ].join('\n\n');
}

function tamperingLine(found: Tampering): string {
  switch (found.kind) {
    case 'git-hook':
      return `the hook ${found.name} of git`;
    case 'git-settings':
      return `settings of git, in ${found.file}`;
    case 'ref-moved':
      return found.to === undefined
        ? `${found.ref} was removed`
        : `${found.ref} was moved to ${found.to}`;
    case 'checkout-changed':
      return `files in the checkout ${found.dir}: ${found.files.join(', ')}`;
    case 'worktree-changed':
      return `the worktree of task ${found.task}, ${found.dir}`;
    case 'verdict-forged':
      return `a verdict on the tree ${found.tree} that no gate gave`;
    default:
      return unreachable(found);
  }
}

function bounded(head: string, lines: readonly string[]): string {
  const more = lines.length - shown;
  return list(head, more > 0 ? [...lines.slice(0, shown), `and ${more} more`] : lines);
}

function short(line: string): string {
  const text = oneLine(line);
  return `\`${text.length > lineChars ? `${text.slice(0, lineChars)}…` : text}\``;
}
