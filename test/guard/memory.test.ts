import { expect, it } from 'vitest';
import { guardConformance } from '../conformance/guard.ts';
import { MemoryGuard } from '../memory/guard.ts';

guardConformance('the twin in memory', async () => {
  const refs = ['heads/main', 'heads/other', 'heads/yard/r/a-1', 'heads/yard/r/b-1', 'tags/v1'];
  const guard = new MemoryGuard(Object.fromEntries(refs.map((ref) => [`refs/${ref}`, 'start'])));
  return {
    guard,
    plantHook: (name) => guard.plantHook(name),
    removeHook: (name) => guard.removeHook(name),
    changeSettings: (file) => guard.changeSettings(file),
    moveRef: (ref, to) => guard.moveRef(ref, to),
    editCheckout: (file) => guard.editCheckout(file),
    changeHome: (effect) => guard.changeHome(effect, '~/.file'),
    switchCheckout: (branch) => guard.switchCheckout(branch),
    dispose: async () => {},
  };
});

it('the twin counts how often it was asked to look', async () => {
  const guard = new MemoryGuard();
  await guard.snapshot();
  await guard.snapshot();
  expect(guard.looks).toBe(2);
});
