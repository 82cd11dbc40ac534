import { apiVersionOf, type GroupVersionKind } from '../../api/object.ts';
import { structOfKind } from '../facts/facts.ts';
import type { Resource, Subresource } from '../resource.ts';
import { schemaName, type GroupVersion } from './schema-source.ts';

/** What OpenAPI needs to know of a resource. */
export type PublishedResource = Pick<
  Resource,
  'group' | 'version' | 'resource' | 'kind' | 'listKind' | 'namespaced' | 'verbs' | 'subresources' | 'isCustom'
> & { readonly strategy?: Pick<Resource['strategy'], 'returnsDeletedObject'> };

/** An operation in words that both versions of OpenAPI can be written from. */
export interface Operation {
  readonly path: string;
  readonly method: 'get' | 'put' | 'post' | 'patch' | 'delete';
  readonly id: string;
  readonly tag: string;
  readonly action?: string;
  readonly gvk?: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly schema: string; readonly types: readonly string[]; readonly isRequired: boolean };
  /** The schema of the answer; undefined for plain text. */
  readonly answer: string | undefined;
  readonly codes: readonly string[];
  readonly produces: readonly string[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly type: 'string' | 'boolean' | 'integer';
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const query = (type: Parameter['type'], ...names: string[]): Parameter[] => names.map(name => ({ name, in: 'query', type }));
const listParameters = [
  ...query('boolean', 'allowWatchBookmarks'),
  ...query('string', 'continue', 'fieldSelector', 'labelSelector'),
  ...query('integer', 'limit'),
  ...query('string', 'resourceVersion', 'resourceVersionMatch'),
  ...query('boolean', 'sendInitialEvents'),
  ...query('string', 'shardSelector'),
  ...query('integer', 'timeoutSeconds'),
  ...query('boolean', 'watch'),
];
const deleteParameters = [
  ...query('string', 'dryRun'),
  ...query('integer', 'gracePeriodSeconds'),
  ...query('boolean', 'ignoreStoreReadErrorWithClusterBreakingPotential', 'orphanDependents'),
  ...query('string', 'propagationPolicy'),
];
const writeParameters = query('string', 'dryRun', 'fieldManager', 'fieldValidation');
const patchParameters = [...writeParameters, ...query('boolean', 'force')];
const collectionDeleteParameters = [
  ...listParameters.filter(p => p.name !== 'allowWatchBookmarks' && p.name !== 'watch'),
  ...deleteParameters,
].sort((a, b) => (a.name < b.name ? -1 : 1));

const getParameters = query('string', 'resourceVersion');

const patchTypes = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];

/** All operations on the resources of one group version. */
export function operationsOf(gv: GroupVersion, resources: readonly PublishedResource[]): Operation[] {
  const root = gv.group === '' ? `/api/${gv.version}` : `/apis/${apiVersionOf(gv)}`;
  const operations = resources.flatMap(resource => resourceOperations(root, resource));
  if (resources.every(r => r.isCustom)) return operations;
  const discovery: Operation = {
    path: `${root}/`,
    method: 'get',
    id: `get${groupWord(gv.group)}${capital(gv.version)}APIResources`,
    tag: tagOf(gv),
    parameters: [],
    answer: `${meta}APIResourceList`,
    codes: ['200'],
    produces: builtinTypes,
  };
  return [discovery, ...operations];
}

const builtinTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
const customTypes = ['application/json', 'application/yaml'];

