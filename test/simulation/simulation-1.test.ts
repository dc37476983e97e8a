import { liveThrough } from './worlds.ts';

liveThrough('first');
