import { type Failure, unreachable } from '../../model/failure.ts';
import { shortCommit } from '../format/time.ts';
import { inline, type Sentences } from './explanation.ts';

type Behind = Extract<Failure, { kind: 'target-behind' }>;

/** Ids that a command may have before it is too long to print. */
const idsShown = 200;

/** Sentences about a clone that lacks something to go on with a run. */
export function behindSentences({ target, tasks, because }: Behind): Sentences {
  const branch = inline(target);
  const what = `${branch} of this clone lacks work that has landed: ${inline(tasks.join(', '))}.`;
  const why = `Another clone has probably landed it. To go on from here would fork ${branch}.`;
  const update = `Update ${branch} here, for example with \`git pull\`, and type the command again.`;
  const ids = tasks.join(' ');
  const retry = `\`ym retry ${ids.length > idsShown ? 'ID …' : inline(ids)}\``;
  switch (because.id) {
    case 'not-here':
      return {
        what,
        why,
        do: `${update} If that work is lost, type ${retry} to have it done again.`,
      };
    case 'run-elsewhere':
      return {
        what,
        why: `Another clone has probably landed it, and run ${because.run} is under way.`,
        do: `Update ${branch} here, for example with \`git pull\`, decide in the clone that drives the run, or wait for its end.`,
      };
    case 'base-not-here':
      return {
        what: `${branch} of this clone lacks ${shortCommit(because.base)}, the commit that the run started from.`,
        why: `Another clone has it. To go on from here would fork ${branch}.`,
        do: update,
      };
    case 'diverged':
      return {
        what,
        why,
        do: `${branch} has commits of its own. Put them on top of that work with \`git rebase ${because.commit} ${branch}\`, and type the command again.`,
      };
    case 'removed-here':
      return {
        what,
        why: `It was removed from ${branch} in this clone, and a process that stands by does not decide about that.`,
        do: 'Type `ym resume` without `--standby` to go on without that work, or stand by in a clone that has it.',
      };
    case 'removed-below':
      return {
        what,
        why: `Some of it was removed from ${branch} in this clone, and the newest landing contains it.`,
        do: `Take it back with \`git switch ${branch}\` and \`git merge --ff-only ${because.commit}\`, and type the command again, or go on in a clone that has it.`,
      };
    default:
      return unreachable(because);
  }
}
