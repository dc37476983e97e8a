import { limits } from '../model/limits.ts';
import type { Code, Language } from './code.ts';
import { expressionStart, plain, statementEnd } from './statements.ts';

/** Assertion or test case. `key` ignores layout, comments and kind of quotes. */
export interface Claim {
  readonly key: string;
  readonly line: string;
  readonly at: number;
}

/** Starts of assertions, matched in code without comments and strings. */
const beginnings: Readonly<Record<Exclude<Language, 'shell'>, RegExp>> = {
  js: /(?<!\bfunction\s+)(?<![\w$.])(?:chai\.)?(?:expect|assert)\w*(?:\.\w+)*\s*(?:<[^<>()\n]*>)?\(|\.(?:expect|assert)\w*\(|(?<![\w$.])(?:t|tap|qunit)\.(?:is|isNot|not|deepEqual|notDeepEqual|equals?|notEqual|same|notSame|strictEqual|deepStrictEqual|ok|notOk|true|false|truthy|falsy|throws\w*|notThrows\w*|rejects|doesNotThrow|doesNotReject|match|regex|like|snapshot|fail)\(/g,
  python:
    /(?<![\w.])assert\b(?!_)|\bself\.(?:assert\w+|fail\w*)\s*\(|\bpytest\.(?:raises|warns|fail)\s*\(|(?<!\bdef\s)(?<![\w.])(?:assert_|expect)\w*\s*\(|\.assert_\w+\s*\(/g,
  go: /\b(?:assert|require|expect|is|qt|must)\.[A-Z]\w*\(|(?<![\w.])(?:Expect|Eventually|Consistently)\(|\b\w+\.(?:Assert|Check|Require|Equal|NoError)\(/g,
  rust: /\b(?:debug_)?assert(?:_\w+)?!\s*[([{]/g,
  jvm: /(?<!\b(?:fun|void)\s)(?<![\w.])(?:assert|expect|verify|fail)\w*\s*(?:<[^<>()\n]*>\s*)?[({]|\bAssert(?:ions|j)?\.\w+\s*\(|(?<![\w.])assert\s/g,
  ruby: /\bexpect\s*[({]|(?<![\w.:])(?<!\bdef\s)(?:assert|refute|flunk)\w*|\bis_expected\b/g,
  csharp: /\b(?:Assert|StringAssert|CollectionAssert)\.\w+|\bExpect\s*\(/g,
  php: /(?:\$this->|\b(?:self|static|parent)::)(?:assert|expect|fail)\w*\s*\(|(?<!\bfunction\s)(?<![\w>:$])(?:expect|assert)\w*\s*\(/g,
  other:
    /(?<![\w.])(?:assert|expect|ASSERT|EXPECT|CHECK|REQUIRE|XCTAssert)\w*\s*!?\s*\(|(?<![\w.])assert\s/g,
};

/** Assertions written after the asserted expression. */
const infix: Partial<Readonly<Record<Language, RegExp>>> = {
  js: /\.should\.\w/g,
  jvm: /(?<=[\w)\]"]\s+)should\w*\b/g,
  ruby: /\.(?:should(?:_not)?|must_\w+|wont_\w+)\b/g,
  csharp: /\.Should\w*\(/g,
};

/** Calls that fail a test; the condition before them is the assertion. */
const failing: Partial<Readonly<Record<Language, RegExp>>> = {
  js: /\bthrow\s+new\s+\w*Error\b|\bprocess\.exit\(\s*[1-9]|\bprocess\.exitCode\s*=\s*[1-9]/g,
  python: /\braise\s+AssertionError\b|\bsys\.exit\(\s*[1-9]/g,
  go: /\b\w+\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\bpanic\(|\bos\.Exit\([1-9]/g,
  rust: /\bpanic!\s*\(/g,
};

const shellCheck =
  /^(?:!\s*)?(?:test\s|\[\[?\s|(?:e|f|z)?grep\s|diff\s|cmp\s|assert|refute|run\s|fail\b|set\s+-\w*e|exit\s+[1-9]|if\s+!?\s*(?:test|\[|grep|diff|cmp))|\|\|\s*(?:\{\s*)?(?:exit|fail|die|return|false)\b|&&\s*(?:exit\s+[1-9]|fail|die)\b|\|\s*[ef]?grep\s/;

/** All assertions of a text, in order. */
export function assertionsOf(read: Code): readonly Claim[] {
  const { language } = read;
  if (language === 'shell') return shellChecks(read);
  // Assertions may be nested; the budget keeps degenerate text from being read over and over.
  let budget = read.code.length * 4;
  const claimAt = (start: number): Claim => {
    const most = budget > 0 ? limits.statementChars : 1;
    const statement = read.bare.slice(start, statementEnd(read, start, most));
    budget -= statement.length;
    return { key: keyOf(statement), line: statement, at: start };
  };
  const claims = [...read.code.matchAll(beginnings[language])].map(({ index }) => claimAt(index));
  for (const { index } of matched(infix[language], read.code)) {
    claims.push(claimAt(expressionStart(read, index)));
  }
  for (const { index } of matched(failing[language], read.code)) {
    const condition = conditionBefore(read, index);
    if (condition !== undefined) claims.push(condition);
  }
  return claims.filter(({ key }) => key !== '').sort((a, b) => a.at - b.at);
}

function matched(pattern: RegExp | undefined, code: string): Iterable<RegExpExecArray> {
  return pattern === undefined ? [] : code.matchAll(pattern);
}

/** Ignores inline snapshots, which the test tool writes. */
function keyOf(statement: string): string {
  const key = plain(statement);
  const snapshot = /\.(?:toMatch|toThrowErrorMatching)InlineSnapshot\(/.exec(key);
  if (snapshot !== null) return key.slice(0, snapshot.index + snapshot[0].length);
  return key.startsWith('assert ') ? withoutMessage(key) : key;
}

function withoutMessage(key: string): string {
  const at = Math.max(key.lastIndexOf(',"'), key.lastIndexOf(',f"'));
  return at !== -1 && /^,f?"[^"]*"$/.test(key.slice(at)) ? key.slice(0, at) : key;
}

/** Condition such as `if got != want {` on or before the line of a failing call. */
function conditionBefore({ code, bare }: Code, call: number): Claim | undefined {
  const from = Math.max(0, call - limits.statementChars);
  const before = code.slice(from, call).trimEnd();
  const start = from + before.lastIndexOf('\n') + 1;
  const end = from + before.length;
  if (!/^\s*(?:\}?\s*else\s+)?(?:if|unless)\b/.test(code.slice(start, end))) return undefined;
  const line = bare.slice(start, end);
  return { key: `fail: ${plain(line).replace(/[{:(]+$/, '')}`, line, at: start };
}

function shellChecks({ bare }: Code): readonly Claim[] {
  let next = 0;
  return bare.split('\n').flatMap((whole): Claim[] => {
    const at = next;
    next += whole.length + 1;
    const line = whole.slice(0, limits.statementChars).trim();
    return shellCheck.test(line) ? [{ key: plain(line), line, at }] : [];
  });
}

const cases: Readonly<Record<Language, RegExp>> = {
  js: /(?<![\w$.])(?:[xf]?it|x?test|specify|Deno\.test|bench)(?:\.\w+)*\s*\(/g,
  python: /^[ \t]*(?:async\s+)?def\s+test\w*|(?<![\w.])class\s+Test\w*/gm,
  go: /^func\s+(?:Test|Fuzz|Example|Benchmark)\w*\s*\(|\bt\.Run\(/gm,
  rust: /#\[(?:\w+::)*(?:test|rstest|test_case)\b/g,
  jvm: /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b|^\s*(?:it|test|should)\s*\(/gm,
  ruby: /^[ \t]*(?:[xf]?it|specify|test|scenario|example)\b(?!\s*=)|^[ \t]*def\s+test_\w+/gm,
  csharp: /\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod)\b/g,
  php: /\bfunction\s+test\w*|#\[Test\b|(?<![\w>:$])(?:it|test)\s*\(/g,
  shell: /^[ \t]*@test\b|^[ \t]*(?:function\s+)?test\w*\s*\(\)/gm,
  other: /\b(?:TEST(?:_F|_P|_CASE)?|SCENARIO)\s*\(|\bfunc\s+test\w*|^[ \t]*test\b/gm,
};

/** Languages that mark a test case above its function. */
const marked: ReadonlySet<Language> = new Set(['rust', 'jvm', 'csharp']);

/** Test cases of a text. The key is the line with its name, without skip and focus words. */
export function casesOf({ language, code, bare }: Code): readonly Claim[] {
  return [...code.matchAll(cases[language])].map(({ 0: found, index }) => {
    const at = index + (found.length - found.trimStart().length);
    let end = lineEnd(bare, index + found.length);
    if (marked.has(language)) end = lineEnd(bare, lineEnd(bare, end) + 1);
    const line = bare.slice(at, Math.min(end, at + limits.statementChars));
    return { key: plain(line).replace(/\.(?:skip|only|todo|fails)\b|^[xf](?=it)/g, ''), line, at };
  });
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}
