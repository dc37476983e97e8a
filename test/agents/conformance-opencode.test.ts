// Apart from the others, because it takes as long as all of them.
import { realConformance } from './conformance.ts';

realConformance(['opencode']);
