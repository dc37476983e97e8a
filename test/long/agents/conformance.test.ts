import { realConformance } from '../../agents/conformance.ts';

realConformance(['claude', 'codex', 'gemini']);
