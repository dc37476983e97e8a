import { limits } from '../model/limits.ts';
import { cutLine } from './reader.ts';

/** Words that test runners, compilers and shells print on failures. */
const failureWords =
  /\bnot ok\b|\bFAIL(?:ED|URE)?\b|✗|✖|✕|×|✘|\berror\b|Error\b|\bpanic|\bexpected\b|\bassert|Traceback|\bconflict\b|\bfatal\b|not found|denied|cannot /i;

/** Totals such as "# fail 0" or "0 errors". */
const empty =
  /\b0 (?:errors?|failed|failures?|failing)\b|\b(?:errors?|fail(?:ed|ures?|ing)?)[: ]+0\b/i;

/** Lines that a package manager adds to a failure. */
const packageManager = /^(?:npm (?:ERR!|error|warn)|error Command failed|ELIFECYCLE)/i;

/** True if the line looks like a failure of any tool. */
export function isSign(line: string): boolean {
  return failureWords.test(line) && !empty.test(line) && !packageManager.test(line);
}

/** The first and last lines of an output that look like failures. */
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
