import type { CheckFailure, Evidence } from '../model/evidence.ts';
import { limits } from '../model/limits.ts';
import { CargoReader } from './cargo.ts';
import { GoReader } from './go.ts';
import { JestReader, MochaReader, VitestReader } from './javascript.ts';
import { NodeSpecReader } from './node-spec.ts';
import { PytestReader, UnittestReader } from './python.ts';
import { CollectingReader, cutLine, type Found, type Reader, Signs } from './reader.ts';
import { TapReader } from './tap.ts';

const tsc = /^(\S.*?)(?:\((\d+),(\d+)\):|:(\d+):(\d+) -) error (TS\d+: .*)$/;
/** GCC, clang, javac, mypy and many others. */
const plain = /^([^\s:()[\]][^:()[\]]*:\d+(?::\d+)?): (?:fatal )?(error: .*)$/;
const python = /^(\S+\.pyi?:\d+:\d+): ([A-Z]{1,4}\d{3,4}\b.*)$/;
const eslintFile = /^[^\s:].*\.\w{1,6}$/;
const eslint = /^ +(\d+:\d+) +error +(.+?)(?: {2,}(\S+))?$/;

/** Reads compilers and linters that print place and error on one line: tsc, ESLint, GCC, mypy, ruff and others. */
class CompilerReader extends CollectingReader {
  #file: string | undefined;

  line(text: string, at: number): void {
    const lint = this.#file === undefined ? null : eslint.exec(text);
    if (lint !== null) {
      const rule = lint[3] === undefined ? '' : ` (${lint[3]})`;
      return this.#open(`${this.#file}:${lint[1]}`, `${lint[2]}${rule}`, at);
    }
    if (!/[\s:]/.test(text.charAt(0)) && eslintFile.test(text)) this.#file = text;
    else if (text === '') this.#file = undefined;
    const type = text.includes('error TS') ? tsc.exec(text) : null;
    if (type !== null) {
      const [, file, line, column, prettyLine, prettyColumn, what = ''] = type;
      return this.#open(`${file}:${line ?? prettyLine}:${column ?? prettyColumn}`, what, at);
    }
    const other = text.includes('error: ') ? plain.exec(text) : python.exec(text);
    if (other !== null) return this.#open(other[1] ?? '', other[2] ?? '', at);
    // Indented lines explain the error above.
    if (/^\s+\S/.test(text) && !eslint.test(text)) this.found.add(text);
    else this.found.close();
  }

  #open(place: string, what: string, at: number): void {
    this.found.open(place, at);
    this.found.add(what);
  }
}

/** Both formats: `shop.TotalTest.adds -- Time elapsed: …` and `adds(shop.TotalTest)  Time elapsed: …`. */
const surefire =
  /^\[ERROR\] +(?!Tests run:)(\S.*?)(?: +--)? +Time elapsed: .*<<< (?:FAILURE|ERROR)!/;
const maven = /^\[(?:INFO|ERROR|WARNING|DEBUG)\]/;
const mavenError = /^\[ERROR\] (\S+\.(?:java|kt|scala|groovy):\[\d+,\d+\]) (.*)$/;
const gradle = /^(?!> )(\S.* > .+) FAILED$/;

/** Reads JUnit output of Maven Surefire and Gradle, and compiler errors. */
class JavaReader extends CollectingReader {
  #isGradle = false;

  line(text: string, at: number): void {
    const isMaven = text.startsWith('[ERROR]');
    const isGradle = text.endsWith(' FAILED');
    const test = (isMaven ? surefire.exec(text) : isGradle ? gradle.exec(text) : null)?.[1];
    const error = isMaven ? mavenError.exec(text) : null;
    if (test !== undefined) {
      this.#isGradle = isGradle;
      this.found.open(test, at);
    } else if (error !== null) {
      this.found.open(error[1] ?? '', at);
      this.found.add(error[2] ?? '');
      this.found.close();
    } else if (text === '' || maven.test(text) || (this.#isGradle && !/^\s/.test(text))) {
      this.found.close();
    } else this.found.add(text);
  }
}

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
