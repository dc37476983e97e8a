import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { useScratchInMemory } from './test/rig/scratch.ts';

const onDisk = useScratchInMemory();

/**
 * Test files that take longest, in the order of their start, so that no core is idle while the last one runs alone.
 * Files that wait for an agent are mixed with those that keep the cores busy.
 */
const LONG = [
  'kill-steps',
  'faults',
  'many-bad',
  'simulation-1',
  'simulation-2',
  'opencode',
  'kill-train',
  'hang',
  'economy',
  'conformance-opencode',
  'few-bad',
  'conformance',
  'see',
  'provider',
  'delivery',
  'conversation',
  'tampering',
  'mixed',
  'approval',
  'review',
  'forgery',
  'attach',
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
const PROGRAM = { groupOrder: 2 };
const ALONE = { groupOrder: 3 };

/** For every project but `speed`, whose limits are multiples of the start of Node as the machine has it. */
const quickNode = ['test/setup-node.ts'];

/** These tests mostly wait for git, for a process or for an agent. */
const programWorkers = 3;

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
          setupFiles: quickNode,
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
          setupFiles: quickNode,
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
          setupFiles: quickNode,
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/cli/**',
            'test/ui/**',
            'test/web/**',
            'test/corpus/**',
            'test/agents/**',
            'test/tidy.test.ts',
            'test/tidy/**',
          ],
          // These tests start git thousands of times; a small process starts a child faster.
          pool: 'forks',
          isolate: false,
          maxWorkers: 3,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: SUITE,
        },
      },
      {
        extends: true,
        test: {
          name: 'cli',
          setupFiles: quickNode,
          include: ['test/cli/**/*.test.ts', 'test/corpus/**/*.test.ts', 'test/web/**/*.test.ts'],
          exclude: ['test/cli/speed.test.ts'],
          pool: 'forks',
          isolate: false,
          maxWorkers: programWorkers,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: ['scripts/fresh-build.mjs'],
          sequence: PROGRAM,
        },
      },
      {
        extends: true,
        test: {
          // One browser for all of them.
          name: 'ui',
          setupFiles: quickNode,
          include: ['test/ui/**/*.test.ts'],
          pool: 'forks',
          maxWorkers: 1,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: ['scripts/fresh-build.mjs', 'scripts/browser.mjs'],
          sequence: ALONE,
        },
      },
      {
        extends: true,
        test: {
          name: 'agents',
          setupFiles: quickNode,
          include: ['test/agents/**/*.test.ts'],
          // The sandbox of codex hides what is below /dev.
          env: { TMPDIR: onDisk },
          pool: 'forks',
          isolate: false,
          maxWorkers: programWorkers,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: ['scripts/fresh-build.mjs', 'scripts/clis.mjs'],
          sequence: PROGRAM,
        },
      },
      {
        extends: true,
        test: {
          // Other tests that run at the same time would falsify the measurement.
          name: 'speed',
          include: ['test/cli/speed.test.ts'],
          pool: 'forks',
          maxWorkers: 1,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          globalSetup: ['scripts/fresh-build.mjs'],
          sequence: ALONE,
        },
      },
    ],
  },
});
