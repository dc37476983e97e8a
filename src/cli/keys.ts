import type { Key, KeyName } from '../report/watch/key.ts';

/** Sequences that terminals send for keys, after the escape character. */
const sequences: Readonly<Record<string, KeyName>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  '[H': 'home',
  '[F': 'end',
  '[1~': 'home',
  '[4~': 'end',
  '[5~': 'page-up',
  '[6~': 'page-down',
  '[7~': 'home',
  '[8~': 'end',
  '[Z': 'back-tab',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  OH: 'home',
  OF: 'end',
};

const controls: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007f': 'backspace',
  '\u0003': 'ctrl-c',
  '\u000c': 'ctrl-l',
  '\u0015': 'ctrl-u',
  '\u0017': 'ctrl-w',
  '\u001a': 'ctrl-z',
};

const esc = '\u001b';
const pasteStart = `${esc}[200~`;
const pasteEnd = `${esc}[201~`;
/** A complete sequence after the escape character: a letter after `O`, or parameters and a last character after `[`. */
const sequence = /^(O[A-Za-z]|\[[0-9;<?]*[A-Za-z~])/;
const unfinished = /^(?:O?|\[[0-9;<?]*)$/;
const wheel = /^\[<(64|65);\d+;\d+[Mm]$/;

/** Reads keys from what a terminal sends. A sequence may arrive in pieces. */
export class KeyReader {
  #rest = '';

  push(chunk: string): readonly Key[] {
    this.#rest += chunk;
    const keys: Key[] = [];
    while (this.#rest !== '') {
      const key = this.#next();
      if (key === 'unfinished') break;
      if (key !== undefined) keys.push(key);
    }
    return keys;
  }

  /** True if what came last may be the start of a sequence. */
  get isPending(): boolean {
    return this.#rest !== '';
  }

  /** Called when nothing followed: an escape character alone is a key, and unfinished sequences are dropped. */
  flush(): readonly Key[] {
    const isEscape = this.#rest === esc;
    if (!this.#rest.startsWith(pasteStart)) this.#rest = '';
    return isEscape ? [{ name: 'escape' }] : [];
  }

  #next(): Key | 'unfinished' | undefined {
    const rest = this.#rest;
    if (!rest.startsWith(esc)) return this.#character();
    if (rest.startsWith(pasteStart)) return this.#pasted();
    const after = rest.slice(esc.length);
    const found = sequence.exec(after);
    if (found !== null) {
      this.#rest = after.slice(found[0].length);
      return keyOf(found[1] ?? '');
    }
    if (unfinished.test(after)) return 'unfinished';
    this.#rest = after;
    return { name: 'escape' };
  }

  #pasted(): Key | 'unfinished' {
    const end = this.#rest.indexOf(pasteEnd);
    if (end < 0) return 'unfinished';
    const text = this.#rest.slice(pasteStart.length, end).replace(/\s+/g, ' ');
    this.#rest = this.#rest.slice(end + pasteEnd.length);
    return { text };
  }

  #character(): Key | undefined {
    const char = String.fromCodePoint(this.#rest.codePointAt(0) ?? 0);
    this.#rest = this.#rest.slice(char.length);
    const name = controls[char];
    if (name !== undefined) return { name };
    return char < ' ' ? undefined : { text: char };
  }
}

function keyOf(found: string): Key | undefined {
  const turned = wheel.exec(found);
  if (turned !== null) return { name: turned[1] === '64' ? 'wheel-up' : 'wheel-down' };
  const name = sequences[found];
  return name === undefined ? undefined : { name };
}
