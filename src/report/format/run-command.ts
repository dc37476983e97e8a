/** Tasks and slots of a run that a person starts. */
export interface RunWish {
  readonly only?: readonly string[];
  readonly epics?: readonly string[];
  readonly labels?: readonly string[];
  readonly slots?: number;
}

/** Arguments of `ym` that start the run; with every task if no names are given. */
export function runWords({ only = [], epics = [], labels = [], slots }: RunWish): string[] {
  const named = [
    ...only.flatMap((id) => ['--only', id]),
    ...epics.flatMap((epic) => ['--epic', epic]),
    ...labels.flatMap((label) => ['--label', label]),
  ];
  const scope = named.length === 0 ? ['--scope', 'ready'] : named;
  return ['run', ...scope, ...(slots === undefined ? [] : ['--jobs', String(slots)])];
}