function resourceOperations(root: string, resource: PublishedResource): Operation[] {
  const gvk = { group: resource.group, version: resource.version, kind: resource.kind };
  const collection = `${root}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.resource}`;
  const item = `${collection}/{name}`;
  const make = maker(resource, gvk, '');
  const name = schemaName(gvk);
  const list = () => schemaName({ ...gvk, kind: resource.listKind });
  const removed = resource.strategy?.returnsDeletedObject ? name : `${meta}Status`;
  const has = (verb: string) => resource.verbs.includes(verb);
  const operations: (Operation | undefined)[] = [
    has('list') ? make(collection, 'get', 'list', { parameters: listParameters, answer: list(), isList: true }) : undefined,
    has('create')
      ? make(collection, 'post', 'create', { parameters: writeParameters, body: name, answer: name, codes: ['200', '201', '202'] })
      : undefined,
    has('deletecollection')
      ? make(collection, 'delete', 'deletecollection', {
          // Definitions declare what they do for their list, and no body.
          ...(resource.isCustom
            ? { parameters: listParameters }
            : { parameters: collectionDeleteParameters, body: `${meta}DeleteOptions` }),
          answer: `${meta}Status`,
        })
      : undefined,
    has('get') ? make(item, 'get', 'read', { ...readDetails(resource), answer: name }) : undefined,
    has('update')
      ? make(item, 'put', 'replace', { parameters: writeParameters, body: name, answer: name, codes: ['200', '201'] })
      : undefined,
    has('patch')
      ? make(item, 'patch', 'patch', { parameters: patchParameters, body: `${meta}Patch`, answer: name, codes: patchCodes(resource) })
      : undefined,
    has('delete')
      ? make(item, 'delete', 'delete', {
          parameters: deleteParameters,
          body: `${meta}DeleteOptions`,
          answer: removed,
          codes: ['200', '202'],
        })
      : undefined,
    has('list') && resource.namespaced
      ? make(`${root}/${resource.resource}`, 'get', 'list', { parameters: listParameters, answer: list(), isList: true, isForAll: true })
      : undefined,
  ];
  return [...operations.filter(o => o !== undefined), ...resource.subresources.flatMap(sub => subresourceOperations(resource, sub, item))];
}

const readDetails = ({ isCustom }: PublishedResource) => (isCustom ? { parameters: getParameters } : {});
const patchCodes = ({ isCustom }: PublishedResource) => (isCustom ? ['200'] : ['200', '201']);

const methodOf: Readonly<Record<string, Operation['method']>> = {
  get: 'get',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
};
const wordOf: Readonly<Record<string, string>> = { get: 'read', create: 'create', update: 'replace', patch: 'patch', delete: 'delete' };

function subresourceOperations(resource: PublishedResource, sub: Subresource, item: string): Operation[] {
  const { group, version, kind } = resource;
  const make = maker(resource, resource.isCustom ? { group, version, kind } : sub.kind, capital(sub.name));
  const path = `${item}/${sub.name}`;
  const verbs = sub.verbs.filter(verb => methodOf[verb] !== undefined);
  if (/(?:Exec|Attach|PortForward|Proxy)Options$/.test(sub.kind.kind)) {
    const paths = sub.kind.kind.endsWith('ProxyOptions') ? [path, `${path}/{path}`] : [path];
    const parameters = optionParameters(sub.kind);
    return paths.flatMap(p => verbs.map(verb => make(p, methodOf[verb]!, 'connect', { parameters, answer: undefined })));
  }
  if (sub.name === 'log') {
    const log = make(path, 'get', 'read', { parameters: optionParameters({ ...sub.kind, kind: 'PodLogOptions' }), answer: undefined });
    return [{ ...log, produces: [...builtinTypes, 'text/plain'] }];
  }
  const name = schemaName(sub.kind);
  return verbs.map(verb => {
    if (verb === 'get') return make(path, 'get', 'read', { ...readDetails(resource), answer: name });
    const isPatch = verb === 'patch';
    return make(path, methodOf[verb]!, wordOf[verb]!, {
      parameters: isPatch ? patchParameters : writeParameters,
      body: isPatch ? `${meta}Patch` : name,
      answer: name,
      codes: verb === 'create' ? ['200', '201', '202'] : isPatch ? patchCodes(resource) : ['200', '201'],
    });
  });
}

