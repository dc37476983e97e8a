// The agents that are tested, as scripts/clis.mjs installed them.
import { describe, inject } from 'vitest';

export const cliNames = ['claude', 'codex', 'opencode', 'gemini'] as const;
export type CliName = (typeof cliNames)[number];

/** Where the program is, or why it is not tested. */
export type Cli = { readonly binary: string } | { readonly left: string };

declare module 'vitest' {
  interface ProvidedContext {
    clis: Readonly<Record<CliName, Cli>>;
  }
}

export function binaryOf(name: CliName): string {
  const cli = inject('clis')[name];
  if ('left' in cli) throw new Error(`${name} is ${cli.left}`);
  return cli.binary;
}

export function isThere(name: CliName): boolean {
  return 'binary' in inject('clis')[name];
}

/** The same tests for each of some agents; those that are left out show with the reason. */
export function eachCli(
  title: string,
  names: readonly CliName[],
  tests: (name: CliName) => void,
): void {
  for (const name of names) {
    const cli = inject('clis')[name];
    if ('binary' in cli) describe(`${title}: ${name}`, () => tests(name));
    // reason: the person who runs the tests left it out, as the title says
    else describe.skip(`${title}: ${name} is ${cli.left}`, () => tests(name));
  }
}

/** Tests that need several agents in one run. */
export function withClis(title: string, names: readonly CliName[], tests: () => void): void {
  const missing = names.filter((name) => !isThere(name));
  if (missing.length === 0) describe(title, tests);
  // reason: the person who runs the tests left an agent out, as the title says
  else describe.skip(`${title} (without ${missing.join(', ')})`, tests);
}
