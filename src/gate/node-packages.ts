import type { RootFiles } from './detect.ts';

/** Package managers of Node.js projects. `yarn` is version 1, `berry` is Yarn 2 and newer. */
export type NodeManager = 'npm' | 'pnpm' | 'yarn' | 'berry' | 'bun';

/** Lock files in the order in which they decide; a repository may still have one of a manager it has left. */
export const nodeLocks = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
] as const;

/** The package manager of a Node.js project: the one `packageManager` names, else the one whose lock file is there. */
export function nodeManager(root: RootFiles): NodeManager {
  const named = /"packageManager"\s*:\s*"(npm|pnpm|yarn|bun)@/.exec(textOf(root, 'package.json'));
  const lock = nodeLocks.find(([file]) => root.has(file))?.[1];
  const found = nodeLocks.find(([, name]) => name === named?.[1])?.[1] ?? lock ?? 'npm';
  return found === 'yarn' && isBerry(root) ? 'berry' : found;
}

function isBerry(root: RootFiles): boolean {
  const isNewer = /"packageManager"\s*:\s*"yarn@(?!1\.)/.test(textOf(root, 'package.json'));
  return isNewer || root.has('.yarnrc.yml') || textOf(root, 'yarn.lock').includes('__metadata:');
}

/** The text of a file that may not be there. */
export function textOf(root: RootFiles, path: string): string {
  return root.has(path) ? (root.read(path) ?? '') : '';
}
