import type { WorkPatch } from '../../api/work.ts';
import type { JsonObject } from '../../util/json.ts';
import type { DeliveryConfig } from './effective-config.ts';
import type { SetService } from './kinds/service-set.ts';
import { serviceValues, type ValuesSource } from './service-values.ts';
import { fillText, readTemplateData, type TemplateData } from './template-data.ts';
import { serviceKey } from './validate-services.ts';

export interface SetValuesInput {
  readonly services: readonly SetService[];
  readonly config: Pick<DeliveryConfig, 'templateResourceRefs' | 'patches'>;
  /** As templates see it. */
  readonly cluster: JsonObject;
}

/** What templates of a set give on its cluster. */
export interface SetValues {
  /** Of each service, or why there are none. */
  readonly values: ReadonlyMap<string, JsonObject | Error>;
  readonly patches: readonly WorkPatch[];
  /** For whatever else has templates. */
  readonly data: TemplateData;
}

/** Throws when an object that all may ask for is missing, or when a patch cannot be made. */
export async function setValues({ services, config, cluster }: SetValuesInput, source: ValuesSource): Promise<SetValues> {
  const data = await readTemplateData(config.templateResourceRefs, cluster, source);
  const patches: WorkPatch[] = [];
  for (const [i, { patch, target }] of config.patches.entries())
    patches.push({ ...(target && { target: { ...target } }), patch: await fillText(`patches[${i}]`, patch, data, source) });
  // All at once: one that takes long must not make the others wait.
  const values = await Promise.all(services.map(service => serviceValues(service, data, source)));
  return { data, patches, values: new Map(services.map((service, i) => [serviceKey(service), values[i]!])) };
}
