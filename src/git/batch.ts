import { limits } from '../model/limits.ts';
import { endedBySignal } from '../model/machine-cause.ts';
import { Trouble } from '../model/trouble.ts';
import { type Dialogue, dialogue } from '../process/dialogue.ts';
import { gitFailed } from './command.ts';
import { gitOptions } from './env.ts';

export interface FoundObject {
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
  /** Empty in an answer to `info`. */
  readonly body: Buffer;
}

/** Reads objects through one long-lived `git cat-file` process. */
export interface ObjectReader {
  /** Undefined if the revision does not exist. */
  info(revision: string): Promise<FoundObject | undefined>;
  contents(revision: string): Promise<FoundObject | undefined>;
  close(): Promise<void>;
}

interface Question {
  readonly verb: 'info' | 'contents';
  readonly revision: string;
  readonly answer: (found: FoundObject | undefined) => void;
  readonly refuse: (trouble: Trouble) => void;
  /** Number of git processes that died while answering it. */
  deaths: number;
}

const ARGS = ['cat-file', '--batch-command'];
/** Some revisions make git exit, such as a reflog entry that does not exist. */
const DEATHS_MAX = 2;

/** Sends one question at a time: answers carry no id, only their order identifies them. */
class BatchReader implements ObjectReader {
  readonly #cwd: () => Promise<string>;
  readonly #env: Readonly<Record<string, string>>;
  readonly #queue: Question[] = [];
  #child: Dialogue | undefined;
  /** Child that answers the current question; after `close` it may not be the newest one. */
  #asked: Dialogue | undefined;
  #current: Question | undefined;
  #timer: NodeJS.Timeout | undefined;
  #received: Buffer[] = [];
  #size = 0;
  #wanted = 0;

  constructor(cwd: () => Promise<string>, env: Readonly<Record<string, string>>) {
    this.#cwd = cwd;
    this.#env = env;
  }

  info(revision: string) {
    return this.#ask('info', revision);
  }

  contents(revision: string) {
    return this.#ask('contents', revision);
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    await child?.end();
  }

  async #ask(verb: 'info' | 'contents', revision: string) {
    // A line break would start a second question, and no revision contains one.
    if (revision === '' || /[\n\0]/.test(revision)) return;
    const cwd = await this.#cwd();
    return new Promise<FoundObject | undefined>((answer, refuse) => {
      this.#queue.push({ verb, revision, answer, refuse, deaths: 0 });
      this.#next(cwd);
    });
  }

  #next(cwd: string): void {
    if (this.#current !== undefined) return;
    const question = this.#queue.shift();
    if (question === undefined) return;
    this.#current = question;
    this.#clear();
    this.#child ??= this.#start(cwd);
    this.#asked = this.#child;
    this.#asked.waiting(true);
    this.#timer = setTimeout(() => this.#asked?.kill(), limits.gitWallMs);
    this.#asked.say(`${question.verb} ${question.revision}\n`);
  }

  #start(cwd: string): Dialogue {
    const child: Dialogue = dialogue(['git', ...gitOptions, ...ARGS], {
      cwd,
      env: this.#env,
      onData: (chunk) => {
        if (this.#asked === child) this.#take(chunk, cwd);
      },
      onEnd: (cause, signal) => {
        if (this.#child === child) this.#child = undefined;
        if (this.#asked === child) this.#died(cause, signal, cwd);
      },
    });
    return child;
  }

  #take(chunk: Buffer, cwd: string): void {
    const question = this.#current;
    if (question === undefined) return;
    this.#received.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#wanted) return;
    const all = Buffer.concat(this.#received, this.#size);
    this.#received = [all];
    const answer = parseAnswer(all, question.verb);
    if (answer.id === 'more') {
      this.#wanted = answer.bytes;
      if (answer.bytes > limits.gitOutputBytes) this.#asked?.kill();
      return;
    }
    this.#settle((question) => question.answer(answer.found), cwd);
  }

  #died(cause: string, signal: string | undefined, cwd: string): void {
    const question = this.#current;
    if (question === undefined) return;
    question.deaths += 1;
    if (question.deaths < DEATHS_MAX && (this.#size === 0 || signal !== undefined)) {
      clearTimeout(this.#timer);
      this.#current = undefined;
      this.#queue.unshift(question);
      return this.#next(cwd);
    }
    const message = signal === undefined ? cause : endedBySignal(signal);
    const trouble = new Trouble(gitFailed([...ARGS, question.revision], -1, message));
    this.#settle(({ refuse }) => refuse(trouble), cwd);
  }

  #settle(how: (question: Question) => void, cwd: string): void {
    const question = this.#current;
    clearTimeout(this.#timer);
    this.#current = undefined;
    this.#clear();
    this.#asked?.waiting(false);
    this.#asked = undefined;
    if (question !== undefined) how(question);
    this.#next(cwd);
  }

  #clear(): void {
    this.#received = [];
    this.#size = 0;
    this.#wanted = 0;
  }
}

type Answer =
  | { readonly id: 'more'; readonly bytes: number }
  | { readonly id: 'found'; readonly found: FoundObject | undefined };

/**
 * Parses `<id> <type> <size>`, for contents followed by that many bytes and a line break. Any other line means "not
 * found".
 */
function parseAnswer(received: Buffer, verb: Question['verb']): Answer {
  const lineEnd = received.indexOf(0x0a);
  if (lineEnd === -1) return { id: 'more', bytes: received.length + 1 };
  const line = received.toString('utf8', 0, lineEnd);
  const header = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line);
  if (header === null) return { id: 'found', found: undefined };
  const [, id = '', type = '', size = '0'] = header;
  const bytes = Number(size);
  if (verb === 'info') return { id: 'found', found: { id, type, bytes, body: Buffer.alloc(0) } };
  const end = lineEnd + 1 + bytes;
  if (received.length < end + 1) return { id: 'more', bytes: end + 1 };
  return { id: 'found', found: { id, type, bytes, body: received.subarray(lineEnd + 1, end) } };
}

/** Resolves `cwd` only when a process is started, so creating a reader is free. */
export function objectReader(
  cwd: () => Promise<string>,
  env: Readonly<Record<string, string>>,
): ObjectReader {
  return new BatchReader(cwd, env);
}
