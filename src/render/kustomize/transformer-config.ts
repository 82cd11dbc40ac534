import { decode, type Shape } from './decode.ts';
import { kustomizeFacts, type FieldSpecFact, type FieldSpecTable } from './facts.ts';
import { mergeFieldSpecs, sortFieldSpecs, type FieldSpec } from './field-spec.ts';
import { within } from './kustomize-error.ts';
import { fieldSpecShape, parseYaml, type WrittenFieldSpec } from './kustomization.ts';
import type { Loader } from './loader.ts';
import { compareGvk, sameGvk, type Gvk } from './res-id.ts';

/** Where resources name others of a kind. */
export interface NameReference extends Gvk {
  readonly referrers: readonly FieldSpec[];
}

type SpecTable = Exclude<FieldSpecTable, 'nameReference'> | 'labels';

/** The fields that each transformer touches. */
export type TransformerConfig = Readonly<Record<SpecTable, readonly FieldSpec[]>> & { readonly nameReference: readonly NameReference[] };

const tables: readonly SpecTable[] = [
  'namePrefix',
  'nameSuffix',
  'namespace',
  'commonAnnotations',
  'commonLabels',
  'labels',
  'templateLabels',
  'volumeClaimTemplateLabels',
  'varReference',
  'images',
  'replicas',
];

export const emptyConfig = (): TransformerConfig =>
  ({ ...Object.fromEntries(tables.map(table => [table, []])), nameReference: [] }) as unknown as TransformerConfig;

function specOf([path, kind, group, version, create]: FieldSpecFact): FieldSpec {
  return { path, kind, group, version, create: create === 1 };
}

const defaultConfig: TransformerConfig = sortConfig({
  ...emptyConfig(),
  ...Object.fromEntries(tables.filter(table => table !== 'labels').map(table => [table, kustomizeFacts.fieldSpecs[table].map(specOf)])),
  nameReference: kustomizeFacts.fieldSpecs.nameReference.map(([kind, group, version, referrers]) => ({
    kind,
    group,
    version,
    referrers: referrers.map(specOf),
  })),
});

export const fieldSpecFrom = ({ group = '', version = '', kind = '', path = '', create = false }: WrittenFieldSpec): FieldSpec => ({
  group,
  version,
  kind,
  path,
  create,
});

type WrittenReference = Partial<Gvk> & { readonly fieldSpecs?: WrittenFieldSpec[] };

const configShape: Shape = {
  struct: 'TransformerConfig',
  fields: {
    ...Object.fromEntries(tables.map(table => [table, { list: fieldSpecShape }])),
    nameReference: {
      list: {
        struct: 'NameBackReferences',
        fields: { group: 'string', version: 'string', kind: 'string', fieldSpecs: { list: fieldSpecShape } },
      },
    },
  },
};

/** The default fields, and those of a kustomization's own configuration files. */
export function loadTransformerConfig(loader: Loader, files: readonly string[]): TransformerConfig {
  if (files.length === 0) return defaultConfig;
  let own = emptyConfig();
  for (const file of files) own = mergeConfigs(own, parseConfig(loader.loadText(file)));
  return mergeConfigs(defaultConfig, own);
}

function parseConfig(text: string): TransformerConfig {
  const written = within('error unmarshaling JSON: while decoding JSON', () =>
    decode<Partial<Record<SpecTable, WrittenFieldSpec[]>> & { nameReference?: WrittenReference[] }>(parseYaml(text), configShape, {
      isLenient: true,
    }),
  );
  return sortConfig({
    ...emptyConfig(),
    ...Object.fromEntries(tables.map(table => [table, (written?.[table] ?? []).map(fieldSpecFrom)])),
    nameReference: (written?.nameReference ?? []).map(({ group = '', version = '', kind = '', fieldSpecs = [] }) => ({
      group,
      version,
      kind,
      referrers: fieldSpecs.map(fieldSpecFrom),
    })),
  });
}

function sortConfig(config: TransformerConfig): TransformerConfig {
  return {
    ...(Object.fromEntries(tables.map(table => [table, sortFieldSpecs(config[table])])) as unknown as TransformerConfig),
    nameReference: [...config.nameReference].sort(compareGvk),
  };
}

const words: Readonly<Record<string, string>> = { namespace: 'NameSpace' };

export function mergeConfigs(config: TransformerConfig, more: TransformerConfig): TransformerConfig {
  if (config === more) return config;
  const merged = Object.fromEntries(
    tables.map(table => [
      table,
      within(`failed to merge ${words[table] ?? table[0]!.toUpperCase() + table.slice(1)} fieldSpec`, () =>
        mergeFieldSpecs(config[table], more[table]),
      ),
    ]),
  ) as unknown as TransformerConfig;
  return sortConfig({ ...merged, nameReference: mergeReferences(config.nameReference, more.nameReference) });
}

export function mergeReferences(list: readonly NameReference[], more: readonly NameReference[]): NameReference[] {
  let merged = [...list];
  for (const reference of more) {
    if (!merged.some(other => sameGvk(other, reference))) {
      merged.push(reference);
      continue;
    }
    merged = merged.map(other => {
      if (!sameGvk(other, reference)) return other;
      return { ...other, referrers: mergeFieldSpecs(other.referrers, reference.referrers) };
    });
  }
  return merged;
}
