import { join } from 'node:path';
import { auditLog, type AuditLog } from '../apiserver/audit/audit-log.ts';
import { log } from '../runtime/log.ts';

/** The audit log of a hub, in the folder of its data. */
export function hubAudit(dataDir: string): AuditLog {
  return auditLog({ path: join(dataDir, 'audit.log'), onError: err => log.warn('the audit log was not written', { err }) });
}
