import type { Actor } from '../../model/actor.ts';

/** `Ada`, `Ada (ym ui)`, `Ada (library)`, `the daemon`; `a person` if the name was not stored. */
export function actorText(actor: Actor | undefined): string {
  if (actor === undefined) return 'a person';
  const { name, through } = actor;
  if (through === 'daemon') return 'the daemon';
  if (through === 'cli') return name;
  return through === 'library' ? `${name} (library)` : `${name} (ym ${through})`;
}
