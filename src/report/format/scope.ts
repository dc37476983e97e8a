import type { Scope } from '../../model/run.ts';

/** The tasks of a run in a few words, such as `every task with label ui, except a, b`. */
export function scopeText(scope: Scope): string {
  const { labels = [], types = [], except = [] } = scope;
  const conditions = [
    ...(labels.length === 0 ? [] : [`label ${labels.join(' or ')}`]),
    ...(types.length === 0 ? [] : [`type ${types.join(' or ')}`]),
  ];
  const narrowed = conditions.length === 0 ? '' : ` with ${conditions.join(' and ')}`;
  const left = except.length === 0 ? '' : `, except ${someOf(except)}`;
  return `${namedText(scope)}${narrowed}${left}`;
}

function namedText(scope: Scope): string {
  switch (scope.kind) {
    case 'ready':
      return 'every task';
    case 'epics':
      return `epics ${someOf(scope.epics)}`;
    case 'only':
      return `only ${someOf(scope.tasks)}`;
  }
}

/** Names that a scope lists; a plan may have hundreds. */
const namesMax = 6;

function someOf(names: readonly string[]): string {
  const more = names.length - namesMax;
  const shown = names.slice(0, namesMax).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
