import { liveThrough } from './seeded-worlds.ts';

liveThrough(1, 200);
