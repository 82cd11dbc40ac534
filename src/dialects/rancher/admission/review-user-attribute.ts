import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { everything } from '../access/builtin-rule.ts';
import { UserAttribute } from '../kinds/user.ts';
import { refuseEscalation } from './answers.ts';
import { holdsEverything } from './hub-rights.ts';
import type { RancherWorld } from './rancher-world.ts';

/** The groups of people are there. Who writes them can be in any group. */
export async function reviewUserAttribute(request: AdmissionRequest, world: RancherWorld): Promise<AdmissionAnswer> {
  return refuseEscalation(UserAttribute, request, (await holdsEverything(world)) ? [] : everything);
}
