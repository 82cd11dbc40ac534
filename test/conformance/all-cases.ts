import type { Case } from './case.ts';
import { cases as builtInKinds } from './cases/built-in-kinds.ts';

/** Every case, by area. */
export const areas: Readonly<Record<string, readonly Case[]>> = {
  'built-in-kinds': builtInKinds,
};
