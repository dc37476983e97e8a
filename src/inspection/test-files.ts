import { languageOf } from './code.ts';

/** Folders whose code is tests, wherever they are. */
const folders = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|integration-tests?)\//i;
/** Material of tests: it is looked at by them and judges nothing itself. */
const material = /(?:^|\/)(?:__)?(?:fixtures?|testdata|test-data|snapshots|mocks|golden)(?:__)?\//i;
/** Names that runners look for. */
const names =
  /(?:^|\/)(?:[^/]*[._-](?:test|spec|tests|specs|e2e|cy)\.[^/]+|tests?[_-][^/]*\.[^/]+|(?:tests?|specs?|conftest)\.[^/.]+|[^/]*\.bats)$/i;
/** The same where the letter case marks a word, as in `CartTest.java`. */
const cased = /(?:[a-z0-9](?:Tests?|Specs?|IT)|^Test[A-Z][^/]*)\.[^/.]+$/;

/** Whether a path by itself says that its code is a test. Data, fixtures and pictures are none. */
export function isTestPath(path: string): boolean {
  if (languageOf(path) === undefined || material.test(path)) return false;
  return hasTestName(path) || folders.test(path);
}

/** Whether runners find it by its name, not only by its folder. */
export function hasTestName(path: string): boolean {
  return names.test(path) || cased.test(path.slice(path.lastIndexOf('/') + 1));
}

/** Languages whose tests stand in the same file as what they test. */
export function mayHoldTests(path: string): boolean {
  return isTestPath(path) || path.endsWith('.rs');
}

/**
 * The part of a text that is tests: all of a test file, of a source file what follows the mark that the language has for
 * it, and nothing where there is no such mark.
 */
export function testPart(path: string, text: string): string {
  if (isTestPath(path)) return text;
  if (!path.endsWith('.rs')) return '';
  const start = /#\[(?:cfg\(test\)|(?:\w+::)*test\b)/.exec(text);
  return start === null ? '' : text.slice(start.index);
}
