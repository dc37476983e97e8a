import { limits } from '../plan/limits.ts';
import { cutLine } from './reader.ts';

/** What most test runners, compilers and shells print where something is wrong. */
const failureWords =
  /\bnot ok\b|\bFAIL(?:ED|URE)?\b|✗|✖|✕|×|✘|\berror\b|Error\b|\bpanic|\bexpected\b|\bassert|Traceback|\bconflict\b|\bfatal\b|not found|denied|cannot /i;

/** Sums such as "# fail 0" or "0 errors" have the words and tell nothing. */
const empty =
  /\b0 (?:errors?|failed|failures?|failing)\b|\b(?:errors?|fail(?:ed|ures?|ing)?)[: ]+0\b/i;

/** What a package manager adds to a failure that was told already. */
const packageManager = /^(?:npm (?:ERR!|error|warn)|error Command failed|ELIFECYCLE)/i;

/** True if the line tells of a failure, whatever tool printed it. */
export function isSign(line: string): boolean {
  return failureWords.test(line) && !empty.test(line) && !packageManager.test(line);
}

/** The first and the last lines of an output that tell of a failure. */
export class Signs {
  readonly #first: string[] = [];
  readonly #last: string[] = [];

  line(text: string): void {
    if (!isSign(text)) return;
    const half = limits.evidenceSigns / 2;
    if (this.#first.length < half) this.#first.push(cutLine(text.trim()));
    else {
      this.#last.push(text);
      if (this.#last.length > half) this.#last.shift();
    }
  }

  end(): readonly string[] {
    return [...this.#first, ...this.#last.map((line) => cutLine(line.trim()))];
  }
}
