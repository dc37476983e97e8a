import type { CheckFailure, Evidence } from '../model/evidence.ts';
import { limits } from '../model/limits.ts';
import { CargoReader } from './cargo.ts';
import { CompilerReader } from './compiler.ts';
import { GoReader } from './go.ts';
import { JavaReader } from './java.ts';
import { JestReader, MochaReader, VitestReader } from './javascript.ts';
import { NodeSpecReader } from './node-spec.ts';
import { PytestReader, UnittestReader } from './python.ts';
import { cutLine, type Found, type Reader, Signs } from './reader.ts';
import { TapReader } from './tap.ts';

/** Facts from the output of a failed gate command. */
export interface OutputFacts {
  readonly evidence: Evidence;
  /** The last command that a shell could not find. */
  readonly missing?: string;
  /** True if make reports a missing command. */
  readonly isMakeMissing: boolean;
}

/**
 * Extracts the failures from a command's output, line by line. It knows the common test runners, compilers and linters,
 * and several may have printed. From other output it keeps the first lines and those that look like failures. Memory is
 * bounded.
 */
export class OutputReader {
  readonly #readers: readonly Reader[] = [
    new TapReader(),
    new NodeSpecReader(),
    new VitestReader(),
    new JestReader(),
    new MochaReader(),
    new PytestReader(),
    new UnittestReader(),
    new GoReader(),
    new CargoReader(),
    new JavaReader(),
    new CompilerReader(),
  ];
  readonly #signs = new Signs();
  readonly #head: string[] = [];
  #headChars = 0;
  #missing: string | undefined;
  #isMakeMissing = false;
  #lines = 0;

  line(text: string): void {
    this.#lines += 1;
    for (const reader of this.#readers) reader.line(text, this.#lines);
    this.#signs.line(text);
    this.#missing = missingCommand(text) ?? this.#missing;
    this.#isMakeMissing ||= isMakesNotFound(text);
    if (this.#headChars >= limits.evidenceHeadChars) return;
    const kept = cutLine(text);
    this.#head.push(kept);
    this.#headChars += kept.length + 1;
  }

  end(): OutputFacts {
    const findings = this.#readers.map((reader) => reader.end());
    const found = findings.flatMap(({ list }) => list).sort((a, b) => a.at - b.at);
    const total = findings.reduce((sum, one) => sum + one.total, 0);
    const failures = bounded(found.slice(0, limits.evidenceFailures));
    const isKnown = failures.length > 0;
    const evidence: Evidence = {
      failures,
      unlisted: Math.max(0, total - failures.length),
      signs: isKnown ? [] : this.#signs.end(),
      head: isKnown ? '' : this.#head.join('\n'),
    };
    const missing = this.#missing;
    const isMakeMissing = this.#isMakeMissing;
    return missing === undefined
      ? { evidence, isMakeMissing }
      : { evidence, missing, isMakeMissing };
  }
}

/** Keeps every name. The more failures, the shorter each message. */
function bounded(found: readonly Found[]): readonly CheckFailure[] {
  const share = Math.floor(limits.evidenceChars / Math.max(1, found.length));
  return found.map(({ name, message }) => ({ name, message: firstLines(message, share) }));
}

/** Keeps whole lines, so that no place or name is cut. */
function firstLines(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const lines: string[] = [];
  let left = chars;
  for (const line of text.split('\n')) {
    left -= line.length + 1;
    if (left < 0 && lines.length > 0) return [...lines, '[…]'].join('\n');
    lines.push(line);
  }
  return lines.join('\n');
}

/**
 * Messages for a missing command: dash, bash, zsh, busybox, make, env, and package managers with their own shell. The
 * first group is the name.
 */
const patterns: readonly RegExp[] = [
  /^(?:\S*\/)?(?:yarn|bun|pnpm)?:? ?command not found: (\S+)$/,
  /^\S+: ?(?:line )?(?:\d+: ?)?command not found: (\S+)$/,
  /^\S+: (?:line )?(?:\d+: )?([^\s:]+): (?:command )?not found$/,
  /^\S+: (?:line \d+: )?([^\s:]*\/[^\s:]+): No such file or directory$/,
  /^make(?:\[\d+\])?: ([^\s:]+): (?:No such file or directory|Command not found)$/,
  /^(?:\S*\/)?env: [‘'"]?([^\s‘’'":]+)[’'"]?: No such file or directory$/,
  /^spawn (\S+) ENOENT$/,
];

export function missingCommand(line: string): string | undefined {
  if (!/not found|No such file|ENOENT/.test(line)) return undefined;
  for (const wording of patterns) {
    const found = wording.exec(line.trim())?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** make exits with its own status if a command was not found. */
function isMakesNotFound(line: string): boolean {
  return /^make(?:\[\d+\])?: \*\*\* .* Error 127$/.test(line);
}
