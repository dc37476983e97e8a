import { languageOf } from './code.ts';

/** Test folders. */
const folders = /(?:^|\/)(?:tests?|__tests__|specs?|e2e|integration-tests?)\//i;
/** Test data; asserts nothing itself. */
const material = /(?:^|\/)(?:__)?(?:fixtures?|testdata|test-data|snapshots|mocks|golden)(?:__)?\//i;
/** File names that test runners look for. */
const names =
  /(?:^|\/)(?:[^/]*[._-](?:test|spec|tests|specs|e2e|cy)\.[^/]+|tests?[_-][^/]*\.[^/]+|(?:tests?|specs?|conftest)\.[^/.]+|[^/]*\.bats)$/i;
/** Names with a case-marked word, as in `CartTest.java`. */
const cased = /(?:[a-z0-9](?:Tests?|Specs?|IT)|^Test[A-Z][^/]*)\.[^/.]+$/;

/** True if the path shows that the code is a test. Data and fixtures are not. */
export function isTestPath(path: string): boolean {
  if (languageOf(path) === undefined || material.test(path)) return false;
  return hasTestName(path) || folders.test(path);
}

/** True if runners find it by its name, not only by its folder. */
export function hasTestName(path: string): boolean {
  return names.test(path) || cased.test(path.slice(path.lastIndexOf('/') + 1));
}

/** True for tests and for languages with tests inside source files. */
export function mayHoldTests(path: string): boolean {
  return isTestPath(path) || path.endsWith('.rs');
}

/** Test part of a text: all of a test file, the part after the test marker of a Rust file, else nothing. */
export function testPart(path: string, text: string): string {
  if (isTestPath(path)) return text;
  if (!path.endsWith('.rs')) return '';
  const start = /#\[(?:cfg\(test\)|(?:\w+::)*test\b)/.exec(text);
  return start === null ? '' : text.slice(start.index);
}
