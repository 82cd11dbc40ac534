import type { Namespace } from '../../../../api/builtin-kinds.ts';
import { printJson, type Json, type JsonObject } from '../../../../util/json.ts';
import { accessAnnotations } from '../../access/access-names.ts';
import { rancherAnnotations } from '../../names.ts';
import type { Fields } from '../norman-type.ts';
import { writeFields } from '../resource-shape.ts';
import { inProject, projectIdOf } from './namespace-project.ts';

/** Fields that are kept in annotations: objects as JSON. */
const notes: Readonly<Record<string, string>> = {
  description: rancherAnnotations.description,
  resourceQuota: accessAnnotations.quota,
  containerDefaultResourceLimit: accessAnnotations.containerLimit,
};

/** The namespace with fields as a client wants them. A null takes a field away. */
export function writeNamespace(namespace: Namespace, values: JsonObject, fields: Fields): Namespace {
  const { projectId, ...others } = values;
  const plain = Object.fromEntries(Object.entries(others).filter(([name]) => !Object.hasOwn(notes, name)));
  const written = writeFields(namespace, plain, { fields, isFlat: false });
  const annotations = { ...written.metadata.annotations };
  for (const [name, key] of Object.entries(notes)) if (Object.hasOwn(others, name)) setNote(annotations, key, others[name]!);
  const noted = { ...written, metadata: { ...written.metadata, annotations } };
  return projectId === undefined ? noted : inProject(noted, typeof projectId === 'string' ? projectId : '');
}

function setNote(annotations: Record<string, string>, key: string, value: Json): void {
  if (value === null || value === '') delete annotations[key];
  else annotations[key] = typeof value === 'string' ? value : printJson(value);
}

/** What is kept in annotations, as fields. */
export function readNotes(namespace: Namespace): JsonObject {
  const { annotations = {} } = namespace.metadata;
  const json = (key: string) => parse(annotations[key]);
  return {
    projectId: projectIdOf(namespace) ?? null,
    description: annotations[rancherAnnotations.description] ?? '',
    resourceQuota: json(accessAnnotations.quota),
    containerDefaultResourceLimit: json(accessAnnotations.containerLimit),
  };
}

function parse(text = ''): Json {
  try {
    return text === '' ? null : (JSON.parse(text) as Json);
  } catch {
    return null;
  }
}
