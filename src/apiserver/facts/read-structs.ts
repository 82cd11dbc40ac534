import type { GroupVersionKind } from '../../api/object.ts';
import type { GoField, GoStruct, GoType, ScalarName } from '../schema/go-type.ts';
import { fieldFlags, type FieldFact, type StructExtra, type StructsFile } from './facts-format.ts';

export interface StructTable {
  byIndex(index: number): GoStruct;
  byName(name: string): GoStruct | undefined;
  byKind(gvk: GroupVersionKind): GoStruct | undefined;
  /** What the server publishes about a struct beyond its fields. */
  extraOf(name: string): StructExtra | undefined;
  names(): readonly string[];
}

/** Structs are built when they are first asked for, and their fields when those are first looked at: kinds may be recursive. */
export function readStructs(file: StructsFile): StructTable {
  const built: (GoStruct | undefined)[] = [];
  const indexOf = new Map(file.structs.map(([name], index) => [name, index]));
  const gvksOf = new Map<number, GroupVersionKind[]>();
  for (const [key, index] of Object.entries(file.kinds)) {
    const [group, version, kind] = key.split('/') as [string, string, string];
    gvksOf.set(index, [...(gvksOf.get(index) ?? []), { group, version, kind }]);
  }

  const table: StructTable = {
    byIndex: index => (built[index] ??= build(index)),
    byName(name) {
      const index = indexOf.get(name);
      return index === undefined ? undefined : table.byIndex(index);
    },
    byKind({ group, version, kind }) {
      // Options, Status and the like exist in every group version.
      const index = file.kinds[`${group}/${version}/${kind}`] ?? file.kinds[`meta.k8s.io/v1/${kind}`];
      return index === undefined ? undefined : table.byIndex(index);
    },
    extraOf: name => file.structs[indexOf.get(name) ?? -1]?.[3],
    names: () => file.structs.map(([name]) => name),
  };
  return table;

  function build(index: number): GoStruct {
    const [name, goType, facts, extra] = file.structs[index]!;
    const gvks = gvksOf.get(index);
    let fields: readonly GoField[] | undefined;
    let fieldsByName: ReadonlyMap<string, GoField> | undefined;
    return {
      type: 'struct',
      name,
      goName: goType.slice(goType.indexOf('.') + 1),
      goType,
      get fields() {
        return (fields ??= facts.map(readField));
      },
      get fieldsByName() {
        return (fieldsByName ??= new Map(this.fields.map(f => [f.name, f])));
      },
      ...(extra?.mapType && { mapType: extra.mapType }),
      ...(gvks && { gvks }),
    };
  }

  function readField([name, typeText, flags, proto, extra]: FieldFact): GoField {
    const isPointer = typeText.startsWith('*');
    return {
      name,
      type: readType(isPointer ? typeText.slice(1) : typeText),
      isPointer,
      omitEmpty: (flags & fieldFlags.omitEmpty) !== 0,
      omitZero: (flags & fieldFlags.omitZero) !== 0,
      isRequired: (flags & fieldFlags.required) !== 0,
      proto: proto === 0 ? [] : typeof proto === 'number' ? [proto] : proto,
      ...(extra?.enum && { enumValues: extra.enum }),
      ...(extra?.default !== undefined && { defaultValue: extra.default }),
      ...(extra?.list && { listType: extra.list }),
      ...(extra?.keys && { listMapKeys: extra.keys }),
      ...(extra?.map && { mapType: extra.map }),
      ...(extra?.patch && { patchStrategy: extra.patch.split(',') as ('merge' | 'replace' | 'retainKeys')[] }),
      ...(extra?.mergeKey && { patchMergeKey: extra.mergeKey }),
      ...(extra?.embedded && { embedded: extra.embedded }),
    };
  }

  function readType(text: string): GoType {
    let goName: string | undefined;
    if (text.startsWith('@')) {
      const end = text.indexOf(';');
      goName = text.slice(1, end);
      text = text.slice(end + 1);
    }
    const rest = text.slice(1);
    switch (text[0]) {
      case '#':
        return table.byIndex(Number(rest));
      case '[':
      case '<': {
        const element = readType(rest);
        return { type: 'list', element, goName: goName ?? `[]${goNameOf(element)}`, ...(text[0] === '<' && { isMessage: true }) };
      }
      case '{': {
        const element = readType(rest);
        return { type: 'map', element, goName: goName ?? `map[string]${goNameOf(element)}` };
      }
      default:
        return { type: 'scalar', scalar: text as ScalarName, goName: goName ?? goScalarNames[text as ScalarName] ?? text };
    }
  }
}

/** Go's names of the scalars whose name is not their own. */
export const goScalarNames: Partial<Record<ScalarName, string>> = {
  bytes: '[]uint8',
  quantity: 'resource.Quantity',
  time: 'v1.Time',
  microtime: 'v1.MicroTime',
  duration: 'v1.Duration',
  intOrString: 'intstr.IntOrString',
  raw: 'runtime.RawExtension',
  fieldsV1: 'v1.FieldsV1',
  schemaOrArray: 'v1.JSONSchemaPropsOrArray',
  schemaOrBool: 'v1.JSONSchemaPropsOrBool',
  schemaOrStrings: 'v1.JSONSchemaPropsOrStringArray',
};

/** The name Go prints for a type: `v1.DeploymentSpec`, `[]v1.Container`. */
export function goNameOf(type: GoType): string {
  return type.type === 'struct' ? (type.goType ?? type.goName) : (type.goName ?? '');
}
