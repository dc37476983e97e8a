import { liveThrough } from './worlds.ts';

liveThrough('second');
