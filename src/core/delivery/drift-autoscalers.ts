import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { isJsonObject } from '../../util/json.ts';
import type { Member } from './member.ts';

const versions = ['v2', 'v1'];
const timeoutMs = 10_000;

/** Which objects of a namespace have replicas that a HorizontalPodAutoscaler of the member decides. */
export interface ScaledObjects {
  has(obj: KubeObject): boolean;
}

/** True of objects whose replicas could be an autoscaler's: only those are worth the question. */
export function hasReplicas({ spec }: KubeObject): boolean {
  return isJsonObject(spec) && spec['replicas'] !== undefined && spec['replicas'] !== null;
}

/** A member without autoscaling, or one that does not let us see it, scales nothing as far as we know. */
export async function readScaledObjects(member: Member, namespace: string, signal: AbortSignal): Promise<ScaledObjects> {
  const targets = new Set((await readAutoscalers(member, namespace, signal)).flatMap(targetOf));
  return { has: obj => targets.has(keyOf(parseApiVersion(obj.apiVersion).group, obj.kind, obj.metadata.name ?? '')) };
}

async function readAutoscalers(member: Member, namespace: string, signal: AbortSignal): Promise<KubeObject[]> {
  for (const version of versions) {
    const kind = await member.kinds.find({ group: 'autoscaling', version, kind: 'HorizontalPodAutoscaler' }, signal);
    if (!kind) continue;
    try {
      return (await member.client.list(kind, { namespace, signal, timeoutMs })).items;
    } catch (error) {
      if (error instanceof StatusError && (error.code === 403 || error.code === 404)) return [];
      throw error;
    }
  }
  return [];
}

function targetOf({ spec }: KubeObject): string[] {
  const target = isJsonObject(spec) ? spec['scaleTargetRef'] : undefined;
  if (!isJsonObject(target)) return [];
  const { apiVersion = '', kind, name } = target;
  return [keyOf(parseApiVersion(String(apiVersion)).group, String(kind), String(name))];
}

const keyOf = (group: string, kind: string, name: string): string => `${group}/${kind}/${name}`;
