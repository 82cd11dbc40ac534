/** Who makes a request, after authentication and impersonation. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a request wants to do, as RBAC sees it. */
export type AccessAttributes = ResourceAttributes | NonResourceAttributes;

export interface ResourceAttributes {
  readonly isResource: true;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface NonResourceAttributes {
  readonly isResource: false;
  readonly verb: string;
  readonly path: string;
}

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Decides from memory, at once: RBAC objects are watched, never fetched. */
export interface Authorizer {
  authorize(user: UserInfo, attributes: AccessAttributes): Decision;
}

export const anonymous: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
/** The server itself: built-in controllers act as this user. */
export const loopback: UserInfo = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };
