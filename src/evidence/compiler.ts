import { CollectingReader } from './reader.ts';

const tsc = /^(\S.*?)(?:\((\d+),(\d+)\):|:(\d+):(\d+) -) error (TS\d+: .*)$/;
/** GCC, clang, javac, mypy and many others. */
const plain = /^([^\s:()[\]][^:()[\]]*:\d+(?::\d+)?): (?:fatal )?(error: .*)$/;
const python = /^(\S+\.pyi?:\d+:\d+): ([A-Z]{1,4}\d{3,4}\b.*)$/;
const eslintFile = /^[^\s:].*\.\w{1,6}$/;
const eslint = /^ +(\d+:\d+) +error +(.+?)(?: {2,}(\S+))?$/;

/** Reads compilers and linters that print place and error on one line: tsc, ESLint, GCC, mypy, ruff and others. */
export class CompilerReader extends CollectingReader {
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
