import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take minutes begin first, so that no core is idle while the last of them runs alone. */
const LONG = [
  'kill-steps',
  'simulation-1',
  'simulation-2',
  'speed',
  'conformance-opencode',
  'opencode',
  'many-bad',
  'kill-train',
  'hang',
  'few-bad',
  'conformance',
  'review',
  'mixed',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at === -1 ? LONG.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** Groups run one after the other: the quick ones first, so that a slip shows at once. */
const QUICK = { groupOrder: 0 };
const SUITE = { groupOrder: 1 };
const CLI = { groupOrder: 2 };
const AGENTS = { groupOrder: 3 };

export default defineConfig({
  test: {
    passWithNoTests: true,
    reporters: ['default'],
    sequence: { sequencer: LongFirst },
    setupFiles: ['test/setup-env.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'tidy',
          include: ['test/tidy.test.ts', 'test/tidy/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          testTimeout: 30_000,
          sequence: QUICK,
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts'],
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          testTimeout: 20_000,
          sequence: QUICK,
        },
      },
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/cli/**',
            'test/corpus/**',
            'test/agents/**',
            'test/tidy.test.ts',
            'test/tidy/**',
          ],
          pool: 'threads',
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: SUITE,
        },
      },
      {
        extends: true,
        test: {
          name: 'cli',
          include: ['test/cli/**/*.test.ts', 'test/corpus/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: true,
          // Much of their time is spent waiting for git and for the disk.
          maxWorkers: 3,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: ['scripts/fresh-build.mjs'],
          sequence: CLI,
        },
      },
      {
        extends: true,
        test: {
          name: 'agents',
          include: ['test/agents/**/*.test.ts'],
          pool: 'forks',
          // Many of these wait; but one of the agents needs 640 MB and most of two cores.
          fileParallelism: true,
          maxWorkers: 3,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: ['scripts/fresh-build.mjs', 'scripts/clis.mjs'],
          sequence: AGENTS,
        },
      },
    ],
  },
});
