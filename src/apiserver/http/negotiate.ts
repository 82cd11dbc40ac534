import { StatusError } from '../../api/status.ts';
import { plainForm, type Form } from '../representation.ts';

export interface Negotiated {
  readonly encoding: 'json' | 'yaml';
  readonly form: Form;
  readonly isPretty: boolean;
}

interface Clause {
  type: string;
  parameters: Record<string, string>;
  quality: number;
}

/** What may be asked of an endpoint besides plain objects. */
export interface Offers {
  readonly table?: boolean;
  /** The name of the metadata form: objects and lists have different ones. */
  readonly partial?: 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  readonly yaml?: boolean;
}

const wildcards = new Set(['*/*', 'application/*', 'application/json']);

/** Picks the first form the client accepts and the endpoint offers. Throws 406 when there is none. */
export function negotiate(accept: string | undefined, query: URLSearchParams, userAgent: string, offers: Offers): Negotiated {
  const isPretty = wantsPretty(query, userAgent);
  if (accept === undefined || accept.trim() === '') return { encoding: 'json', form: plainForm, isPretty };
  for (const clause of parseAccept(accept)) {
    const form = formOf(clause.parameters, offers, query);
    if (!form) continue;
    if (wildcards.has(clause.type)) return { encoding: 'json', form, isPretty };
    if (offers.yaml !== false && (clause.type === 'application/yaml' || clause.type === 'application/*'))
      return { encoding: 'yaml', form, isPretty };
  }
  throw notAcceptable(offers);
}

function notAcceptable(offers: Offers): StatusError {
  const types =
    offers.yaml === false
      ? ['application/json', 'application/json;stream=watch']
      : ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
  return new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${types.join(', ')}`);
}

function formOf(parameters: Record<string, string>, offers: Offers, query: URLSearchParams): Form | undefined {
  const { as, g, v } = parameters;
  if (as === undefined) return plainForm;
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined;
  if (as === 'Table' && offers.table !== false) return { as: 'table', includeObject: includeObject(query) };
  if (as === offers.partial) return { as: 'partial' };
  return undefined;
}

function includeObject(query: URLSearchParams): 'None' | 'Metadata' | 'Object' {
  const wanted = query.get('includeObject');
  return wanted === 'None' || wanted === 'Object' ? wanted : 'Metadata';
}

export function parseAccept(accept: string): Clause[] {
  return accept
    .split(',')
    .map(text => {
      const [type = '', ...rest] = text.split(';').map(part => part.trim());
      const parameters = Object.fromEntries(rest.map(p => p.split('=', 2) as [string, string]).filter(p => p.length === 2));
      return { type: type.toLowerCase(), parameters, quality: Number(parameters.q ?? 1) };
    })
    .filter(clause => clause.type !== '' && clause.quality > 0)
    .sort((a, b) => b.quality - a.quality);
}

function wantsPretty(query: URLSearchParams, userAgent: string): boolean {
  const pretty = query.get('pretty');
  if (pretty !== null) return pretty !== 'false' && pretty !== '0';
  return /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}