/** Options that travel in the query are declared as kinds of their own. */
function optionParameters(gvk: GroupVersionKind): Parameter[] {
  const fields = structOfKind(gvk)?.fields.filter(f => f.name !== 'kind' && f.name !== 'apiVersion') ?? [];
  return fields
    .map((field): Parameter => {
      const type = field.type.type === 'list' ? field.type.element : field.type;
      const scalar = type.type === 'scalar' ? type.scalar : 'string';
      return { name: field.name, in: 'query', type: scalar === 'bool' ? 'boolean' : scalar.startsWith('int') ? 'integer' : 'string' };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

interface Details {
  parameters?: readonly Parameter[];
  body?: string;
  answer: string | undefined;
  codes?: readonly string[];
  isList?: boolean;
  isForAll?: boolean;
}

const actions: Readonly<Record<string, string>> = { read: 'get', create: 'post', replace: 'put' };

function maker(resource: PublishedResource, gvk: GroupVersionKind, suffix: string) {
  const { group, version, namespaced, kind, isCustom } = resource;
  return (path: string, method: Operation['method'], word: string, details: Details): Operation => {
    const { parameters = [], body, answer, codes = ['200'], isList = false, isForAll = false } = details;
    const scope = namespaced && !isForAll ? 'Namespaced' : '';
    const verb = word === 'deletecollection' ? 'delete' : word;
    const connected = word === 'connect' ? capital(method) : word === 'deletecollection' ? 'Collection' : '';
    const id = `${verb}${groupWord(group)}${capital(version)}${connected}${scope}${kind}${suffix}`;
    const types = isCustom ? customTypes : builtinTypes;
    const streams = isList && !isCustom ? types.filter(type => !type.endsWith('yaml')).map(type => `${type};stream=watch`) : [];
    return {
      path,
      method,
      id: `${id}${path.endsWith('{path}') ? 'WithPath' : ''}${isForAll ? 'ForAllNamespaces' : ''}`,
      tag: tagOf({ group, version }),
      action: actions[word] ?? word,
      gvk,
      parameters,
      ...(body !== undefined && { body: { schema: body, types: bodyTypes(method, isCustom), isRequired: method !== 'delete' } }),
      answer,
      codes,
      produces: answer === undefined ? ['*/*'] : [...types, ...streams],
    };
  };
}

/** Strategic merges are for built-in kinds: kubectl decides by this list. */
function bodyTypes(method: Operation['method'], isCustom: boolean): readonly string[] {
  if (method !== 'patch') return isCustom ? customTypes : ['*/*'];
  return isCustom ? patchTypes : [...patchTypes, 'application/strategic-merge-patch+json'];
}

/** The operations of one path, with the parameters that all of them share. */
export interface PathOperations {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
}

export function groupByPath(operations: readonly Operation[]): PathOperations[] {
  return [...Map.groupBy(operations, o => o.path)].map(([path, all]) => {
    if (all.some(o => o.action === undefined)) return { path, parameters: [], operations: all };
    const shared = all[0]!.parameters.filter(p => all.every(o => o.parameters.some(q => q.name === p.name)));
    const names = new Set(shared.map(p => p.name));
    return {
      path,
      parameters: [...pathParameters(path, all[0]!.action === 'connect'), ...shared].sort((a, b) => (a.name < b.name ? -1 : 1)),
      operations: all.map(o => ({ ...o, parameters: o.parameters.filter(p => !names.has(p.name)) })),
    };
  });
}

function pathParameters(path: string, isConnect: boolean): Parameter[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1]!);
  return [...names.map((name): Parameter => ({ name, in: 'path', type: 'string' })), ...(isConnect ? [] : query('string', 'pretty'))];
}

function groupWord(group: string): string {
  return group === ''
    ? 'Core'
    : group
        .replace(/\.k8s\.io$/, '')
        .split('.')
        .map(capital)
        .join('');
}

function tagOf({ group, version }: GroupVersion): string {
  const word = groupWord(group);
  return `${word[0]!.toLowerCase()}${word.slice(1)}_${version}`;
}

const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);
