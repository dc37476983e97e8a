// The types of the library as one file: only what the public types need, and valid on its own.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../rig/temp-folder.ts';

interface Declarations {
  bundledFrom(folder: string): string;
  statementsIn(text: string): readonly string[];
}

const script = new URL('../../scripts/declarations.mjs', import.meta.url);
const { bundledFrom, statementsIn } = (await import(script.href)) as Declarations;

/** The bundle of declaration files whose entry is `library/yard.d.ts`. */
function bundleOf(files: Readonly<Record<string, string>>): string {
  const out = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
  }
  return bundledFrom(out);
}

describe('statements of a declaration file', () => {
  it('keep their comments, and may have blocks and several lines', () => {
    const file = `/** One; with a brace: { */
export interface One {
    /** A text. */
    readonly a: '}';
}
export type Two = {
    readonly id: 'x';
}
/** Of a member. */
 | {
    readonly id: 'y';
};
declare function three(): void;
`;
    const found = statementsIn(file);
    expect(found).toHaveLength(3);
    expect(found[0]).toMatch(/^\/\*\* One[\s\S]*\}$/);
    expect(found[1]).toMatch(/^export type Two[\s\S]*'y'/);
    expect(found[2]).toBe('declare function three(): void;');
  });
});

describe('the bundle', () => {
  it('has what the public types name, and nothing else', () => {
    const bundle = bundleOf({
      'library/yard.d.ts': `import type { Task } from '../model/task.ts';
export interface Yard {
    task(): Task;
}
`,
      'model/task.d.ts': `/** Work. */
export interface Task {
    readonly id: TaskId;
}
export type TaskId = string;
export declare function unused(): Task;
`,
    });
    expect(bundle).toContain('export interface Yard');
    expect(bundle).toContain('/** Work. */\ninterface Task');
    expect(bundle).toContain('type TaskId = string;');
    expect(bundle).not.toContain('unused');
    expect(bundle).not.toContain('import');
    expect(bundle).toContain('export declare const openYard: OpenYard;');
  });

  it('gives names that two modules share a number', () => {
    const bundle = bundleOf({
      'library/yard.d.ts': `import type { Plan } from '../model/plan.ts';
export type Result = { readonly plan: Plan; };
`,
      'model/plan.d.ts': `import type { Result as Outcome } from './result.ts';
export type Plan = { readonly Result: Outcome; };
`,
      'model/result.d.ts': `export type Result = 'good' | 'bad Result';
`,
    });
    expect(bundle).toContain(`type Result2 = 'good' | 'bad Result';`);
    expect(bundle).toContain('type Plan = { readonly Result: Result2; };');
    expect(bundle).toContain('export type Result = { readonly plan: Plan; };');
  });

  it('follows names that a module passes on, and types that are imported in place', () => {
    const bundle = bundleOf({
      'library/yard.d.ts': `import type { A } from '../app/a.ts';
export type Yard = A | import("../model/b.ts").B;
`,
      'app/a.d.ts': `export type { A } from '../model/b.ts';
`,
      'model/b.d.ts': `export type A = 'a';
export type B = 'b';
`,
    });
    expect(bundle).toContain("type A = 'a';");
    expect(bundle).toContain("type B = 'b';");
    expect(bundle).toContain('export type Yard = A | B;');
  });

  it('has the type of a shape without the shape', () => {
    const bundle = bundleOf({
      'library/yard.d.ts': `import type { Actor } from '../model/actor.ts';
export type Yard = { readonly actor: Actor; };
`,
      'model/actor.d.ts': `import { type Of } from './shape.ts';
/** A person. */
export declare const Actor: import("./shape.ts").Typed<{
    readonly name: string;
}>;
export type Actor = Of<typeof Actor>;
`,
      'model/shape.d.ts': 'export type Of<S> = S;\nexport interface Typed<T> {\n    t: T;\n}\n',
    });
    expect(bundle).toContain('/** A person. */\ntype Actor = {\n    readonly name: string;\n};');
    expect(bundle).not.toContain('Typed');
  });

  it('is not made if a module that it needs is missing', () => {
    const files = { 'library/yard.d.ts': "import type { A } from './a.ts';\nexport type B = A;\n" };
    expect(() => bundleOf(files)).toThrow('library/a.ts');
  });
});
