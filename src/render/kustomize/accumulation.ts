import type { BuildContext } from './build-context.ts';
import { ResourceMap } from './resource-map.ts';
import { emptyConfig, mergeConfigs, type TransformerConfig } from './transformer-config.ts';
import { addVariable, type Variable } from './variables.ts';

/** What kustomizations gather: resources, the fields that transformers touch, and variables. */
export class Accumulation {
  readonly resources: ResourceMap;
  config: TransformerConfig = emptyConfig();
  readonly variables = new Map<string, Variable>();

  constructor(context: BuildContext) {
    this.resources = new ResourceMap(context);
  }

  take(other: Accumulation): void {
    this.resources.appendAll(other.resources.list);
    this.config = mergeConfigs(this.config, other.config);
    for (const variable of other.variables.values()) addVariable(this.variables, variable);
  }
}
