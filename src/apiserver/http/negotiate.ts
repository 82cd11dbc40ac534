import { StatusError } from '../../api/status.ts';
import { plainForm, type Form } from '../representation.ts';

export interface Negotiated {
  readonly encoding: 'json' | 'yaml' | 'protobuf';
  readonly form: Form;
  readonly isPretty: boolean;
}

export interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

/** What may be asked of an endpoint besides plain objects. */
export interface Offers {
  /** Objects as tables and as their metadata alone. */
  readonly forms?: boolean;
  readonly yaml?: boolean;
  /** Custom resources have no form in protobuf; their metadata has. */
  readonly isCustom?: boolean;
}

const encodings = [
  { type: 'application', subtype: 'json', encoding: 'json' },
  { type: 'application', subtype: 'yaml', encoding: 'yaml' },
  { type: 'application', subtype: 'vnd.kubernetes.protobuf', encoding: 'protobuf' },
] as const;

/**
 * Picks the first form the client accepts and the endpoint offers. Throws 406 when there is none. Objects are kept as JSON, so they are sent in
 * protobuf only to those who accept nothing else.
 */
export function negotiate(accept: string | undefined, query: URLSearchParams, userAgent: string, offers: Offers): Negotiated {
  const isPretty = wantsPretty(query, userAgent);
  if (accept === undefined || accept === '') return { encoding: 'json', form: plainForm, isPretty };
  let inProtobuf: Negotiated | undefined;
  for (const { type, subtype, parameters } of parseAccept(accept)) {
    for (const offered of encodings) {
      if (type !== offered.type && (type !== '*' || subtype !== '*')) continue;
      if (subtype !== offered.subtype && subtype !== '*') continue;
      const form = formOf(parameters, offers, query);
      if (!form) continue;
      const negotiated = { encoding: offered.encoding, form, isPretty: isPretty || parameters.pretty === '1' };
      if (offered.encoding !== 'protobuf' || form.as === 'partial') return streamed(negotiated, offers);
      if (form.as === 'object' && offers.isCustom !== true) inProtobuf ??= negotiated;
    }
  }
  if (inProtobuf) return inProtobuf;
  throw notAcceptable(offers);
}

/** YAML has no form for streams; a client that prefers it is refused although it accepts others. */
function streamed(negotiated: Negotiated, offers: Offers): Negotiated {
  if (offers.yaml === false && negotiated.encoding === 'yaml') throw notAcceptable(offers);
  return negotiated;
}

export const objectTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;
export const streamTypes = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'] as const;

function notAcceptable({ yaml }: Offers): StatusError {
  const types = yaml === false ? streamTypes : objectTypes;
  return new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${types.join(', ')}`);
}

function formOf(parameters: Clause['parameters'], offers: Offers, query: URLSearchParams): Form | undefined {
  const { as, g, v, stream = '', sv = '' } = parameters;
  if (stream !== '' && stream !== 'watch') return undefined;
  if (sv !== '' && (sv !== 'v1' || offers.forms !== true)) return undefined;
  if (as === undefined && g === undefined && v === undefined) return plainForm;
  if (offers.forms !== true || g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined;
  const apiVersion = `${g}/${v}` as const;
  if (as === 'Table') return { as: 'table', apiVersion, includeObject: query.get('includeObject') ?? '' };
  if (as === 'PartialObjectMetadata') return { as: 'partial', apiVersion, ofList: false };
  return as === 'PartialObjectMetadataList' ? { as: 'partial', apiVersion, ofList: true } : undefined;
}

/** The clauses of an Accept header, best first. */
export function parseAccept(accept: string): Clause[] {
  const clauses: Clause[] = [];
  for (const part of accept.split(',')) {
    const [media = '', ...rest] = part.split(';');
    const [type = '', subtype, ...more] = media.split('/').map(trimSpaces);
    if (more.length > 0 || (!subtype && type !== '*')) continue;
    clauses.push({ type, subtype: subtype || '*', ...readParameters(rest) });
  }
  return sortClauses(clauses);
}

function readParameters(parts: readonly string[]): { parameters: Record<string, string>; quality: number } {
  const parameters: Record<string, string> = {};
  let quality = 1;
  for (const part of parts) {
    const [name = '', value = '', ...more] = part.split('=');
    if (value === '' || more.length > 0) continue;
    const key = trimSpaces(name);
    if (key === 'q') quality = Number.isNaN(Number(value)) ? 0 : Number(value);
    else if (key !== '__proto__') parameters[key] = trimSpaces(value);
  }
  return { parameters, quality };
}

const trimSpaces = (text: string) => text.replace(/^ +| +$/g, '');
const insertionSortLimit = 12;

/** By quality, then the specific before the general. The order is not transitive, so the way of sorting matters: by insertion, as Go sorts short lists. */
function sortClauses(clauses: Clause[]): Clause[] {
  if (clauses.length > insertionSortLimit) return clauses.sort((a, b) => b.quality - a.quality);
  for (let i = 1; i < clauses.length; i++) {
    for (let j = i; j > 0 && comesBefore(clauses[j]!, clauses[j - 1]!); j--) {
      [clauses[j], clauses[j - 1]] = [clauses[j - 1]!, clauses[j]!];
    }
  }
  return clauses;
}

function comesBefore(a: Clause, b: Clause): boolean {
  return a.quality > b.quality || (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*');
}

const trueWords = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);

function wantsPretty(query: URLSearchParams, userAgent: string): boolean {
  const pretty = query.get('pretty') ?? '';
  if (pretty !== '') return trueWords.has(pretty);
  return /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}
