import { isDeepStrictEqual } from 'node:util';
import {
  Document,
  isMap,
  isScalar,
  type Pair,
  type ParsedNode,
  parseDocument,
  stringify,
  type YAMLMap,
} from 'yaml';

export type Path = readonly (string | number)[];
type Parsed = ReturnType<typeof parseDocument>;
type ParsedPair = Pair<ParsedNode, ParsedNode | null>;
type ParsedMap = YAMLMap.Parsed;

/**
 * Sets one key in a YAML text. Every line that the key does not occupy keeps its bytes. A text too unusual for that,
 * such as one with aliases, is printed from scratch.
 */
export function putKey(text: string, path: Path, value: unknown): string {
  const document = parseDocument(text);
  const wanted = withKey(text, path, value);
  return sound(spliced(text, document, path, value), wanted) ?? printed(wanted, text);
}

/** Removes one key, and the sections that it leaves empty. Comment lines stay. */
export function removeKey(text: string, path: Path): string {
  const wanted = parseDocument(text);
  if (!wanted.hasIn(path)) return text;
  wanted.deleteIn(path);
  let emptied = path;
  for (let above = path.slice(0, -1); above.length > 0; above = above.slice(0, -1)) {
    const section = wanted.getIn(above);
    if (!isMap(section) || section.items.length > 0) break;
    wanted.deleteIn(above);
    emptied = above;
  }
  return sound(cut(text, parseDocument(text), emptied), wanted) ?? printed(wanted, text);
}

/** The document with the key. "gate: none" or an empty section gives way to a key below it. */
function withKey(text: string, path: Path, value: unknown): Parsed {
  const document = parseDocument(text);
  for (let length = 1; length < path.length; length += 1) {
    const above = path.slice(0, length);
    if (document.hasIn(above) && !isMap(document.getIn(above))) document.deleteIn(above);
  }
  document.setIn(path, document.createNode(value, { flow: Array.isArray(value) }));
  return document;
}

/** The text if it means the same as the document. */
function sound(text: string | undefined, wanted: Parsed): string | undefined {
  if (text === undefined) return undefined;
  const document = parseDocument(text);
  const same = isDeepStrictEqual(document.toJS() ?? {}, wanted.toJS() ?? {});
  return document.errors.length === 0 && same ? text : undefined;
}

/** Prints the document. Brackets keep the padding that the text has. */
function printed(document: Parsed, text: string): string {
  const isEmpty = isMap(document.contents) && document.contents.items.length === 0;
  if (isEmpty) document.contents = null;
  if (document.contents === null && !document.comment && !document.commentBefore) return '';
  return document.toString({ lineWidth: 0, flowCollectionPadding: isPadded(text) });
}

function spliced(text: string, document: Parsed, path: Path, value: unknown): string | undefined {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  if (document.contents === null) {
    const gap = text === '' || text.endsWith('\n') ? '' : eol;
    return `${text}${gap}${blockText(path, value, '', text).join(eol)}${eol}`;
  }
  if (!isMap(document.contents)) return undefined;
  const { map, depth, pair } = deepest(document.contents as ParsedMap, path);
  const [key = '', ...below] = path.slice(depth);
  if (pair === undefined) return inserted(text, map, [key, ...below], value, eol);
  const { start, end, isBeside, comment } = placeOf(text, pair);
  const nested = nestedIn(below, value);
  if (map.flow === true || !isRecord(nested)) {
    const written = inlineText(nested, isJson(text, pair), text);
    return `${text.slice(0, start)}${isBeside ? '' : ' '}${written}${comment}${text.slice(end)}`;
  }
  // A list or a word gives way to a section.
  const lines = blockText([key, ...below], value, indentOf(text, pair), text).slice(1);
  return `${text.slice(0, start).trimEnd()}${comment}${eol}${lines.join(eol)}${text.slice(end)}`;
}

/** The innermost map on the path, and its pair if the path goes on there. */
function deepest(root: ParsedMap, path: Path) {
  let map = root;
  for (let depth = 0; ; depth += 1) {
    const pair = map.items.find(({ key }) => isScalar(key) && key.value === path[depth]);
    const isLast = depth === path.length - 1;
    if (pair === undefined || isLast || !isMap(pair.value)) return { map, depth, pair };
    map = pair.value as ParsedMap;
  }
}

