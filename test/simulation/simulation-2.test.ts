import { liveThrough } from './seeded-worlds.ts';

liveThrough('second');
