import type { Case } from './case.ts';
import { cases as admission } from './cases/admission.ts';
import { cases as apply } from './cases/apply.ts';
import { cases as authentication } from './cases/authentication.ts';
import { cases as authorization } from './cases/authorization.ts';
import { cases as badInput } from './cases/bad-input.ts';
import { cases as builtInKinds } from './cases/built-in-kinds.ts';
import { cases as customResources } from './cases/custom-resources.ts';
import { cases as defaults } from './cases/defaults.ts';
import { cases as deletion } from './cases/deletion.ts';
import { cases as discovery } from './cases/discovery.ts';
import { cases as fixtures } from './cases/fixtures.ts';
import { cases as lists } from './cases/lists.ts';
import { cases as negotiation } from './cases/negotiation.ts';
import { cases as objects } from './cases/objects.ts';
import { cases as patches } from './cases/patches.ts';
import { cases as paths } from './cases/paths.ts';
import { cases as quotas } from './cases/quotas.ts';
import { cases as ruleCosts } from './cases/rule-costs.ts';
import { cases as subresources } from './cases/subresources.ts';
import { cases as validation } from './cases/validation.ts';
import { cases as watches } from './cases/watches.ts';

/** Every case, by area. */
export const areas: Readonly<Record<string, readonly Case[]>> = {
  discovery,
  negotiation,
  paths,
  objects,
  lists,
  watches,
  patches,
  apply,
  deletion,
  subresources,
  'built-in-kinds': builtInKinds,
  defaults,
  validation,
  'custom-resources': customResources,
  'rule-costs': ruleCosts,
  admission,
  authentication,
  authorization,
  quotas,
  'bad-input': badInput,
  fixtures,
};
