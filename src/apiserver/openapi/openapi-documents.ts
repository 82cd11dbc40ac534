import { createHash } from 'node:crypto';
import { printJson, type JsonObject } from '../../util/json.ts';
import type { RemoteGroupVersion } from '../aggregation/aggregator.ts';
import { mergeSwagger } from '../aggregation/merge-openapi.ts';
import { openApiV2Document } from './document-v2.ts';
import { openApiV3Document, openApiV3PlainDocument } from './document-v3.ts';
import { encodeSwagger } from './gnostic.ts';
import type { PublishedResource } from './operations.ts';
import type { CustomSchemas, GroupVersion } from './schema-source.ts';

/** What is served at one moment. Every change of resources or schemas grows the generation. */
export interface OpenApiCatalog {
  readonly generation: number;
  readonly resources: readonly PublishedResource[];
  readonly customSchemas: CustomSchemas;
  /** What other servers serve through this one. */
  readonly remote?: readonly RemoteGroupVersion[];
}

/** A document ready to be sent. The hash is its strong ETag. */
export interface OpenApiDocument {
  readonly body: Buffer;
  readonly hash: string;
}

interface Kept {
  readonly key: unknown;
  readonly document: OpenApiDocument;
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** Documents that tell of built-in resources only. They are the same objects in all clusters of the process, and so are the documents. */
const builtinDocuments = new Map<string, Kept>();

/**
 * Documents are made when they are first asked for and kept until what they tell changes: those of the built-in groups survive a new
 * custom resource, because their resources are the same objects as before.
 */
export class OpenApiDocuments {
  private readonly catalog: () => OpenApiCatalog;
  private readonly kept = new Map<string, Kept>();

  constructor(catalog: () => OpenApiCatalog) {
    this.catalog = catalog;
  }

  /** `GET /openapi/v3`: where the documents are, by path. */
  root(): JsonObject {
    const paths: JsonObject = {};
    for (const path of this.paths()) paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${this.v3(path)!.hash}` };
    for (const { openApiPaths } of this.catalog().remote ?? []) {
      for (const [path, serverRelativeURL] of Object.entries(openApiPaths)) paths[path] = { serverRelativeURL };
    }
    return { paths };
  }

  /** `GET /openapi/v3/<path>`, such as `api/v1` and `apis/apps/v1`. */
  v3(path: string): OpenApiDocument | undefined {
    const { resources, customSchemas } = this.catalog();
    const gv = parsePath(path);
    if (!gv) {
      const make = plainDocuments(groupsOf(resources)).get(path);
      return make && keep(builtinDocuments, path, 'plain', () => Buffer.from(printJson(make())));
    }
    const served = resources.filter(r => r.group === gv.group && r.version === gv.version);
    if (served.length === 0) return undefined;
    const schemas = served.filter(r => r.isCustom).map(r => customSchemas.get(`${r.group}/${r.version}/${r.kind}`));
    const shelf = served.some(r => r.isCustom) ? this.kept : builtinDocuments;
    return keep(shelf, path, [...served, ...schemas], () => Buffer.from(printJson(openApiV3Document(gv, served, customSchemas))));
  }

  /** `GET /openapi/v2` as JSON. */
  v2(): OpenApiDocument {
    return this.keepWhole('v2', () => Buffer.from(printJson(this.swagger())));
  }

  /** `GET /openapi/v2` as `application/com.github.proto-openapi.spec.v2@v1.0+protobuf`. */
  v2Protobuf(): OpenApiDocument {
    return this.keepWhole('v2.pb', () => encodeSwagger(this.swagger()));
  }

  private swagger(): JsonObject {
    const { resources, customSchemas, remote = [] } = this.catalog();
    return mergeSwagger(openApiV2Document(resources, customSchemas), remote);
  }

  private paths(): string[] {
    const { resources } = this.catalog();
    const gvs = new Set(resources.map(({ group, version }) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)));
    return [...gvs, ...plainDocuments(groupsOf(resources)).keys()].sort();
  }

  private keepWhole(name: string, make: () => Buffer): OpenApiDocument {
    const { generation, resources, remote = [] } = this.catalog();
    const isBuiltin = remote.length === 0 && !resources.some(r => r.isCustom);
    return isBuiltin ? keep(builtinDocuments, name, resources, make) : keep(this.kept, name, generation, make);
  }
}

function keep(shelf: Map<string, Kept>, name: string, key: unknown, make: () => Buffer): OpenApiDocument {
  const before = shelf.get(name);
  if (before && isSameKey(before.key, key)) return before.document;
  const body = make();
  const document = { body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() };
  shelf.set(name, { key, document });
  return document;
}

function isSameKey(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

function parsePath(path: string): GroupVersion | undefined {
  const [root, first, second, more] = path.split('/');
  if (more !== undefined || first === undefined) return undefined;
  if (root === 'api' && second === undefined) return { group: '', version: first };
  return root === 'apis' && second !== undefined ? { group: first, version: second } : undefined;
}

/** Groups that have built-in resources: only those publish a document of their own. */
function groupsOf(resources: readonly PublishedResource[]): string[] {
  return [...new Set(resources.filter(r => !r.isCustom && r.group !== '').map(r => r.group))];
}

function plainDocuments(groups: readonly string[]): Map<string, () => JsonObject> {
  const documents = new Map<string, () => JsonObject>([
    ['api', () => openApiV3PlainDocument('/api/', 'getCoreAPIVersions', 'core', `${meta}APIVersions`)],
    ['apis', () => openApiV3PlainDocument('/apis/', 'getAPIVersions', 'apis', `${meta}APIGroupList`)],
    [
      '.well-known/openid-configuration',
      () =>
        openApiV3PlainDocument(
          '/.well-known/openid-configuration/',
          'getServiceAccountIssuerOpenIDConfiguration',
          'WellKnown',
          undefined,
          'application/json',
        ),
    ],
    [
      'openid/v1/jwks',
      () =>
        openApiV3PlainDocument('/openid/v1/jwks/', 'getServiceAccountIssuerOpenIDKeyset', 'openid', undefined, 'application/jwk-set+json'),
    ],
    ['version', () => openApiV3PlainDocument('/version/', 'getCodeVersion', 'version', undefined)],
  ]);
  for (const group of groups) {
    const word = group
      .replace(/\.k8s\.io$/, '')
      .split('.')
      .map(part => part[0]!.toUpperCase() + part.slice(1))
      .join('');
    const tag = word[0]!.toLowerCase() + word.slice(1);
    documents.set(`apis/${group}`, () => openApiV3PlainDocument(`/apis/${group}/`, `get${word}APIGroup`, tag, `${meta}APIGroup`));
  }
  return documents;
}