function inserted(
  text: string,
  map: ParsedMap,
  rest: Path,
  value: unknown,
  eol: string,
): string | undefined {
  const last = map.items.at(-1);
  if (map.flow !== true) {
    if (last === undefined) return undefined;
    const lines = blockText(rest, value, indentOf(text, last), text);
    const at = lineEnd(text, placeOf(text, last).end);
    return `${text.slice(0, at)}${eol}${lines.join(eol)}${text.slice(at)}`;
  }
  const json = last === undefined ? false : isJson(text, last);
  const [key = '', ...below] = rest;
  const name = json ? JSON.stringify(key) : stringify(key).trimEnd();
  const entry = `${name}: ${inlineText(nestedIn(below, value), json, text)}`;
  if (last === undefined) {
    const open = map.range[0] + 1;
    return `${text.slice(0, open)}${entry}${text.slice(open)}`;
  }
  const at = placeOf(text, last).end;
  const before = text.slice(0, last.key.range[0]);
  const gap = /\n[ \t]*$/.exec(before)?.[0] ?? ' ';
  return `${text.slice(0, at)},${gap}${entry}${text.slice(at)}`;
}

function cut(text: string, document: Parsed, path: Path): string | undefined {
  if (!isMap(document.contents)) return undefined;
  const { map, depth, pair } = deepest(document.contents as ParsedMap, path);
  if (pair === undefined || depth !== path.length - 1) return undefined;
  const { end } = placeOf(text, pair);
  if (map.flow !== true) {
    const start = text.lastIndexOf('\n', pair.key.range[0] - 1) + 1;
    const rest = text.indexOf('\n', end);
    return text.slice(0, start) + (rest < 0 ? '' : text.slice(rest + 1));
  }
  const at = map.items.indexOf(pair);
  const [previous, next] = [map.items[at - 1], map.items[at + 1]];
  if (next !== undefined) return text.slice(0, pair.key.range[0]) + text.slice(next.key.range[0]);
  const start = previous === undefined ? pair.key.range[0] : placeOf(text, previous).end;
  return text.slice(0, start) + text.slice(end);
}

/**
 * Place of a value without the white space after it. A value below its key or missing begins right after the colon;
 * `comment` is then the one in the line of the key.
 */
function placeOf(text: string, { key, value }: ParsedPair) {
  const colon = text.indexOf(':', key.range[1]) + 1;
  const [from, to] = value?.range ?? [colon, colon];
  const end = from + text.slice(from, to).trimEnd().length;
  const gap = text.slice(colon, from);
  if (end > from && gap !== '' && !gap.includes('\n')) {
    return { start: from, end, isBeside: true, comment: '' };
  }
  const comment = end === from ? '' : (/^[ \t]+#[^\r\n]*/.exec(gap)?.[0] ?? '');
  return { start: colon, end: end === from ? colon : end, isBeside: false, comment };
}

/** End of the line, before its line break. */
function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  if (at < 0) return text.length;
  return text[at - 1] === '\r' ? at - 1 : at;
}

function indentOf(text: string, { key }: ParsedPair): string {
  const start = text.lastIndexOf('\n', key.range[0] - 1) + 1;
  return text.slice(start, key.range[0]);
}

/** Lines of a key in block style, with lists in brackets. */
function blockText(path: Path, value: unknown, indent: string, text: string): readonly string[] {
  const document = new Document({});
  document.setIn(path, document.createNode(value, { flow: Array.isArray(value) }));
  const lines = document.toString({ lineWidth: 0, flowCollectionPadding: isPadded(text) });
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : `${indent}${line}`));
}

function inlineText(value: unknown, json: boolean, text: string): string {
  if (json) return JSON.stringify(value);
  if (typeof value === 'string' && !/^[\w./-]+$/.test(value)) return JSON.stringify(value);
  const flow = { collectionStyle: 'flow', flowCollectionPadding: isPadded(text) } as const;
  return stringify(value, { lineWidth: 0, ...flow }).trimEnd();
}

const isPadded = (text: string): boolean => /[[{] /.test(text);
const isJson = (text: string, { key }: ParsedPair): boolean => text[key.range[0]] === '"';
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `a.b` and 1 become `{ a: { b: 1 } }`. */
function nestedIn(path: Path, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}
