// Apart from the others, because it takes as long as all of them.
import { realConformance } from '../../agents/conformance.ts';

realConformance(['opencode']);
