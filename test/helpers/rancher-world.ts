import assert from 'node:assert/strict';
import type { KindRef } from '../../src/api/define-kind.ts';
import { apiVersionOf, type KubeObject } from '../../src/api/object.ts';
import { ruleAllows } from '../../src/auth/policy-rule.ts';
import type { AccessAttributes, UserInfo } from '../../src/auth/user.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../src/core/admission/admission-review.ts';
import { reviewerOf } from '../../src/core/admission/reviewed-kinds.ts';
import { rancherReviews } from '../../src/dialects/rancher/admission/rancher-admission.ts';
import type { RancherWorld } from '../../src/dialects/rancher/admission/rancher-world.ts';
import { heldGlobalRoles } from '../../src/dialects/rancher/access/effective-rules.ts';
import { GlobalRole, GlobalRoleBinding } from '../../src/dialects/rancher/kinds/role.ts';
import { User } from '../../src/dialects/rancher/kinds/user.ts';

export type Fields = Record<string, unknown>;
interface Key {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Objects of a hub in which the rights of people come from GlobalRoles alone, and what admission says of changes to them. */
export class RancherObjectsInMemory {
  readonly #objects = new Map<string, KubeObject>();

  get<T extends KubeObject>(kind: KindRef<T>, key: Key): T | undefined {
    return this.#objects.get(keyOf(kind, key)) as T | undefined;
  }

  list<T extends KubeObject>(kind: KindRef<T>, namespace?: string): T[] {
    const all = [...this.#objects].filter(([key]) => key.startsWith(`${kind.resource}.${kind.group} `)).map(([, obj]) => obj as T);
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** As the hub itself: nobody is asked. */
  put(kind: KindRef, key: Key, fields: Fields = {}, metadata: Partial<KubeObject['metadata']> = {}): void {
    this.#objects.set(keyOf(kind, key), newObject(kind, key, fields, metadata));
  }

  delete(kind: KindRef, key: Key): void {
    this.#objects.delete(keyOf(kind, key));
  }

  may(user: UserInfo, wanted: AccessAttributes): boolean {
    const principals = this.get(User, { name: user.name })?.principalIds ?? [];
    const facts = { globalRoles: this.list(GlobalRole), globalRoleBindings: this.list(GlobalRoleBinding) };
    const namespace = wanted.isResource ? wanted.namespace : '';
    return heldGlobalRoles({ ...user, principals }, facts)
      .flatMap(({ rules = [], namespacedRules = {} }) => [...rules, ...(namespacedRules[namespace] ?? [])])
      .some(rule => ruleAllows(rule, wanted));
  }

  /** Writes what admission lets somebody write. */
  async write(
    user: UserInfo,
    kind: KindRef,
    key: Key,
    fields: Fields,
    metadata: Partial<KubeObject['metadata']> = {},
  ): Promise<AdmissionAnswer> {
    const old = this.get(kind, key);
    const object = newObject(kind, key, fields, metadata);
    const answer = await this.#ask(user, kind, key, { operation: old ? 'UPDATE' : 'CREATE', object, oldObject: old });
    if (!answer.refusal) this.#objects.set(keyOf(kind, key), object);
    return answer;
  }

  /** Deletes what admission lets somebody delete. */
  async remove(user: UserInfo, kind: KindRef, key: Key): Promise<AdmissionAnswer> {
    const answer = await this.#ask(user, kind, key, { operation: 'DELETE', object: undefined, oldObject: this.get(kind, key) });
    if (!answer.refusal) this.delete(kind, key);
    return answer;
  }

  #ask(
    user: UserInfo,
    kind: KindRef,
    key: Key,
    change: Pick<AdmissionRequest, 'operation' | 'object' | 'oldObject'>,
  ): Promise<AdmissionAnswer> {
    const world: RancherWorld = {
      caller: user,
      get: async (of, at) => this.get(of, at),
      list: async (of, namespace) => this.list(of, namespace),
      may: async (who, wanted) => this.may(who, wanted),
    };
    const { group } = kind;
    const request = { uid: 'u', group, kind: kind.kind, namespace: key.namespace ?? '', name: key.name, user, ...change };
    return reviewerOf(rancherReviews, () => world).validate(request, AbortSignal.timeout(5000));
  }
}

/** Somebody who signed in. */
export const person = (name: string, ...groups: string[]): UserInfo => ({ name, groups: [...groups, 'system:authenticated'] });

/** An answer that refuses in such words. */
export function says({ refusal }: AdmissionAnswer, code: number, words: RegExp): void {
  assert.ok(refusal, 'it was allowed');
  assert.match(refusal.message, words);
  assert.equal(refusal.code, code);
}

export const isAllowed = ({ refusal }: AdmissionAnswer): void => assert.equal(refusal?.message, undefined);

const keyOf = ({ resource, group }: KindRef, { namespace = '', name }: Key): string => `${resource}.${group} ${namespace}/${name}`;

const newObject = (kind: KindRef, { namespace, name }: Key, fields: Fields, metadata: Partial<KubeObject['metadata']>): KubeObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name, ...(namespace !== undefined && { namespace }), ...metadata },
  ...fields,
});
