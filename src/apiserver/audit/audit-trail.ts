import type { IncomingMessage } from 'node:http';
import type { UserInfo } from '../../auth/user.ts';
import { anonymous } from '../../auth/user.ts';
import { attributesOf, type RequestInfo } from '../http/request-info.ts';
import { auditEvent } from './audit-event.ts';
import type { AuditLog } from './audit-log.ts';
import { auditDecision, type AuditPolicy } from './audit-policy.ts';

interface Beginning {
  auditId: string;
  requestUri: string;
  info: RequestInfo;
  req: IncomingMessage;
  now: Date;
  annotations: Readonly<Record<string, string>>;
}

/** Follows one request through the log. */
export interface AuditedRequestTrail {
  user(requestor: UserInfo, impersonated: UserInfo | undefined): void;
  /** The name of what the request has made. */
  made(name: string): void;
  end(code: number): void;
}

export interface AuditTrail {
  begin(request: Beginning): AuditedRequestTrail;
}

/** Writes one line for each request the policy wants to remember, when its answer is complete. */
export function auditTrail(log: AuditLog | undefined, policy: AuditPolicy): AuditTrail {
  const nothing: AuditedRequestTrail = { user() {}, made() {}, end() {} };
  if (!log) return { begin: () => nothing };
  return {
    begin({ auditId, requestUri, info, req, now, annotations }) {
      let requestor: UserInfo = anonymous;
      let impersonatedUser: UserInfo | undefined;
      let attributes = attributesOf(info);
      const address = req.socket.remoteAddress;
      return {
        user(user, impersonated) {
          requestor = user;
          impersonatedUser = impersonated;
        },
        made(name) {
          if (attributes.isResource && attributes.name === '') attributes = { ...attributes, name };
        },
        end(code) {
          const decision = auditDecision(policy, requestor, attributes);
          if (decision.level === 'None') return;
          const event = auditEvent(
            {
              auditId,
              requestUri,
              attributes,
              user: requestor,
              impersonatedUser,
              sourceIps: address === undefined ? [] : [address],
              userAgent: String(req.headers['user-agent'] ?? ''),
              receivedAt: now,
              responseStatus: { code },
              annotations,
            },
            'ResponseComplete',
            decision,
            new Date(),
          );
          if (event) log.write(event);
        },
      };
    },
  };
}
