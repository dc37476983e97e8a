import { realConformance } from './conformance.ts';

realConformance(['claude', 'codex', 'gemini']);
