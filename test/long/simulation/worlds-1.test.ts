import { liveThrough } from '../../simulation/seeded-worlds.ts';

liveThrough(1, 1_000);
