import { liveThrough } from '../../simulation/seeded-worlds.ts';

liveThrough(1_001, 2_000);
