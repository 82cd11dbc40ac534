import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { auditAnnotations } from '../../api/audit-annotations.ts';
import type { Cluster } from '../../api/cluster.ts';
import { auditEvent } from '../../apiserver/audit/audit-event.ts';
import type { AuditLog } from '../../apiserver/audit/audit-log.ts';
import type { AuditDecision, AuditStage } from '../../apiserver/audit/audit-policy.ts';
import type { WebHandler } from '../../apiserver/http/https-server.ts';
import { note, notesOf } from '../../auth/request-notes.ts';
import { anonymous } from '../../auth/user.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { auditedTarget } from './audited-target.ts';
import { redactedUri } from './redacted-uri.ts';

export interface AuditedGatewayDeps {
  readonly log: Pick<AuditLog, 'write'>;
  /** By name or id, from memory. */
  findCluster(ref: string): Cluster | undefined;
  /** The name by which a user signs in, where that is another. */
  loginNameOf?(user: string): string | undefined;
  readonly now?: () => Date;
}

/** Bodies are never written: those who read the log may not read secrets. */
const decision: AuditDecision = { level: 'Metadata', omitStages: [], omitManagedFields: false };
const auditId = /^[\w.-]{1,64}$/;

/**
 * Writes one line for each request that people send to the gateway, reads included: when it is answered, or when a stream begins. What the gateway
 * hands on to the hub's own API is written down there.
 */
export function auditedGateway(
  gateway: WebHandler,
  { log, findCluster, loginNameOf, now = () => new Date() }: AuditedGatewayDeps,
): WebHandler {
  return {
    wantsUpgrade: req => gateway.wantsUpgrade(req),
    handle(req, res) {
      const write = begin(req);
      if (write) res.once('close', () => write('ResponseComplete', res.headersSent ? res.statusCode : undefined));
      gateway.handle(req, res);
    },
    upgrade(req, socket, head) {
      const write = begin(req);
      if (write) socket.once('close', () => write('ResponseComplete', notesOf(req).status));
      gateway.upgrade(req, socket, head);
    },
  };

  function begin(req: IncomingMessage): ((stage: AuditStage, code: number | undefined) => void) | undefined {
    if (!auditedTarget(req.method ?? 'GET', req.url ?? '')) return undefined;
    const receivedAt = now();
    const address = req.socket.remoteAddress;
    let isWritten = false;
    note(req, { auditId: idOf(req), onStream: status => write('ResponseStarted', status) });
    return write;

    function write(stage: AuditStage, code: number | undefined): void {
      // The gateway may have found a shorter name for it meanwhile.
      const target = auditedTarget(req.method ?? 'GET', req.url ?? '');
      if (isWritten || !target) return;
      isWritten = true;
      const { sender, user, annotations, auditId = '' } = notesOf(req);
      const requestor = sender ?? user ?? anonymous;
      const cluster = target.cluster === undefined ? undefined : findCluster(target.cluster);
      const loginName = loginNameOf?.(requestor.name);
      const event = auditEvent(
        {
          auditId,
          requestUri: redactedUri(req.url ?? ''),
          attributes: target.attributes,
          user: requestor,
          impersonatedUser: user && user.name !== requestor.name ? user : undefined,
          sourceIps: address === undefined ? [] : [address],
          userAgent: String(req.headers['user-agent'] ?? ''),
          receivedAt,
          responseStatus: code === undefined ? undefined : { code },
          annotations: {
            ...(cluster && { [auditAnnotations.cluster]: cluster.metadata.name!, [auditAnnotations.clusterId]: clusterId(cluster) }),
            ...(loginName !== undefined && { [auditAnnotations.loginName]: loginName }),
            ...annotations,
          },
        },
        stage,
        decision,
        now(),
      );
      if (event) log.write(event);
    }
  }
}

function idOf(req: IncomingMessage): string {
  const given = req.headers['audit-id'];
  return typeof given === 'string' && auditId.test(given) ? given : randomUUID();
}
