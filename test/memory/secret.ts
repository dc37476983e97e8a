import type { Secret } from '../../src/port/secret.ts';

/** A secret that nobody reads, unless a test says so. */
export function memorySecret(): Secret & { read(): void } {
  let keys: readonly Uint8Array[] = [new Uint8Array(32)];
  return {
    key: () => keys[0] ?? new Uint8Array(32),
    replaced: () => keys.slice(1),
    look: () => keys.length - 1,
    read: () => {
      keys = [new Uint8Array(32).fill(keys.length), ...keys];
    },
  };
}
