import type { GoFunction } from '../go/go-value.ts';
import { cryptoFunctions } from './crypto.ts';
import { dateFunctions } from './dates.ts';
import { defaultFunctions } from './defaults.ts';
import { dictFunctions } from './dicts.ts';
import { encodingFunctions } from './encodings.ts';
import { listFunctions } from './lists.ts';
import { numberFunctions } from './numbers.ts';
import { pathFunctions } from './paths.ts';
import { regexFunctions } from './regexes.ts';
import { semverFunctions } from './semver.ts';
import { stringFunctions } from './strings.ts';
import { urlFunctions } from './urls.ts';

/** The functions that charts know from Sprig. */
export const sprigFunctions: ReadonlyMap<string, GoFunction> = new Map(
  Object.entries({
    ...cryptoFunctions,
    ...dateFunctions,
    ...defaultFunctions,
    ...dictFunctions,
    ...encodingFunctions,
    ...listFunctions,
    ...numberFunctions,
    ...pathFunctions,
    ...regexFunctions,
    ...semverFunctions,
    ...stringFunctions,
    ...urlFunctions,
  }),
);
