import type { RootFiles } from './detect.ts';

/** `yarn` is version 1, `berry` is Yarn 2 and newer. */
export type NodeManager = 'npm' | 'pnpm' | 'yarn' | 'berry' | 'bun';

/** Lock files by precedence; a repository may still contain one of a former package manager. */
export const nodeLocks = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
] as const;

/** Package manager named by `packageManager`, else by the lock file. */
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

/** Text of a file; empty if it does not exist. */
export function textOf(root: RootFiles, path: string): string {
  return root.has(path) ? (root.read(path) ?? '') : '';
}
