import { z } from 'zod';
import { kind, mapOf } from './values.ts';

/** Modes that every project has, each with the keys that it sets, as a config file would. */
export const builtInModes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  quick: {
    pipeline: { default: ['work', 'land'] },
    preflight: false,
    attempts: { best_of: 1 },
    retries: 1,
  },
  careful: {
    preflight: true,
    gate: { branch: 'always', reruns: 2 },
    rules: { tests: 'guard' },
    verify: { enabled: true, on_failure: 'bisect' },
  },
};

/** Keys and sections that a mode may set. */
const allowed = [
  ...['jobs', 'agent', 'model', 'fallback', 'gate', 'rules', 'review', 'critique', 'tests'],
  ...['plan', 'planner', 'pipeline', 'preflight', 'probe_models', 'attempts', 'ask', 'retries'],
  ...['quarantine', 'retry', 'quota', 'limits', 'budget', 'train', 'delivery', 'verify'],
  ...['worktree', 'run'],
];

const hint = `Write a map of config keys, such as { gate: { branch: always } }. A mode may set ${allowed.join(', ')}.`;

const mode = kind('map', () =>
  z.record(z.string(), z.unknown(), { error: hint }).superRefine((keys, { addIssue }) => {
    const wrong = Object.keys(keys).filter((key) => !allowed.includes(key));
    if (wrong.length === 0) return;
    const message = `A mode cannot set ${wrong.map((key) => `"${key}"`).join(', ')}. ${hint}`;
    addIssue({ code: 'custom', message });
  }),
);

export const modes = mapOf(mode, {
  map: 'Give the modes as a map of names.',
  name: 'Name modes with letters, digits, "_" and "-".',
  names: /^[A-Za-z0-9][A-Za-z0-9_-]*$/,
});
