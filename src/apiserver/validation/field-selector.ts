import { badRequest } from '../../api/status.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

export interface ParsedFieldSelector {
  /** In the order the API evaluates and reports them. */
  readonly requirements: readonly FieldRequirement[];
  /** `read` gives the value of a field; a field that is absent reads as ''. */
  matches(read: (field: string) => string): boolean;
}

/** Parses `f=v,g!=w` with backslash escapes. Throws StatusError 400 in the words of the API. Which fields exist is for the caller. */
export function parseFieldSelector(text: string): ParsedFieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue;
    const split = /^(.*?)(!=|==|=)(.*)$/su.exec(term);
    if (!split) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', operator, value = ''] = split;
    // A term that names neither field nor value selects everything.
    if (field === '' && value === '') continue;
    requirements.push({ field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value) });
  }
  return {
    requirements,
    matches: read => requirements.every(({ field, operator, value }) => (read(field) === value) === (operator === '=')),
  };
}

function splitTerms(text: string): string[] {
  if (text === '') return [];
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  let value = '';
  let isEscaped = false;
  for (const c of text) {
    if (isEscaped) {
      if (c !== '\\' && c !== ',' && c !== '=') throw badRequest(`invalid field selector: invalid escape sequence: \\${c}`);
      value += c;
      isEscaped = false;
    } else if (c === '\\') isEscaped = true;
    else if (c === ',' || c === '=') throw badRequest(`invalid field selector: unescaped character in value: ${c.codePointAt(0)}`);
    else value += c;
  }
  if (isEscaped) throw badRequest('invalid field selector: invalid escape sequence: \\');
  return value;
}

/** Escapes a literal for use as a value. */
export const escapeFieldValue = (value: string) => value.replace(/[\\,=]/g, c => `\\${c}`);

const clusterScopedWithFields: ReadonlySet<string> = new Set(['Namespace', 'Node', 'CertificateSigningRequest', 'ResourceSlice']);

/** Why a kind cannot be selected by a field, or undefined when it can. Answered with 400. */
export function fieldLabelProblem({ group, version, kind, isCustom, selectableFields }: FieldLabelKind, field: string): string | undefined {
  if (Object.hasOwn(selectableFields, field) || field === 'metadata.name') return undefined;
  const hasOwnRule = isCustom || Object.keys(selectableFields).length > 0;
  if (field === 'metadata.namespace' && !(hasOwnRule && clusterScopedWithFields.has(kind))) return undefined;
  if (!hasOwnRule) return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  if (kind === 'Job' && group === 'batch') return `field label ${JSON.stringify(field)} not supported for Job`;
  if (kind === 'ResourceSlice' && group === 'resource.k8s.io')
    return `field label not supported for ${group}/${version}, Kind=${kind}: ${field}`;
  return `field label not supported: ${field}`;
}

interface FieldLabelKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly isCustom: boolean;
  readonly selectableFields: Readonly<Record<string, unknown>>;
}
