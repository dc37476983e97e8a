import { describe, expect, it } from 'vitest';
import { redirectedImports } from './imports.ts';

const test = (before: string, after: string) => ({ path: 'test/sum.test.js', before, after });
const own = "import { sum } from '../src/sum.js';\n";

describe('a test that imports something else than before', () => {
  it('is told of, with what it used to import', () => {
    const file = test(own, "import { sum } from './fake.js';\n");
    const fake = { path: 'test/fake.js', after: 'export const sum = () => 3;\n' };
    expect(redirectedImports([file], [file, fake])).toEqual([
      { path: 'test/sum.test.js', from: '../src/sum.js' },
    ]);
  });

  it.each([
    ["const { sum } = require('../src/sum');\n", "const { sum } = require('./fake');\n"],
    ["const m = await import('../src/sum.js');\n", "const m = await import('./fake.js');\n"],
  ])('is told of, however it imports (%j)', (before, after) => {
    const file = test(before, after);
    expect(redirectedImports([file], [file])).toHaveLength(1);
  });

  it('is fine where what it imported has moved', () => {
    const file = test(own, "import { sum } from '../src/math/sum.js';\n");
    const moved = [
      { path: 'src/sum.js', before: 'x' },
      { path: 'src/math/sum.js', after: 'x' },
    ];
    expect(redirectedImports([file], [file, ...moved])).toEqual([]);
  });

  it('is fine where a file of another ending took its place', () => {
    const file = test(own, "import { sum } from '../src/sum.ts';\n");
    const moved = [
      { path: 'src/sum.js', before: 'x' },
      { path: 'src/sum.ts', after: 'x' },
    ];
    expect(redirectedImports([file], [file, ...moved])).toEqual([]);
  });

  it('is fine where it imports more, or merely less', () => {
    const more = test(own, `${own}import { mean } from '../src/mean.js';\n`);
    const less = test(`${own}import { mean } from '../src/mean.js';\n`, own);
    expect(redirectedImports([more], [more])).toEqual([]);
    expect(redirectedImports([less], [less])).toEqual([]);
  });

  it('is not looked for in files of other kinds, or in new ones', () => {
    const fresh = { path: 'test/new.test.js', after: "import './a.js';\n" };
    const other = { path: 'test/x.py', before: "from './a'", after: "from './b'" };
    expect(redirectedImports([fresh, other], [fresh, other])).toEqual([]);
  });
});
