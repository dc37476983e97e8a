/** A condition outside of the project that a task waits for. A plan file has it as one line of text. */
export type Wait =
  | { readonly for: 'pull'; readonly number: number }
  | { readonly for: 'until'; readonly at: number }
  | { readonly for: 'file'; readonly path: string }
  | { readonly for: 'command'; readonly command: string };

/** Shown to users whose wait is invalid. */
export const waitRule =
  'Write "pull 12", "until 2026-12-01", "until 2026-12-01T09:00Z", "file PATH" or "command COMMAND".';

/** Reads the text of a wait; undefined if it is invalid. */
export function parseWait(text: string): Wait | undefined {
  const [, kind, rest = ''] =
    /^(pull|until|file|command) +([^\p{Cc}]*[^\p{Cc}\s])$/u.exec(text) ?? [];
  switch (kind) {
    case 'pull': {
      const [, digits] = /^#?([1-9]\d{0,8})$/.exec(rest) ?? [];
      return digits === undefined ? undefined : { for: 'pull', number: Number(digits) };
    }
    case 'until': {
      const at = timeOf(rest);
      return at === undefined ? undefined : { for: 'until', at };
    }
    case 'file':
      return { for: 'file', path: rest };
    case 'command':
      return { for: 'command', command: rest };
    default:
      return undefined;
  }
}

/** A day begins at 00:00 UTC. A time needs its offset, because people and machines may be in different zones. */
function timeOf(text: string): number | undefined {
  const [, day, time] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)))?$/.exec(text) ?? [];
  if (day === undefined) return undefined;
  const start = Date.parse(`${day}T00:00Z`);
  // A day such as February 30 would become another day.
  if (Number.isNaN(start) || !new Date(start).toISOString().startsWith(day)) return undefined;
  const at = time === undefined ? start : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

export function waitText(text: string): string {
  const wait = parseWait(text);
  switch (wait?.for) {
    case 'pull':
      return `pull request #${wait.number}`;
    case 'until':
      return text.replace(/^until +/, '');
    case 'file':
      return `the file ${wait.path}`;
    case 'command':
      return `the command \`${wait.command}\``;
    case undefined:
      return text;
  }
}

/** Completes the sentence "it waits for …" with all of them. */
export function waitsText(waits: readonly string[]): string {
  return waits.map(waitText).join(' and ');
}
