import type { KubeObject } from '../../api/object.ts';
import type { Status } from '../../api/status.ts';
import { printUser } from '../../auth/reviews.ts';
import type { AccessAttributes, UserInfo } from '../../auth/user.ts';
import type { AuditDecision, AuditStage } from './audit-policy.ts';

/** What is known about a request by the time an event about it is written. */
export interface AuditedRequest {
  readonly auditId: string;
  readonly requestUri: string;
  readonly attributes: AccessAttributes;
  readonly user: UserInfo;
  readonly impersonatedUser?: UserInfo | undefined;
  readonly impersonationConstraint?: string;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  readonly receivedAt: Date;
  readonly requestObject?: KubeObject | undefined;
  readonly responseObject?: KubeObject | undefined;
  readonly responseStatus?: Partial<Status> | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

const maxUserAgentLength = 1024;

/** One line of the log, in the shape of audit.k8s.io/v1 Event; undefined when the policy leaves this stage out. */
export function auditEvent(request: AuditedRequest, stage: AuditStage, { level, omitStages, omitManagedFields }: AuditDecision, now: Date) {
  if (level === 'None' || omitStages.includes(stage)) return undefined;
  const { attributes, impersonatedUser, impersonationConstraint = '', requestObject, responseObject, responseStatus } = request;
  const showsRequest = level === 'Request' || level === 'RequestResponse';
  const isOver = stage !== 'RequestReceived';
  const clean = (obj: KubeObject) => (omitManagedFields ? withoutManagedFields(obj) : obj);
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level,
    auditID: request.auditId,
    stage,
    requestURI: request.requestUri,
    verb: attributes.verb,
    user: printUser(request.user),
    ...(impersonatedUser && { impersonatedUser: printUser(impersonatedUser) }),
    ...(impersonationConstraint !== '' && { authenticationMetadata: { impersonationConstraint } }),
    ...(request.sourceIps.length > 0 && { sourceIPs: request.sourceIps }),
    ...(request.userAgent !== '' && { userAgent: shorten(request.userAgent) }),
    ...(attributes.isResource && { objectRef: objectRef(attributes, requestObject) }),
    ...(isOver && responseStatus && { responseStatus: shortStatus(responseStatus) }),
    ...(isOver && showsRequest && requestObject && { requestObject: clean(requestObject) }),
    ...(isOver && level === 'RequestResponse' && responseObject && { responseObject: clean(responseObject) }),
    requestReceivedTimestamp: microTime(request.receivedAt),
    stageTimestamp: microTime(now),
    ...(Object.keys(request.annotations).length > 0 && { annotations: request.annotations }),
  };
}

function objectRef(attributes: Extract<AccessAttributes, { isResource: true }>, obj: KubeObject | undefined) {
  const { resource, namespace, name, group, version, subresource } = attributes;
  const meta = obj?.metadata;
  return withoutEmpty({
    resource,
    namespace: namespace || meta?.namespace,
    name: name || meta?.name,
    uid: meta?.uid,
    apiGroup: group,
    apiVersion: version,
    resourceVersion: meta?.resourceVersion,
    subresource,
  });
}

function withoutEmpty(fields: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''));
}

function shortStatus({ status, message, reason, details, code }: Partial<Status>) {
  return {
    metadata: {},
    ...(status !== undefined && { status }),
    ...(message !== undefined && { message }),
    ...(reason !== undefined && { reason }),
    ...(details && { details }),
    ...(code !== undefined && { code }),
  };
}

function withoutManagedFields(obj: KubeObject): KubeObject {
  const items = obj['items'];
  const { managedFields: _dropped, ...metadata } = obj.metadata;
  return { ...obj, metadata, ...(Array.isArray(items) && { items: (items as KubeObject[]).map(withoutManagedFields) }) };
}

function shorten(userAgent: string): string {
  return userAgent.length > maxUserAgentLength ? `${userAgent.slice(0, maxUserAgentLength)}...TRUNCATED` : userAgent;
}

/** Times of audit events have six digits after the second. */
function microTime(date: Date): string {
  return date.toISOString().replace(/\.([0-9]{3})Z$/, '.$1000Z');
}
