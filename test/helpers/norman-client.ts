import type { HttpTarget } from './http-target.ts';

export interface Resource {
  readonly id: string;
  readonly type: string;
  readonly links: Readonly<Record<string, string>>;
  readonly actions: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

interface Schema {
  readonly id: string;
  readonly links: Readonly<Record<string, string>>;
  readonly collectionMethods?: readonly string[];
  readonly resourceMethods?: readonly string[];
}

type Filters = Readonly<Record<string, string | readonly string[]>>;

/**
 * A client of Rancher's API that knows nothing but where a root is, as the one that Rancher's programs are built on: it follows the header to
 * the schemas, goes only to addresses that it was given, and refuses by itself what schemas and links do not offer.
 */
export class NormanClient {
  readonly #target: HttpTarget;
  readonly #authorization: string;
  readonly #schemas: ReadonlyMap<string, Schema>;

  private constructor(target: HttpTarget, authorization: string, schemas: ReadonlyMap<string, Schema>) {
    this.#target = target;
    this.#authorization = authorization;
    this.#schemas = schemas;
  }

  /** `token` is `name:key`, shown as a user name and a password. */
  static async open(target: HttpTarget, root: string, token: string): Promise<NormanClient> {
    const authorization = `Basic ${Buffer.from(token).toString('base64')}`;
    const first = await target.request('GET', root, undefined, { Authorization: authorization });
    if (first.code !== 200) throw new Error(`${root}: ${first.code} ${first.text}`);
    const [schemas] = first.headers['x-api-schemas'] ?? [];
    if (schemas === undefined) throw new Error(`Failed to find schema at [${root}]`);
    const listed = await target.request('GET', pathOn(target, schemas), undefined, { Authorization: authorization });
    if (listed.code !== 200) throw new Error(`${schemas}: ${listed.code} ${listed.text}`);
    const { data } = listed.json<{ data: Schema[] }>();
    return new NormanClient(target, authorization, new Map(data.map(schema => [schema.id, schema])));
  }

  get types(): string[] {
    return [...this.#schemas.keys()];
  }

  async list(type: string, filters: Filters = {}): Promise<Resource[]> {
    return (await this.collection(type, filters)).data;
  }

  async collection(type: string, filters: Filters = {}): Promise<{ data: Resource[]; actions: Record<string, string> }> {
    const schema = this.#schema(type, 'collectionMethods', 'GET');
    const query = new URLSearchParams();
    for (const [name, values] of Object.entries(filters)) for (const value of [values].flat()) query.append(name, value);
    return this.#send('GET', `${collectionOf(schema)}?${query.toString()}`, undefined, [200]);
  }

  async byId(type: string, id: string): Promise<Resource> {
    return this.#send('GET', `${collectionOf(this.#schema(type, 'resourceMethods', 'GET'))}/${id}`, undefined, [200]);
  }

  /** By id, or else by name, as the CLI does. */
  async find(type: string, ref: string): Promise<Resource> {
    const schema = this.#schema(type, 'resourceMethods', 'GET');
    const answer = await this.#target.request('GET', pathOn(this.#target, `${collectionOf(schema)}/${ref}`), undefined, this.#headers());
    if (answer.code === 200) return answer.json<Resource>();
    if (answer.code !== 404) throw new Error(`${ref}: ${answer.code} ${answer.text}`);
    const [found, ...more] = await this.list(type, { name: ref, removed_null: '1' });
    if (!found || more.length > 0) throw new Error(`${more.length + (found ? 1 : 0)} resources of type ${type} are called "${ref}"`);
    return found;
  }

  create(type: string, fields: object): Promise<Resource> {
    return this.#send('POST', collectionOf(this.#schema(type, 'collectionMethods', 'POST')), fields, [200, 201]);
  }

  update(resource: Resource, changes: object): Promise<Resource> {
    this.#schema(resource.type, 'resourceMethods', 'PUT');
    return this.#send('PUT', resource.links['self'], changes, [200]);
  }

  async remove(resource: Resource): Promise<void> {
    this.#schema(resource.type, 'resourceMethods', 'DELETE');
    await this.#send('DELETE', resource.links['self'], undefined, [200, 204]);
  }

  action<T>(resource: { readonly actions: Readonly<Record<string, string>> }, name: string, input?: object): Promise<T> {
    const url = resource.actions[name];
    if (url === undefined) throw new Error(`action [${name}] not available`);
    return this.#send('POST', url, input, [200, 201, 204]);
  }

  #schema(type: string, methods: 'collectionMethods' | 'resourceMethods', method: string): Schema {
    const schema = this.#schemas.get(type);
    if (!schema) throw new Error(`Unknown schema type [${type}]`);
    if (!schema[methods]?.includes(method)) throw new Error(`Resource type [${type}] does not offer ${method}`);
    return schema;
  }

  async #send<T>(method: string, url: string | undefined, body: object | undefined, codes: readonly number[]): Promise<T> {
    if (url === undefined) throw new Error('there is no link to go to');
    const answer = await this.#target.request(method, pathOn(this.#target, url), body, this.#headers());
    if (!codes.includes(answer.code)) throw new Error(`${method} ${url}: ${answer.code} ${answer.text}`);
    return (answer.text === '' ? undefined : answer.json<T>()) as T;
  }

  #headers(): Record<string, string> {
    return { Authorization: this.#authorization };
  }
}

function collectionOf({ id, links }: Schema): string {
  const { collection } = links;
  if (collection === undefined) throw new Error(`Resource type [${id}] does not have a collection URL`);
  return collection;
}

/** Links are absolute, and lead to the same hub. */
function pathOn({ credentials: { server } }: HttpTarget, url: string): string {
  if (!url.startsWith(`${server}/`)) throw new Error(`the link ${url} does not lead to ${server}`);
  return url.slice(server.length);
}
