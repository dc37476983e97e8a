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
      return `${violation.file} is protected (${violation.pattern}). Revert your change.`;
    case 'gate-changed':
      return `${violation.file} decides how work is judged (${violation.what}). Revert your change.`;
    case 'out-of-scope':
      return `${violation.file} is not among the files of this task (${violation.allowed.join(', ')}). Revert your change, and file its purpose as another task.`;
    case 'too-large':
      return `The change has ${violation.value} ${violation.what}; the limit is ${violation.limit}. Leave out what the task does not need, or do the part that fits.`;
    case 'test-deleted':
      return `${violation.file} is a test and was deleted. Restore it.`;
    case 'test-emptied':
      return `${violation.file} is a test file and no longer contains a test. Restore its tests.`;
    case 'test-skipped':
      return `${violation.file} skips a test (${short(violation.line)}). Let it run, and fix the code instead.`;
    case 'test-weakened':
      return `${violation.file} no longer has the assertion: ${short(violation.line)}. Restore it, and fix the code instead.`;
    case 'nested-repository':
      return `${violation.file} is a nested git repository, so its files would not land. Remove its .git folder, or remove it.`;
    case 'lines-dropped':
      return `${violation.file} lost lines that others had landed: ${violation.lines.slice(0, 5).map(short).join(' | ')}. Restore them. If one must go, name the file in a trailer of a commit message: Yard-Dropped: ${violation.file}`;
    default:
      return unreachable(violation);
  }
}

export function tamperingsPrompt(found: readonly Tampering[]): string {
  return [
    bounded('While you worked, these changed outside of your worktree:', found.map(tamperingLine)),
    'If you did this, undo it as far as you can, and work only inside your worktree: everything outside is shared with others. If you did not, continue; a person reviews it before anything lands.',
  ].join('\n\n');
}

function tamperingLine(found: Tampering): string {
  switch (found.kind) {
    case 'git-hook':
      return `the git hook ${found.name}`;
    case 'git-settings':
      return `git settings in ${found.file}`;
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
