import { readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { useScratchInMemory } from './test/rig/scratch.ts';

const onDisk = useScratchInMemory();

/** Groups run one after the other: the quick ones first, so that a slip shows at once. */
const QUICK = { groupOrder: 0 };
const SUITE = { groupOrder: 1 };
const PROGRAM = { groupOrder: 2 };

const quickNode = ['test/setup-node.ts'];

/** These tests mostly wait for git, for a process or for an agent. */
const throughProgram = {
  pool: 'forks' as const,
  isolate: false,
  maxWorkers: 3,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  globalSetup: ['scripts/fresh-build.mjs'],
};

const withAgents = {
  // The sandbox of codex hides what is below /dev.
  env: { TMPDIR: onDisk },
  globalSetup: ['scripts/fresh-build.mjs', 'scripts/clis.mjs'],
};

/** Parts of the long tier that need more than the built program. */
const special: Readonly<Record<string, object>> = {
  agents: withAgents,
  // Other tests that run at the same time would falsify what these measure.
  load: { maxWorkers: 1 },
  speed: { maxWorkers: 1 },
  // One browser for all of them.
  ui: { maxWorkers: 1, globalSetup: ['scripts/fresh-build.mjs', 'scripts/browser.mjs'] },
};

export const projects = [
  {
    extends: true as const,
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
    extends: true as const,
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
    extends: true as const,
    test: {
      name: 'suite',
      setupFiles: quickNode,
      include: ['test/**/*.test.ts'],
      exclude: [
        'test/tidy.test.ts',
        'test/tidy/**',
        'test/program/**',
        'test/ui/**',
        'test/agents/**',
        'test/long/**',
      ],
      // These tests start git thousands of times; a small process starts a child faster.
      pool: 'forks',
      isolate: false,
      maxWorkers: 3,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      globalSetup: ['scripts/fresh-build.mjs'],
      sequence: SUITE,
    },
  },
  {
    extends: true as const,
    test: {
      name: 'program',
      setupFiles: quickNode,
      include: ['test/program/**/*.test.ts', 'test/ui/**/*.test.ts'],
      ...throughProgram,
      globalSetup: ['scripts/fresh-build.mjs', 'scripts/browser.mjs'],
      sequence: PROGRAM,
    },
  },
  {
    extends: true as const,
    test: {
      name: 'agents',
      setupFiles: quickNode,
      include: ['test/agents/**/*.test.ts'],
      ...throughProgram,
      ...withAgents,
      sequence: PROGRAM,
    },
  },
  ...readdirSync('test/long').map((part) => ({
    extends: true as const,
    test: {
      name: `long-${part}`,
      setupFiles: quickNode,
      include: [`test/long/${part}/**/*.test.ts`],
      ...throughProgram,
      ...special[part],
      sequence: PROGRAM,
    },
  })),
];

export default defineConfig({
  test: {
    passWithNoTests: true,
    reporters: ['default'],
    setupFiles: ['test/setup-env.ts'],
    projects,
  },
});
