import { auditAnnotations } from '../../../api/audit-annotations.ts';

/** An event of audit.k8s.io/v1, as far as it is shown. */
export interface AuditEvent {
  readonly auditID?: string;
  readonly stage?: string;
  readonly requestReceivedTimestamp?: string;
  readonly verb?: string;
  readonly requestURI?: string;
  readonly user?: { readonly username?: string };
  readonly impersonatedUser?: { readonly username?: string };
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
  };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** By the name they sign in with where it is known; `jane as root` for who speaks for another. */
export function whoOf({ user, impersonatedUser, annotations }: AuditEvent): string {
  return [annotations?.[auditAnnotations.loginName] ?? user?.username, impersonatedUser?.username].filter(Boolean).join(' as ');
}

export const clusterOf = ({ annotations }: AuditEvent): string => annotations?.[auditAnnotations.cluster] ?? 'local';

export function whatOf({ objectRef, requestURI = '', annotations }: AuditEvent): string {
  const { resource, subresource, namespace, name, apiGroup } = objectRef ?? {};
  const made = annotations?.[auditAnnotations.created];
  if (resource === undefined) return made === undefined ? requestURI : `${requestURI} (made ${made})`;
  const kind = [`${resource}${apiGroup ? `.${apiGroup}` : ''}`, name, subresource].filter(Boolean).join('/');
  return namespace ? `${namespace}: ${kind}` : kind;
}

/** Whether something was changed, or meant to be: who looks and who asks what is allowed changes nothing. */
export const isChange = ({ verb = '', objectRef }: AuditEvent): boolean =>
  !['get', 'list', 'watch', 'head', 'options'].includes(verb) && objectRef?.resource?.endsWith('reviews') !== true;
