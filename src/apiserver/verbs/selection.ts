import { badRequest } from '../../api/status.ts';
import type { Entry } from '../../store/entry.ts';
import type { Resource } from '../resource.ts';
import { fieldLabelProblem, parseFieldSelector, type FieldRequirement } from '../validation/field-selector.ts';
import { parseLabelSelector, type Operator, type ParsedSelector } from '../validation/label-selector.ts';
import { checkStorageKey } from './storage-key.ts';

/** Which objects of a resource a list, watch or collection delete is about. */
export interface Selection {
  readonly namespace: string;
  /** Set when the field selector fixes the name: the whole question is then about one object. */
  readonly name: string | undefined;
  /** Undefined when everything in the namespace matches. */
  readonly matches: ((entry: Entry) => boolean) | undefined;
  readonly hasSelector: boolean;
}

export function parseSelection(resource: Resource, namespace: string, query: URLSearchParams): Selection {
  checkStorageKey(resource, { namespace, name: '' });
  const labelText = query.get('labelSelector') ?? '';
  const fieldText = query.get('fieldSelector') ?? '';
  if (labelText === '' && fieldText === '') return { namespace, name: undefined, matches: undefined, hasSelector: false };

  const labels = labelText === '' ? undefined : parseLabelSelector(labelText);
  const fields = fieldText === '' ? [] : parseFieldSelector(fieldText).requirements;
  for (const { field } of fields) {
    const problem = fieldLabelProblem(resource, field);
    if (problem !== undefined) throw badRequest(problem);
  }
  const name = fields.find(f => f.field === 'metadata.name' && f.operator === '=')?.value;
  const tests: ((entry: Entry) => boolean)[] = fields.map(requirement => fieldTest(resource, requirement));
  if (labels && labels.requirements.length > 0) tests.push(labelTest(labels));
  if (tests.length === 0) return { namespace, name, matches: undefined, hasSelector: false };
  return { namespace, name, matches: entry => tests.every(test => test(entry)), hasSelector: true };
}

/** Those that no object without the label fulfils. */
const needsLabel: ReadonlySet<Operator> = new Set<Operator>(['=', '==', 'in', 'exists', '>', '<']);

/** Most objects do not have the label at all, and their bytes tell so without being parsed. */
function labelTest({ requirements, matches }: ParsedSelector): (entry: Entry) => boolean {
  const needed = requirements.filter(({ operator }) => needsLabel.has(operator)).map(({ key }) => `"${key}"`);
  return entry => needed.every(text => entry.includes(text)) && matches(entry.obj.metadata.labels ?? {});
}

function fieldTest(resource: Resource, { field, operator, value }: FieldRequirement): (entry: Entry) => boolean {
  const wanted = operator === '=';
  if (field === 'metadata.name') return entry => (entry.name === value) === wanted;
  if (field === 'metadata.namespace') return entry => (entry.namespace === value) === wanted;
  const read = resource.selectableFields[field]!;
  const { codec } = resource;
  return entry => {
    const obj = codec.isStorageVersion(entry.obj) ? entry.obj : codec.fromStorage(entry.obj);
    // Webhook conversion cannot be awaited here; its fields are read from the stored version, which has the same meaning.
    return (read(obj instanceof Promise ? entry.obj : obj) === value) === wanted;
  };
}
