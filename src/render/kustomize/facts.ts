import facts from './facts.json' with { type: 'json' };

/** Path, kind, group, version, and 1 when the field is made where it is missing. */
export type FieldSpecFact = [path: string, kind: string, group: string, version: string, create: number];
export type NameReferenceFact = [kind: string, group: string, version: string, referrers: FieldSpecFact[]];

/**
 * What is known of a type's fields: the number of a field's type, or -1 when nothing in it merges; a list that merges is the type of its items and
 * its keys. `*` stands for every key of a map.
 */
export type TypeFact = Record<string, number | [items: number, ...keys: string[]]>;

export interface KustomizeFacts {
  /** `apps/v1 Deployment` to the number of its type. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly types: readonly TypeFact[];
  readonly clusterScoped: readonly string[];
  readonly fieldSpecs: Readonly<Record<Exclude<FieldSpecTable, 'nameReference'>, FieldSpecFact[]>> & {
    readonly nameReference: NameReferenceFact[];
  };
}

export type FieldSpecTable =
  | 'namePrefix'
  | 'nameSuffix'
  | 'namespace'
  | 'commonLabels'
  | 'templateLabels'
  | 'volumeClaimTemplateLabels'
  | 'commonAnnotations'
  | 'varReference'
  | 'images'
  | 'replicas'
  | 'nameReference';

/** Written by scripts/generate-kustomize-facts.ts. */
export const kustomizeFacts = facts as unknown as KustomizeFacts;
