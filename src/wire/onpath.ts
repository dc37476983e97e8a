import { which } from '../process/which.ts';

/** Agents people have, as plain commands that read the prompt on standard input and may change files. */
const known: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  {
    name: 'claude',
    command: [
      ...['claude', '-p', '--permission-mode', 'acceptEdits'],
      ...['--allowedTools', 'Bash,Edit,Write,Read,Glob,Grep'],
    ],
  },
  {
    name: 'codex',
    command: ['codex', 'exec', '--skip-git-repo-check', '--sandbox', 'workspace-write', '-'],
  },
  { name: 'opencode', command: ['opencode', 'run', '--auto'] },
  { name: 'gemini', command: ['gemini', '--yolo', '--skip-trust'] },
];

/** Those that are installed here, in the order they would be chosen. */
export function knownAgentsOnPath(path: string | undefined): typeof known {
  return known.filter(({ command: [binary = ''] }) => which(binary, path, '/').ok);
}
