import type { ConfigMap } from '../../api/builtin-kinds.ts';
import type { Work } from '../../api/work.ts';
import { errorText } from '../../util/error-text.ts';
import type { JsonObject } from '../../util/json.ts';
import { compilePolicies, type CompiledPolicies } from './compile-policies.ts';
import { compileWorks, type CompiledWorks } from './compile-works.ts';
import { readConfig, type DeliveryConfig } from './effective-config.ts';
import { rulesOfSet } from './health-rules.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { ServiceTemplate } from './kinds/template.ts';
import type { PropagatedIdentity } from './propagated-identity.ts';
import { readPolicies, type PolicySource } from './read-policies.ts';
import type { ValuesSource } from './service-values.ts';
import { setValues, type SetValues } from './set-values.ts';
import { ReachError } from './template-data.ts';
import { serviceKey } from './validate-services.ts';

export interface CompileSetInput {
  readonly set: ServiceSet;
  /** As templates see it. */
  readonly cluster: JsonObject;
  readonly clusterNamespace: string;
  /** The Works of its services, by service. */
  readonly present: ReadonlyMap<string, Work>;
  readonly presentPolicies: readonly Work[];
  readonly ruleMaps: readonly ConfigMap[];
  /** What its services may ask for besides what the set itself names. */
  readonly identity?: PropagatedIdentity;
  template(name: string): ServiceTemplate | undefined;
  readonly source: ValuesSource & PolicySource;
}

/** What is to become of a set. */
export interface CompiledSet {
  readonly services: CompiledWorks;
  readonly policies: CompiledPolicies;
  /** Why some of the policies cannot be delivered. */
  readonly policyFaults: readonly string[];
  /** Rules of health that cannot be used, and why. */
  readonly ruleFaults: readonly string[];
}

/** The set cannot be delivered at all until somebody changes something. */
export class SetError extends Error {
  override name = 'SetError';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Throws SetError. */
export async function compileSet(input: CompileSetInput): Promise<CompiledSet> {
  const { set, cluster, clusterNamespace, present, source } = input;
  const config = withIdentity(configOf(set), input.identity);
  const services = set.spec.services ?? [];
  const { values, patches, data } = await valuesOf(() => setValues({ services, config, cluster }, source));
  const { rules, faults } = rulesOfSet(set, input.ruleMaps);
  const read = await readPolicies(config.policyRefs, data, source);
  return {
    services: compileWorks({
      set,
      config,
      clusterNamespace,
      present,
      template: name => input.template(name),
      values: service => values.get(serviceKey(service)) ?? {},
      patches,
      healthRules: rules,
    }),
    policies: compilePolicies({ set, config, clusterNamespace, read, patches, present: input.presentPolicies }),
    policyFaults: [...read.failures.values()],
    ruleFaults: faults,
  };
}

async function valuesOf(read: () => Promise<SetValues>): Promise<SetValues> {
  try {
    return await read();
  } catch (error) {
    const reason = error instanceof ReachError ? 'ServiceSetProfileBuildFailed' : 'ServiceSetHelmChartsBuildFailed';
    throw new SetError(reason, errorText(error));
  }
}

/** What the set itself says comes first. */
export function withIdentity(config: DeliveryConfig, identity: PropagatedIdentity | undefined): DeliveryConfig {
  if (!identity) return config;
  const isNew = ({ identifier }: { identifier: string }) => config.templateResourceRefs.every(one => one.identifier !== identifier);
  return {
    ...config,
    templateResourceRefs: [...config.templateResourceRefs, ...identity.templateResourceRefs.filter(isNew)],
    policyRefs: [...config.policyRefs, ...identity.policyRefs],
  };
}

function configOf({ spec }: ServiceSet): DeliveryConfig {
  try {
    return readConfig(spec.provider.config);
  } catch (error) {
    throw new SetError('ServiceSetProfileBuildFailed', errorText(error));
  }
}
