// Colors for reports in tests, and the text that a terminal gets from them.
import { inkOf } from '../../src/report/format/style.ts';

export const { style: colors, shown } = inkOf('test');
