import { limits } from '../model/limits.ts';
import { cutLine, type Findings, type Found, Message, type Reader, Recent } from './reader.ts';

const failure = /^\s*--- FAIL: (\S+) \(/;
const ended = /^\s*--- (?:PASS|SKIP): (\S+) \(/;
const current = /^=== (?:RUN|CONT|NAME|PAUSE)\s+(\S+)/;
const packageEnd = /^(FAIL|ok)\s*\t(\S+)(?:\s+(\[.*\]))?/;
const packageHead = /^# (\S+)(?: \[.*\])?$/;
const compileError = /^(?:vet: )?\S+\.go:\d+(?::\d+)?: /;

const runtimeFrame =
  /^(?:testing\.|runtime\.|panic\(|created by testing\.)|^\t\S*\/src\/(?:testing|runtime)\//;

interface Test {
  readonly name: string;
  readonly at: number;
  readonly message: Message;
}

/**
 * Reads go test. With `-v` a test's output precedes its result, otherwise it follows. The package name comes after all
 * of its tests.
 */
export class GoReader implements Reader {
  readonly #list: Found[] = [];
  #total = 0;
  /** Output of running tests, by name. */
  readonly #running = new Map<string, Recent>();
  readonly #lines = new Recent(20);
  #failed: Test[] = [];
  /** Packages that do not compile; their errors come before the results of the others. */
  readonly #builds = new Map<string, Test>();
  #current: string | undefined;
  #open: Message | undefined;
  #compiled: string | undefined;

  line(text: string, at: number): void {
    const [, result, name, note] = packageEnd.exec(text) ?? [];
    const failing = failure.exec(text)?.[1];
    const running = current.exec(text)?.[1];
    if (name !== undefined) this.#endPackage(name, result === 'FAIL', note, at);
    else if (failing !== undefined) this.#fail(failing, at);
    else if (running !== undefined) {
      this.#current = running;
      this.#open = undefined;
    } else if (ended.test(text)) {
      this.#running.delete(ended.exec(text)?.[1] ?? '');
      this.#open = undefined;
    } else if (packageHead.test(text)) this.#compiled = packageHead.exec(text)?.[1];
    else this.#other(text, at);
  }

  end(): Findings {
    this.#endTests('');
    for (const build of this.#builds.values()) this.#found(build);
    return { list: this.#list, total: this.#total };
  }

  #other(text: string, at: number): void {
    if (this.#compiled !== undefined && compileError.test(text)) {
      const name = `${this.#compiled} [build failed]`;
      const build = this.#builds.get(this.#compiled) ?? { name, at, message: new Message() };
      this.#builds.set(this.#compiled, build);
      build.message.add(text);
      return;
    }
    this.#compiled = undefined;
    this.#lines.add(text);
    if (this.#open !== undefined) {
      if (text !== 'FAIL' && !runtimeFrame.test(text)) this.#open.add(text);
      return;
    }
    if (this.#current === undefined) return;
    const lines = this.#running.get(this.#current) ?? new Recent(limits.evidenceMessageLines);
    this.#running.set(this.#current, lines);
    lines.add(text);
  }

  #fail(name: string, at: number): void {
    const message = new Message();
    for (const line of this.#running.get(name)?.take() ?? []) message.add(line);
    this.#running.delete(name);
    this.#failed.push({ name, at, message });
    this.#open = message;
    this.#current = undefined;
  }

  #endPackage(name: string, isRed: boolean, note: string | undefined, at: number): void {
    if (isRed && this.#failed.length === 0 && !this.#builds.has(name)) {
      const message = new Message();
      for (const line of this.#lines.take()) message.add(line);
      this.#found({ name: note === undefined ? name : `${name} ${note}`, at, message });
    }
    this.#endTests(`${name}.`);
    this.#lines.take();
    this.#running.clear();
    this.#current = undefined;
  }

  /** Skips a test without output of its own that failed only because of its subtests. */
  #endTests(prefix: string): void {
    const names = this.#failed.map(({ name }) => name);
    for (const test of this.#failed) {
      const hasParts = names.some((name) => name.startsWith(`${test.name}/`));
      if (test.message.isEmpty && hasParts) continue;
      this.#found({ ...test, name: prefix + test.name });
    }
    this.#failed = [];
    this.#open = undefined;
  }

  #found({ name, at, message }: Test): void {
    this.#total += 1;
    if (this.#list.length >= limits.evidenceFailures) return;
    this.#list.push({ name: cutLine(name), at, message: message.text() });
  }
}
