// Vitest's global set-up of the projects whose tests run dist/main.js, so it must be current.
import { buildWhenOld } from './setup.mjs';

export default async function freshBuild() {
  if ((await buildWhenOld()) !== 0) throw new Error('the bundle could not be built');
}
